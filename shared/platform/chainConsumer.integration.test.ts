import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ErrorCode, type JetStreamManager, type NatsConnection, NatsError } from 'nats';
import type { FinalizeEvent } from '../chain/chainEvent.ts';
import { encodeChainEvent } from '../messages/chainMessage.ts';
import { chainStream, chainSubject } from '../messages/subjects.ts';
import { blocksEvent } from '../testing/blocksEvent.ts';
import { startStreams } from '../testing/stores.ts';
import { consumeChain } from './chainConsumer.ts';
import { systemClock } from './clock.ts';
import { RetryableError } from './errors.ts';
import { silentLogger } from './logger.ts';
import { ensureStreams } from './nats.ts';

const READER = 'scorer';

const event = (chainId: number, number: number): FinalizeEvent => ({
  kind: 'finalize',
  chainId,
  epoch: 0,
  block: { number, hash: `0x${number.toString(16).padStart(64, '0')}` },
});

const { connection, stop: stopServer } = await startStreams([]);
after(stopServer);

describe('consumeChain on real NATS', () => {
  const publish = async (chainId: number, from: number, to: number): Promise<void> => {
    for (let number = from; number <= to; number += 1) {
      const bytes = encodeChainEvent(event(chainId, number));
      await connection.jetstream().publish(chainSubject(chainId), bytes);
    }
  };

  /** Consumes until `last` was handled; returns the numbers in the order of handling. */
  const consumeUntil = async (
    chainId: number,
    last: number,
    fail: (number: number) => void = () => undefined,
    by: NatsConnection = connection,
  ): Promise<number[]> => {
    const stop = new AbortController();
    const handled: number[] = [];
    const handle = async (batch: readonly { event: { kind: string } }[]): Promise<void> => {
      const numbers = batch.map((one) => (one.event as FinalizeEvent).block.number);
      for (const number of numbers) fail(number);
      handled.push(...numbers);
      if (numbers.includes(last)) stop.abort();
    };
    const parts = { connection: by, chainId, clock: systemClock, logger: silentLogger };
    await consumeChain({ ...parts, reader: READER, handle }, stop.signal);
    return handled;
  };

  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it('waits for what a dead process held, and does not acknowledge past it', async () => {
    await ensureStreams(connection, [1]);
    await publish(1, 1, 10);
    const dead = await connection.jetstream().consumers.get(chainStream(1), READER);
    const held = await dead.fetch({ max_messages: 10, expires: 2_000 });
    let count = 0;
    for await (const _message of held) count += 1;
    assert.equal(count, 10);
    await publish(1, 11, 15);
    assert.deepEqual(await consumeUntil(1, 15), range(1, 15));
  });

  it('handles a batch again after a passing failure, before anything newer', async () => {
    await ensureStreams(connection, [2]);
    await publish(2, 1, 5);
    let failures = 0;
    const handled = await consumeUntil(2, 5, (number) => {
      if (number !== 3 || failures >= 2) return;
      failures += 1;
      throw new RetryableError('away');
    });
    assert.equal(failures, 2);
    assert.deepEqual(handled.slice(-5), range(1, 5));
  });

  it('waits for a server that does not answer while it opens', async () => {
    await ensureStreams(connection, [5]);
    await publish(5, 1, 3);
    let unanswered = 3;
    const slow = Object.assign(Object.create(connection) as NatsConnection, {
      request: (...args: Parameters<NatsConnection['request']>) => {
        unanswered -= 1;
        return unanswered >= 0
          ? Promise.reject(new NatsError('TIMEOUT', ErrorCode.Timeout))
          : connection.request(...args);
      },
    });
    assert.deepEqual(await consumeUntil(5, 3, undefined, slow), range(1, 3));
    assert.ok(unanswered < 0);
  });

  it('reads again from the beginning where the stream lost what was acknowledged', async () => {
    await ensureStreams(connection, [7]);
    await publish(7, 1, 3);
    assert.deepEqual(await consumeUntil(7, 3), range(1, 3));
    const jsm = await connection.jetstreamManager();
    let isLost = true;
    const streams = Object.assign(Object.create(jsm.streams) as JetStreamManager['streams'], {
      info: async (name: string) => {
        const info = await jsm.streams.info(name);
        return isLost ? { ...info, state: { ...info.state, last_seq: 0 } } : info;
      },
    });
    const consumers = Object.assign(Object.create(jsm.consumers) as JetStreamManager['consumers'], {
      delete: (...reader: [string, string]) => {
        isLost = false;
        return jsm.consumers.delete(...reader);
      },
    });
    const lossy = Object.assign(Object.create(connection) as NatsConnection, {
      jetstreamManager: async () => ({ streams, consumers }),
    });
    assert.deepEqual(await consumeUntil(7, 3, undefined, lossy), range(1, 3));
  });

  it('rests after a batch near the head, and handles together what arrived meanwhile', async () => {
    await ensureStreams(connection, [6]);
    const block = (number: number) => {
      const { hash } = event(6, number).block;
      const blocks = blocksEvent([{ number, hash, timestampS: number, facts: [] }]);
      return encodeChainEvent({ ...blocks, chainId: 6, head: number });
    };
    const send = (number: number) => connection.jetstream().publish(chainSubject(6), block(number));
    const jsm = await connection.jetstreamManager();
    const isDelivered = async (seq: number): Promise<boolean> =>
      (await jsm.consumers.info(chainStream(6), READER)).delivered.stream_seq >= seq;
    const rest = async (): Promise<void> => {
      for (const number of [2, 3]) await send(number);
      while (!(await isDelivered(3)));
      await connection.flush();
    };
    const stop = new AbortController();
    const batches: number[] = [];
    const handle = async (batch: readonly unknown[]): Promise<void> => {
      batches.push(batch.length);
      if (batches.length === 2) stop.abort();
    };
    const sleep: typeof systemClock.sleep = (ms, signal) =>
      ms === 700 ? rest() : systemClock.sleep(ms, signal);
    await send(1);
    const parts = {
      connection,
      chainId: 6,
      clock: { ...systemClock, sleep },
      logger: silentLogger,
    };
    await consumeChain({ ...parts, reader: READER, restMs: 700, handle }, stop.signal);
    assert.deepEqual(batches, [1, 2]);
  });

  it('ends at once on a failure of unknown class, with nothing acknowledged', async () => {
    await ensureStreams(connection, [3]);
    await publish(3, 1, 3);
    const bug = new TypeError('a bug');
    await assert.rejects(
      consumeUntil(3, 3, () => {
        throw bug;
      }),
      bug,
    );
    const jsm = await connection.jetstreamManager();
    const info = await jsm.consumers.info(chainStream(3), READER);
    assert.equal(info.ack_floor.stream_seq, 0);
  });

  it('ends where it is stopped while it opens its subscription, although nothing comes', async () => {
    await ensureStreams(connection, [4]);
    const stop = new AbortController();
    const stopping = Object.assign(Object.create(connection) as NatsConnection, {
      jetstream: () => ({
        consumers: {
          get: async (stream: string, durable: string) => {
            const consumer = await connection.jetstream().consumers.get(stream, durable);
            stop.abort();
            return consumer;
          },
        },
      }),
    });
    const parts = { connection: stopping, chainId: 4, clock: systemClock, logger: silentLogger };
    const handled: unknown[] = [];
    const handle = async (batch: readonly unknown[]): Promise<void> => {
      handled.push(...batch);
    };
    await consumeChain({ ...parts, reader: READER, handle }, stop.signal);
    assert.deepEqual(handled, []);
  });
});
