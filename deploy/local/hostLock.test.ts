import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ifHostLockFree, withHostLock } from './hostLock.ts';

const WAIT_MS = 10_000;

describe('withHostLock', () => {
  it('runs one work at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    const name = `test ${process.pid}`;
    await Promise.all([1, 2, 3].map(() => withHostLock(name, WAIT_MS, work)));
    assert.equal(most, 1);
  });

  it('is free again after a failure', async () => {
    const name = `test failing ${process.pid}`;
    const failing = withHostLock(name, WAIT_MS, () => Promise.reject(new Error('no')));
    await assert.rejects(failing, /no/);
    assert.equal(await withHostLock(name, 0, () => Promise.resolve(7)), 7);
  });

  it('gives up after the time it was given', async () => {
    const name = `test busy ${process.pid}`;
    await withHostLock(name, WAIT_MS, () =>
      assert.rejects(
        withHostLock(name, 0, () => Promise.resolve()),
        /another process holds/,
      ),
    );
  });

  it('is not waited for by work that may be left out', async () => {
    const name = `test left out ${process.pid}`;
    const done: string[] = [];
    const work = (what: string) => () => {
      done.push(what);
      return Promise.resolve();
    };
    await withHostLock(name, WAIT_MS, () => ifHostLockFree(name, work('while busy')));
    await ifHostLockFree(name, work('when free'));
    assert.deepEqual(done, ['when free']);
  });
});
