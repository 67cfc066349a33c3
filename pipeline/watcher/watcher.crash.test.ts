import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryableError } from '../../shared/platform/errors.ts';
import { createFakeChain } from './testing/fakeChain.ts';
import {
  assertSame,
  busy,
  createFakeStream,
  mine,
  node,
  settle,
  type Watched,
  watch,
} from './testing/scriptedWatcher.ts';

/** One script of mining and reorgs; the watcher dies at its n-th append and starts over. */
const runWithCrash = async (crashAt: number, stored: boolean): Promise<{ crashed: boolean }> => {
  const chain = createFakeChain();
  let appends = 0;
  let watcher: Watched | undefined;
  const stream = createFakeStream({
    fate: () => {
      appends += 1;
      if (appends !== crashAt) return 'ok';
      watcher?.kill();
      return stored ? 'unconfirmed' : 'unavailable';
    },
  });
  const script: (() => void)[] = [
    () => mine(chain, 9, 2),
    () => chain.mine(busy(1100, 3)),
    () => chain.reorg(2, [busy(600, 41), busy(1, 42), busy(2, 43)]),
    () => chain.mine(busy(501, 5)),
    () => chain.reorg(1, [busy(600, 61)]),
    () => mine(chain, 18, 1),
  ];
  watcher = watch(node(chain), stream);
  for (const act of script) {
    act();
    const alive: boolean = appends < crashAt;
    try {
      await settle(watcher);
    } catch (error) {
      if (!alive || !(error instanceof RetryableError)) throw error;
    }
    if (alive && appends >= crashAt) {
      // A reorg while no watcher runs, at some of the crashes.
      if (crashAt % 3 === 0) chain.reorg(1, [busy(800, 77)]);
      watcher = watch(node(chain), stream);
      await settle(watcher);
    }
  }
  assertSame(stream, chain);
  return { crashed: appends >= crashAt };
};

test('whichever append a watcher dies at, the stream holds the same facts in the end', async () => {
  for (const stored of [false, true]) {
    let crashAt = 1;
    while ((await runWithCrash(crashAt, stored)).crashed) crashAt += 1;
    assert.ok(crashAt > 30, 'the script publishes enough messages');
  }
});
