import { setTimeout as sleep } from 'node:timers/promises';
import type { Devnet } from '../devnet/createDevnet.ts';
import type { DevnetDriver } from './devnetDriver.ts';

/** What happens on the chain beside everything else. */
export interface Life {
  /** Lets this many things happen from now on: on a slow machine what is compared must not grow with it. */
  allow(actions: number): void;
  /** A reorg of exactly this depth between two other things. Resolves when it has happened. */
  reorg(depth: number): Promise<void>;
  /** Resolves when nothing happens any more. */
  stop(): Promise<void>;
}

const PAUSE_MS = 25;

interface WantedReorg {
  readonly depth: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Starts a life in which nothing happens until it is allowed to. */
export const startLife = (devnet: Devnet, driver: DevnetDriver): Life => {
  const wanted: WantedReorg[] = [];
  let actionsLeft = 0;
  let isOver = false;
  const living = (async () => {
    while (!isOver || wanted.length > 0) {
      const next = wanted.shift();
      if (next) await devnet.reorg(next.depth).then(next.done, next.failed);
      else if (actionsLeft > 0) {
        actionsLeft -= 1;
        await driver.act();
      }
      await sleep(PAUSE_MS);
    }
  })();
  return {
    allow: (actions) => {
      actionsLeft = actions;
    },
    reorg: (depth) =>
      new Promise((done, failed) => {
        wanted.push({ depth, done, failed });
      }),
    stop: async () => {
      isOver = true;
      await living;
    },
  };
};
