import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';

/** Milliseconds between two attempts. */
const RETRY_DELAY_MS = 5_000;

/**
 * Starts something, again and again while a dependency is unavailable, such as ClickHouse with a full disk. A process
 * that exits instead is given up by its supervisor after some restarts. Nothing of a failed start is kept.
 * @returns undefined if `signal` aborted first.
 * @throws any error that is not a RetryableError.
 */
export const retryStart = async <Started>(
  start: () => Promise<Started>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  signal: AbortSignal,
): Promise<Started | undefined> => {
  while (!signal.aborted) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, 'the graph cannot be built yet');
      await clock.sleep(RETRY_DELAY_MS, signal);
    }
  }
  return undefined;
};
