import assert from 'node:assert/strict';
import { type NatsConnection, NatsError } from 'nats';
import type { FinalizeEvent } from '../../../shared/chain/chainEvent.ts';
import { decodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import { chainStream } from '../../../shared/messages/subjects.ts';
import { consumeChain } from '../../../shared/platform/chainConsumer.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { topicOf } from '../../../shared/testing/evmData.ts';
import { readStream } from '../../../shared/testing/readStream.ts';
import { createChainPublisher } from '../chainPublisher.ts';
import { createJetStreamChain } from '../jetStreamChain.ts';

/** Events a second, about: enough that every fault meets some under way. */
const PAUSE_MS = 5;
const FLUSH_EVERY = 10;
const RETRY_MS = 200;
const READER = 'scorer';

/** Numbered events, published and read as watcher and scorer do it. */
export interface ChainTraffic {
  /** Highest number that the stream has confirmed. */
  confirmed(): number;
  /** Highest number up to which all were handled. */
  handled(): number;
  /** Ends it. @throws AssertionError where something was lost, doubled or out of order. */
  stop(): Promise<void>;
}

const eventOf = (chainId: number, number: number): FinalizeEvent => ({
  kind: 'finalize',
  chainId,
  epoch: 0,
  block: { number, hash: topicOf(number) },
});

const numberOf = (event: object): number => (event as FinalizeEvent).block.number;

/** Numbers in the stream, in its order. */
const storedNumbers = async (
  connection: NatsConnection,
  chainId: number,
  from: number,
): Promise<number[]> => {
  const entries = await readStream(connection, chainStream(chainId), from);
  return entries.map(({ data }) => numberOf(decodeChainEvent(data)));
};

/** Starts traffic on a chain's empty stream. */
export const startChainTraffic = (
  writer: NatsConnection,
  reader: NatsConnection,
  chainId: number,
): ChainTraffic => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const [clock, logger] = [systemClock, silentLogger];
  const stream = createJetStreamChain(writer, chainId);
  const publisher = createChainPublisher({ stream, clock, logger, signal });
  let confirmed = 0;
  let handled = 0;

  /** Goes on behind the stream's last message: the stream is the only record of the position. */
  const begin = async (): Promise<number> => {
    const { lastSeq } = await stream.info();
    const [last = 0] = lastSeq > 0 ? await storedNumbers(writer, chainId, lastSeq) : [];
    // A server that has not yet noticed that another leads shows less: what is lost for good is seen at the end.
    if (last < confirmed) throw new RetryableError(`${confirmed} confirmed, ${last} shown`);
    publisher.begin(lastSeq);
    return last + 1;
  };
  const publishAll = async (): Promise<void> => {
    let next: number | undefined;
    while (!signal.aborted) {
      try {
        next ??= await begin();
        await publisher.publish(eventOf(chainId, next));
        next += 1;
        if (next % FLUSH_EVERY === 0) {
          await publisher.flush();
          confirmed = next - 1;
        }
        await clock.sleep(PAUSE_MS, signal);
      } catch (error) {
        const isPassing = error instanceof RetryableError || error instanceof NatsError;
        if (!isPassing) throw error;
        next = undefined;
        await clock.sleep(RETRY_MS, signal);
      }
    }
  };
  const handle = async (batch: readonly { event: object }[]): Promise<void> => {
    for (const number of batch.map(({ event }) => numberOf(event))) {
      assert.ok(number <= handled + 1, `${number} came after ${handled}`);
      handled = Math.max(handled, number);
    }
  };
  const parts = { connection: reader, chainId, reader: READER, clock, logger } as const;
  const running = Promise.all([publishAll(), consumeChain({ ...parts, handle }, signal)]);
  running.catch(() => undefined);
  return {
    confirmed: () => confirmed,
    handled: () => handled,
    stop: async () => {
      stopping.abort();
      await running;
      const numbers = await storedNumbers(writer, chainId, 1);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
        'one of each, in order',
      );
      assert.ok(numbers.length >= confirmed, 'all that was confirmed is there');
    },
  };
};
