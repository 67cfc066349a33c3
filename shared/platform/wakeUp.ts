import type { Clock } from './clock.ts';

/** A notification between two waits is not lost: the next wait then ends at once. */
export const createWakeUp = (clock: Clock) => {
  let notified = false;
  let end: (() => void) | undefined;
  return {
    notify: (): void => {
      notified = true;
      end?.();
    },
    /** Resolves after `ms`, or at once if notified since the last wait, or aborted. */
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      if (!notified) {
        const waiting = new AbortController();
        const stop = (): void => waiting.abort();
        end = stop;
        signal.addEventListener('abort', stop);
        if (signal.aborted) stop();
        await clock.sleep(ms, waiting.signal);
        signal.removeEventListener('abort', stop);
        end = undefined;
      }
      notified = false;
    },
  };
};
/** Lets a source of heads end a wait early. */
export type WakeUp = ReturnType<typeof createWakeUp>;
