import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../apiError.ts';
import { createHeavyGate } from './heavyGate.ts';

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.options.status === 503 &&
  error.options.headers?.['Retry-After'] !== undefined;

describe('gate of costly requests', () => {
  /** Work that ends when it is told to. */
  const setup = () => {
    let refused = 0;
    const gate = createHeavyGate({ runningMax: 2, waitingMax: 3 }, () => (refused += 1));
    const ends: (() => void)[] = [];
    const ask = (isWanted = () => true) =>
      gate(() => new Promise<string>((resolve) => ends.push(() => resolve('done'))), isWanted);
    return { gate, ends, ask, refused: () => refused };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('lets some run, some wait and refuses the others at once', async () => {
    const { ends, ask, refused } = setup();
    const asked = Array.from({ length: 5 }, () => ask());
    await turn();
    assert.equal(ends.length, 2);
    await assert.rejects(ask(), isRefused);
    assert.equal(refused(), 1);
    for (let ended = 0; ended < asked.length; ended += 1) {
      ends[ended]?.();
      await turn();
    }
    assert.deepEqual(await Promise.all(asked), Array(5).fill('done'));
  });

  it('takes on more after failures', async () => {
    const { gate, ends, ask } = setup();
    const fail = () =>
      gate(
        () => Promise.reject(new Error('away')),
        () => true,
      );
    await Promise.all([1, 2, 3].map(() => assert.rejects(fail(), /away/)));
    const asked = ask();
    await turn();
    ends[0]?.();
    assert.equal(await asked, 'done');
  });

  it('begins nothing that nobody waits for any more', async () => {
    const { ends, ask } = setup();
    const first = [ask(), ask()];
    let isWanted = true;
    const left = ask(() => isWanted);
    await turn();
    isWanted = false;
    for (const end of ends.splice(0)) end();
    await Promise.all(first);
    await assert.rejects(left, isRefused);
    assert.equal(ends.length, 0);
  });
});
