import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import type { ConsumerMessages } from 'nats';
import { untilAborted } from './untilAborted.ts';

/** Messages that arrive until they are stopped. */
const endless = (): ConsumerMessages => {
  let isStopped = false;
  const read = async function* () {
    while (!isStopped) yield {};
  };
  const stop = (): void => {
    isStopped = true;
  };
  return Object.assign(read(), { stop }) as unknown as ConsumerMessages;
};

describe('untilAborted', () => {
  it('ends messages when the signal aborts, or had', async () => {
    const end = new AbortController();
    let count = 0;
    for await (const _message of untilAborted(endless(), end.signal)) {
      count += 1;
      if (count === 3) end.abort();
    }
    for await (const _message of untilAborted(endless(), end.signal)) count += 1;
    assert.equal(count, 3);
    assert.equal(getEventListeners(end.signal, 'abort').length, 0);
  });

  it('leaves no listener behind a handler that throws', async () => {
    const { signal } = new AbortController();
    const handle = async (): Promise<void> => {
      for await (const _message of untilAborted(endless(), signal)) throw new Error('failed');
    };
    await assert.rejects(handle(), /failed/);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
