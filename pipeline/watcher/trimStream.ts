import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { ChainStream } from './ports.ts';

/** Messages kept for a restart, however far the readers are. */
export const KEEP_MESSAGES = 4096;

/**
 * Removes what every reader has acknowledged once the stream is half full. Keeps the messages a
 * restart reads. Failures are logged: the next attempt comes soon.
 * @returns messages removed.
 */
export const trimStream = async (stream: ChainStream, logger: Logger): Promise<number> => {
  try {
    const { bytes, bytesMax, firstSeq, lastSeq } = await stream.info();
    if (bytesMax <= 0 || bytes * 2 < bytesMax) return 0;
    const floor = await stream.readersFloor();
    if (floor === null) return 0;
    const upTo = Math.min(floor, lastSeq - KEEP_MESSAGES);
    if (upTo < firstSeq) return 0;
    await stream.purge(upTo);
    logger.info({ upTo, bytes }, 'stream trimmed');
    return upTo - firstSeq + 1;
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    logger.warn({ err: error }, `stream not trimmed: ${errorMessage(error)}`);
    return 0;
  }
};
