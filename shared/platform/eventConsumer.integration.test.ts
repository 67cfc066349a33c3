import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  type Consumer,
  type JetStreamManager,
  type JsMsg,
  millis,
  type NatsConnection,
  nanos,
} from 'nats';
import { EVENTS_STREAM, scoreSubjects } from '../messages/subjects.ts';
import { startStreams } from '../testing/stores.ts';
import { systemClock } from './clock.ts';
import { RetryableError } from './errors.ts';
import { consumeEvents, durableEvents } from './eventConsumer.ts';
import { silentLogger } from './logger.ts';
import { ACK_WAIT_MS } from './nats.ts';

const CHAIN_ID = 31_337;

/** A connection on which the stream of events reports an end at `lastSeq`, while that is set. */
const withLostTail = (connection: NatsConnection, lost: { lastSeq: number | undefined }) => {
  const managerOf = async (): Promise<JetStreamManager> => {
    const jsm = await connection.jetstreamManager();
    const info = async (name: string) => {
      const real = await jsm.streams.info(name);
      return { ...real, state: { ...real.state, last_seq: lost.lastSeq ?? real.state.last_seq } };
    };
    const streams = { info: info as JetStreamManager['streams']['info'] };
    return { streams, consumers: jsm.consumers } as JetStreamManager;
  };
  return {
    jetstream: () => connection.jetstream(),
    jetstreamManager: managerOf,
  } as unknown as NatsConnection;
};

/** A connection on which each of the first messages is delivered twice; `onDelivered` is called then. */
const deliveringTwice = (messages: number, onDelivered: () => void): NatsConnection => {
  const consume = async (consumer: Consumer) => {
    const real = await consumer.consume();
    const twice = async function* () {
      let delivered = 0;
      for await (const message of real) {
        yield message;
        yield message;
        delivered += 1;
        if (delivered === messages) onDelivered();
      }
    };
    return Object.assign(twice(), { stop: () => real.stop() });
  };
  const get = async (stream: string, durable: string) => {
    const consumer = await connection.jetstream().consumers.get(stream, durable);
    return { consume: () => consume(consumer) };
  };
  return {
    jetstream: () => ({ consumers: { get } }),
    jetstreamManager: () => connection.jetstreamManager(),
  } as unknown as NatsConnection;
};

const { connection, stop } = await startStreams([CHAIN_ID]);
after(stop);

describe('consumeEvents on real NATS', () => {
  const publish = async (...texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      await connection.jetstream().publish(`score.${CHAIN_ID}.${text}`, text);
    }
  };

  /**
   * Reads with a durable consumer until `isEnough` messages were handled: each text, and whether it may be a
   * repetition.
   */
  const readUntil = async (
    durable: string,
    isEnough: (handled: readonly (readonly [string, boolean])[]) => boolean,
    by: NatsConnection = connection,
    fail: (text: string) => void = () => undefined,
  ): Promise<(readonly [string, boolean])[]> => {
    const stop = new AbortController();
    const handled: (readonly [string, boolean])[] = [];
    const events = durableEvents(durable, [scoreSubjects(CHAIN_ID)]);
    await consumeEvents(
      {
        connection: by,
        ...events,
        handle: async ([message], isAgain) => {
          const text = message?.string() ?? '';
          fail(text);
          handled.push([text, isAgain]);
          if (isEnough(handled)) stop.abort();
        },
        batchMax: 1,
        clock: systemClock,
        logger: silentLogger,
      },
      stop.signal,
    );
    return handled;
  };

  it('handles events in order, what failed for now again, and goes on after what was handled', async () => {
    await publish('a', 'b', 'c');
    let failures = 1;
    const fail = (text: string): void => {
      if (text === 'b' && failures > 0) {
        failures -= 1;
        throw new RetryableError('for now');
      }
    };
    const first = await readUntil('in-order', ({ length }) => length === 2, connection, fail);
    assert.deepEqual(first, [
      ['a', false],
      ['b', true],
    ]);
    const rest = await readUntil('in-order', ({ length }) => length === 1);
    assert.deepEqual(rest, [['c', false]]);
  });

  it('reads again from the beginning where the stream lost what was handled, also while it reads', async () => {
    const lost = { lastSeq: undefined as number | undefined };
    const lossy = withLostTail(connection, lost);
    const { state } = await (await connection.jetstreamManager()).streams.info(EVENTS_STREAM);
    const before = state.messages;
    const handled = await readUntil(
      'lost-tail',
      ({ length }) => {
        if (length === before) lost.lastSeq = 0;
        if (length === before + 1) lost.lastSeq = undefined;
        return length === 2 * before;
      },
      lossy,
    );
    const texts = handled.map(([text]) => text);
    assert.deepEqual(texts.slice(before), texts.slice(0, before));
    assert.deepEqual(
      handled.map(([, isAgain]) => isAgain),
      [...Array<boolean>(before).fill(false), ...Array<boolean>(before).fill(true)],
    );
  });

  it('handles a message once that comes again while it is held', async () => {
    const jsm = await connection.jetstreamManager();
    const { messages } = (await jsm.streams.info(EVENTS_STREAM)).state;
    const stop = new AbortController();
    let onDelivered: () => void = () => undefined;
    const delivered = new Promise<void>((resolve) => {
      onDelivered = resolve;
    });
    const handled: string[] = [];
    const ports = {
      connection: deliveringTwice(messages, () => onDelivered()),
      ...durableEvents('twice', [scoreSubjects(CHAIN_ID)]),
      handle: async (batch: readonly JsMsg[]) => {
        await delivered;
        handled.push(...batch.map((message) => message.string()));
        if (handled.length >= messages) stop.abort();
      },
      clock: systemClock,
      logger: silentLogger,
    };
    await consumeEvents(ports, stop.signal);
    assert.deepEqual(handled, ['a', 'b', 'c']);
  });

  it('gives a reader that an earlier release made the wait of this one', async () => {
    const jsm = await connection.jetstreamManager();
    const events = durableEvents('older', [scoreSubjects(CHAIN_ID)]);
    const waitMs = async (): Promise<number> =>
      millis((await jsm.consumers.info(EVENTS_STREAM, 'older')).config.ack_wait ?? 0);
    await events.ensure(jsm);
    await jsm.consumers.update(EVENTS_STREAM, 'older', { ack_wait: nanos(30_000) });
    assert.equal(await waitMs(), 30_000);
    await events.ensure(jsm);
    assert.equal(await waitMs(), ACK_WAIT_MS);
  });
});
