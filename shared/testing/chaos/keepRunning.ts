import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../services.ts';

/** A server that is started again whenever it ends, as an init system does. */
export interface Keeper {
  /** How often it was started again. */
  starts(): number;
  /** Resolves when it is not watched any more. */
  stop(): Promise<void>;
}

const WATCH_MS = 250;

/** Watches over a server until told to stop. */
export const keepRunning = (server: Service): Keeper => {
  let [isOver, starts] = [false, 0];
  const watching = (async () => {
    while (!isOver) {
      await sleep(WATCH_MS);
      if (!server.hasEnded()) continue;
      // Without space it may not come up: it is tried again.
      await server.restart().then(
        () => (starts += 1),
        () => undefined,
      );
    }
  })();
  return {
    starts: () => starts,
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
};
