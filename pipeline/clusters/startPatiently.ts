import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';

const RETRY_DELAY_MS = 5_000;

/**
 * What is started; what a failed start leaves behind is thrown away. While something it depends on is away, such as
 * space on a disk, it begins anew: whoever restarts processes may give one up that keeps ending.
 * @returns undefined where `signal` aborted first.
 */
export const startPatiently = async <Started>(
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
