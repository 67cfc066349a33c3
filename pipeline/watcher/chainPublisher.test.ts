import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { topicOf as hash } from '../../shared/testing/evmData.ts';
import {
  createChainPublisher,
  IN_FLIGHT_MESSAGES_MAX,
  KEEP_MESSAGES,
  trimStream,
} from './chainPublisher.ts';
import { StreamMovedError } from './ports.ts';
import { createFakeStream, type FakeStreamOptions } from './testing/scriptedWatcher.ts';

const event = (number: number): ChainEvent =>
  blocksEvent([{ number, hash: hash(number), timestampS: number, facts: [] }]);
const clock = {
  now: () => 0,
  sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

/** A publisher that takes the stream to end at a sequence. */
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
  test('keeps the order of many messages under way', async () => {
    const { publisher, heights } = setup();
    for (const n of upTo(IN_FLIGHT_MESSAGES_MAX * 3)) await publisher.publish(event(n));
    await publisher.flush();
    assert.deepEqual(heights(), upTo(IN_FLIGHT_MESSAGES_MAX * 3));
  });

  test('leaves nothing out behind messages of another publisher', async () => {
    const { stream, publisher, heights } = setup();
    const other = publisherAt(0, stream);
    // Two of the other's, then four of this one's under way: the third names a sequence that is the last.
    for (const n of [1, 2]) await other.publish(event(n));
    await other.flush();
    await Promise.all([3, 4, 5, 6].map((n) => publisher.publish(event(n))));
    await assert.rejects(publisher.flush(), StreamMovedError);
    assert.deepEqual(heights(), [1, 2]);
  });

  for (const fate of ['full', 'unavailable'] as const) {
    test(`waits while the stream is ${fate} and skips nothing`, async () => {
      let refused = 0;
      const { publisher, heights } = setup({
        fate: ({ headers }) => (headers.number === 5 && refused++ < 6 ? fate : 'ok'),
      });
      for (const n of upTo(40)) await publisher.publish(event(n));
      await publisher.flush();
      assert.deepEqual(heights(), upTo(40));
      assert.equal(refused, 7);
    });
  }

  test('a stored message without a confirmation ends the run: the stream reports its last sequence', async () => {
    const { publisher, heights } = setup({
      fate: ({ headers }) => (headers.number === 5 ? 'unconfirmed' : 'ok'),
    });
    await assert.rejects(async () => {
      for (const n of upTo(40)) await publisher.publish(event(n));
      await publisher.flush();
    }, StreamMovedError);
    const stored = heights();
    assert.deepEqual(stored, upTo(stored.length));
  });

  test('a second publisher is noticed', async () => {
    const { publisher, stream } = setup();
    await publisher.publish(event(1));
    await publisher.flush();
    const other = publisherAt(1, stream);
    await other.publish(event(2));
    await other.flush();
    await publisher.publish(event(3));
    await assert.rejects(publisher.flush(), StreamMovedError);
  });

  test('a stop ends the wait for a full stream', async () => {
    const { publisher, life } = setup({ fate: () => 'full' });
    await publisher.publish(event(1));
    const waiting = assert.rejects(publisher.flush(), /stopped/);
    life.abort();
    await waiting;
  });

  test('trims what all readers have acknowledged, once half full, and keeps enough to resume', async () => {
    const { publisher, stream } = setup({ bytesMax: 2_000_000 });
    const count = KEEP_MESSAGES + 100;
    for (const n of upTo(count)) await publisher.publish(event(n));
    await publisher.flush();
    assert.equal(await trimStream(stream, silentLogger), 0, 'a reader is missing');
    stream.acknowledge(count);
    assert.equal(await trimStream(stream, silentLogger), 100);
    assert.equal(stream.messages().length, KEEP_MESSAGES);
  });
});
