import {
  AckPolicy,
  type Consumer,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats';
import { EVENTS_STREAM } from '../messages/subjects.ts';
import type { Clock } from './clock.ts';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { jetStreamManager } from './nats.ts';
import { messageIdOf, type PublishDeadLetter } from './publish.ts';
import { createWakeUp } from './wakeUp.ts';

/** A reader that died is replaced after this long without a heartbeat. */
const ACK_WAIT_MS = 30_000;
const HEARTBEAT_MS = 5_000;
/** Messages held at the most. */
const HELD_MAX = 256;
const PULL_EXPIRES_MS = 10_000;
const IDLE_MS = 1_000;
const REOPEN_DELAY_MS = 500;
const RETRY_DELAY_MS = 500;

/** A reader of events. */
export interface EventConsumer {
  /** Finds the durable consumer, or makes it. */
  readonly open: () => Promise<Consumer>;
  /**
   * Handles messages in order; after a RetryableError they come again.
   * @param isAgain they, or some of them, were tried before.
   */
  readonly handle: (batch: readonly JsMsg[], isAgain: boolean) => Promise<void>;
  /** Messages handled together at the most. */
  readonly batchMax?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After the loss of its tail the stream hands out old sequences again: a durable ahead of it is made anew. */
const dropIfAhead = async (jsm: JetStreamManager, durable: string): Promise<void> => {
  const consumer = await jsm.consumers.info(EVENTS_STREAM, durable).catch(() => undefined);
  if (!consumer) return;
  const { state } = await jsm.streams.info(EVENTS_STREAM);
  if (state.last_seq < consumer.ack_floor.stream_seq) {
    await jsm.consumers.delete(EVENTS_STREAM, durable);
  }
};

/** The durable consumer of a role's events, read by one process at a time; made where it is missing. */
export const openEvents = async (
  connection: NatsConnection,
  durable: string,
  subjects: readonly string[],
): Promise<Consumer> => {
  const jsm = await jetStreamManager(connection);
  await dropIfAhead(jsm, durable);
  await jsm.consumers.add(EVENTS_STREAM, {
    durable_name: durable,
    filter_subjects: [...subjects],
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: HELD_MAX,
    max_deliver: -1,
  });
  return connection.jetstream().consumers.get(EVENTS_STREAM, durable);
};

/** What messages say, in order. Those that cannot be read become dead letters. */
export const readMessages = async <T>(
  batch: readonly JsMsg[],
  schema: { parse(value: unknown): T },
  { deadLetter, logger }: { readonly deadLetter: PublishDeadLetter; readonly logger: Logger },
): Promise<T[]> => {
  const read: T[] = [];
  for (const message of batch) {
    try {
      read.push(schema.parse(message.json()));
    } catch (error) {
      const { subject, data } = message;
      await deadLetter({ subject, data, messageId: messageIdOf(message) }, errorMessage(error));
      logger.error({ err: error, subject }, 'message became a dead letter');
    }
  }
  return read;
};

/** Keeps a pull subscription open until `signal` aborts. */
const receive = async (
  { open, clock, logger }: EventConsumer,
  onMessage: (message: JsMsg) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const consumer = await open();
      const messages = await consumer.consume({
        max_messages: HELD_MAX,
        expires: PULL_EXPIRES_MS,
      });
      const stop = (): void => messages.stop();
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      for await (const message of messages) onMessage(message);
      signal.removeEventListener('abort', stop);
    } catch (error) {
      logger.warn({ err: error }, `events are away: ${errorMessage(error)}`);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
};

/**
 * Reads events until `signal` aborts: in order, each acknowledged after it was handled. Rejects with whatever
 * `handle` throws besides RetryableError.
 */
export const consumeEvents = async (ports: EventConsumer, signal: AbortSignal): Promise<void> => {
  const { handle, batchMax = HELD_MAX, clock, logger } = ports;
  const wakeUp = createWakeUp(clock);
  let held: JsMsg[] = [];
  let isAgain = false;
  const heartbeat = setInterval(() => {
    for (const message of held) message.working();
  }, HEARTBEAT_MS);
  const failed = new AbortController();
  const onMessage = (message: JsMsg): void => {
    held.push(message);
    wakeUp.notify();
  };
  const receiving = receive(ports, onMessage, AbortSignal.any([signal, failed.signal]));
  try {
    while (!signal.aborted) {
      const batch = held.slice(0, batchMax);
      if (batch.length === 0) {
        await wakeUp.wait(IDLE_MS, signal);
        continue;
      }
      try {
        await handle(batch, isAgain);
        isAgain = false;
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        logger.warn({ err: error }, 'events will be handled again');
        isAgain = true;
        await clock.sleep(RETRY_DELAY_MS, signal);
        continue;
      }
      for (const message of batch) message.ack();
      held = held.slice(batch.length);
    }
  } finally {
    clearInterval(heartbeat);
    failed.abort();
    // Another process need not wait until it is clear that this one has gone.
    for (const message of held) message.nak();
    await receiving;
  }
};
