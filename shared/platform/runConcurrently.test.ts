import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runConcurrently } from './runConcurrently.ts';

/** Ends when the signal aborts, and reports it. */
const waiting = async (name: string, ended: string[], signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  ended.push(name);
};

describe('runConcurrently', () => {
  it('ends all parts when it is asked to', async () => {
    const stop = new AbortController();
    const ended: string[] = [];
    const running = runConcurrently(
      (signal) => [waiting('a', ended, signal), waiting('b', ended, signal)],
      stop.signal,
    );
    stop.abort();
    await running;
    assert.deepEqual(ended, ['a', 'b']);
  });

  it('ends the others when one fails, then fails as the first did', async () => {
    const ended: string[] = [];
    const late = async (signal: AbortSignal): Promise<void> => {
      await waiting('late', ended, signal);
      throw new Error('as a consequence');
    };
    const running = runConcurrently(
      (signal) => [late(signal), Promise.reject(new Error('the cause'))],
      new AbortController().signal,
    );
    await assert.rejects(running, /the cause/);
    assert.deepEqual(ended, ['late']);
  });

  it('ends the others when one ends by itself', async () => {
    const ended: string[] = [];
    await runConcurrently(
      (signal) => [Promise.resolve(), waiting('other', ended, signal)],
      new AbortController().signal,
    );
    assert.deepEqual(ended, ['other']);
  });
});
