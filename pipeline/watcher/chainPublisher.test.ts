import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { topicOf as hash } from '../../shared/testing/evmData.ts';
import { createChainPublisher, KEEP_MESSAGES, trimStream } from './chainPublisher.ts';
import { StreamMovedError } from './ports.ts';
import { createFakeStream, type FakeStreamOptions } from './testing/scriptedWatcher.ts';

const event = (number: number): ChainEvent =>
  blocksEvent([{ number, hash: hash(number), timestampS: number, facts: [] }]);
const clock = {
  now: () => 0,
  sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

/** A publisher that assumes the stream to end at a sequence. */
const publisherAt = (
  lastSeq: number,
  stream: ReturnType<typeof createFakeStream>,
  { signal } = new AbortController(),
) => {
  const publisher = createChainPublisher({ stream, clock, logger: silentLogger, signal });
  publisher.begin(lastSeq);
  return publisher;
};

const setup = (options: FakeStreamOptions = {}) => {
  const life = new AbortController();
  const stream = createFakeStream(options);
  const publisher = publisherAt(0, stream, life);
  const heights = (): number[] =>
    stream.events().map((one) => (one.kind === 'blocks' ? one.to.number : -1));
  return { life, stream, publisher, heights };
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('chain publisher', () => {
  test('leaves nothing out behind messages of another publisher', async () => {
    const { stream, publisher, heights } = setup();
    const other = publisherAt(0, stream);
    for (const n of [1, 2]) await other.publish(event(n));
    await assert.rejects(publisher.publish(event(3)), StreamMovedError);
    assert.deepEqual(heights(), [1, 2]);
  });

  for (const fate of ['full', 'unavailable'] as const) {
    test(`waits while the stream is ${fate} and skips nothing`, async () => {
      let refused = 0;
      const { publisher, heights } = setup({
        fate: ({ headers }) => (headers.number === 5 && refused++ < 6 ? fate : 'ok'),
      });
      for (const n of upTo(40)) await publisher.publish(event(n));
      assert.deepEqual(heights(), upTo(40));
      assert.equal(refused, 7);
    });
  }

  test('stores a message without a confirmation once', async () => {
    let isLost = true;
    const { publisher, heights } = setup({
      fate: ({ headers }) => {
        if (headers.number !== 5 || !isLost) return 'ok';
        isLost = false;
        return 'unconfirmed';
      },
    });
    for (const n of upTo(40)) await publisher.publish(event(n));
    assert.deepEqual(heights(), upTo(40));
  });

  test('notices a stream that lost its tail, whoever has written there since', async () => {
    const { publisher, stream } = setup();
    for (const n of [1, 2]) await publisher.publish(event(n));
    stream.loseTail(1);
    await publisherAt(1, stream).publish(event(7));
    await assert.rejects(publisher.publish(event(3)), StreamMovedError);
  });

  test('a second publisher is noticed', async () => {
    const { publisher, stream } = setup();
    await publisher.publish(event(1));
    await publisherAt(1, stream).publish(event(2));
    await assert.rejects(publisher.publish(event(3)), StreamMovedError);
  });

  test('a stop ends the wait for a full stream', async () => {
    const { publisher, life } = setup({ fate: () => 'full' });
    const waiting = assert.rejects(publisher.publish(event(1)), /stopped/);
    life.abort();
    await waiting;
  });

  test('trims what all readers have acknowledged, once half full, and keeps enough to resume', async () => {
    const { publisher, stream } = setup({ bytesMax: 2_000_000 });
    const count = KEEP_MESSAGES + 100;
    for (const n of upTo(count)) await publisher.publish(event(n));
    assert.equal(await trimStream(stream, silentLogger), 0, 'a reader is missing');
    stream.acknowledge(count);
    assert.equal(await trimStream(stream, silentLogger), 100);
    assert.equal(stream.messages().length, KEEP_MESSAGES);
  });
});
