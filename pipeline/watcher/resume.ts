import { FatalError } from '../../shared/runtime/errors.ts';
import { emptyLocalChain, type LocalChain } from './localChain/localChain.ts';
import { rebuildLocalChain } from './localChain/rebuildLocalChain.ts';
import type { ChainSource, ChainStream } from './ports.ts';
import { KEEP_MESSAGES } from './trimStream.ts';

/** Where a watcher goes on. */
export interface ResumePoint {
  readonly chain: LocalChain;
  readonly lastSeq: number;
}

/**
 * Finds the position in what was published: the stream is the only record of it. An empty stream
 * begins at `startBlock`, or at the head of the moment.
 * @throws FatalError where a stream once held messages and holds none now: its position is lost.
 */
export const resume = async (
  stream: ChainStream,
  source: ChainSource,
  startBlock: number | undefined,
): Promise<ResumePoint> => {
  const { firstSeq, lastSeq, messages } = await stream.info();
  if (messages === 0) {
    if (lastSeq > 0) {
      throw new FatalError(
        `the stream lost all of its ${lastSeq} messages, and with them the position in the chain: ` +
          'delete the stream and the facts of this chain to begin anew at START_BLOCK',
      );
    }
    const start = startBlock ?? (await source.follow(0, 0)).head.number;
    return { chain: emptyLocalChain(start), lastSeq };
  }
  const headers = await stream.headersFrom(Math.max(firstSeq, lastSeq - KEEP_MESSAGES + 1));
  if (headers.length === 0) throw new FatalError('the stream holds no message of a watcher');
  return { chain: rebuildLocalChain(headers), lastSeq };
};
