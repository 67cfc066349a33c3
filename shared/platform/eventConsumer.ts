import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats';
import { EVENTS_STREAM } from '../messages/subjects.ts';
import type { Clock } from './clock.ts';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import {
  ACK_HEARTBEAT_MS,
  ACK_WAIT_MS,
  ensureConsumer,
  isAheadOfStream,
  jetStreamManager,
} from './nats.ts';
import { messageIdOf, type PublishDeadLetter } from './publish.ts';
import { untilAborted } from './untilAborted.ts';
import { createWakeUp } from './wakeUp.ts';

/** Messages held at the most. */
const HELD_MAX = 256;
const PULL_EXPIRES_MS = 10_000;
const IDLE_MS = 1_000;
const LOST_TAIL_CHECK_MS = 10_000;
const REOPEN_DELAY_MS = 500;
const RETRY_DELAY_MS = 500;

/** A reader of events. */
export interface EventConsumer {
  readonly connection: NatsConnection;
  readonly durable: string;
  /** Makes the durable consumer where it is missing, from the stream's beginning where `deliverPolicy` says so. */
  readonly ensure: (jsm: JetStreamManager, deliverPolicy?: DeliverPolicy) => Promise<void>;
  /**
   * Handles messages in order; after a RetryableError they come again.
   * @param isAgain they, or some of them, may have been handled or tried before.
   */
  readonly handle: (batch: readonly JsMsg[], isAgain: boolean) => Promise<void>;
  /** Messages handled together at the most. */
  readonly batchMax?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The durable consumer of a role's events on some subjects, read by one process at a time. */
export const durableEvents = (
  durable: string,
  subjects: readonly string[],
): Pick<EventConsumer, 'durable' | 'ensure'> => ({
  durable,
  ensure: (jsm, deliverPolicy = DeliverPolicy.All) =>
    ensureConsumer(jsm, EVENTS_STREAM, {
      durable_name: durable,
      filter_subjects: [...subjects],
      deliver_policy: deliverPolicy,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: HELD_MAX,
    }),
});

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
      const { subject, data, seq } = message;
      const reason = `message of ${subject.split('.')[0]} cannot be read: ${errorMessage(error)}`;
      await deadLetter({ subject, data, messageId: messageIdOf(message), seq }, reason);
      logger.error({ err: error, subject }, 'message became a dead letter');
    }
  }
  return read;
};

/** Whether a message was delivered twice. A stream that lost its tail hands out the same sequences again. */
const isSame = (one: JsMsg, other: JsMsg): boolean =>
  one.seq === other.seq && one.info.timestampNanos === other.info.timestampNanos;

/** Keeps a pull subscription open until `signal` aborts. */
const receive = async (
  ports: EventConsumer,
  { onMessage, onBack }: { onMessage: (message: JsMsg) => void; onBack: () => void },
  signal: AbortSignal,
): Promise<void> => {
  const { connection, durable, ensure, clock, logger } = ports;
  // Until the consumer is made again, also where that fails after the old one was deleted.
  let isFromStart = false;
  while (!signal.aborted) {
    let tail: NodeJS.Timeout | undefined;
    try {
      const jsm = await jetStreamManager(connection);
      if (await isAheadOfStream(jsm, EVENTS_STREAM, durable)) {
        logger.warn({ durable }, 'events went back, reading again');
        isFromStart = true;
        onBack();
        await jsm.consumers.delete(EVENTS_STREAM, durable);
      }
      await ensure(jsm, isFromStart ? DeliverPolicy.All : undefined);
      isFromStart = false;
      const consumer = await connection.jetstream().consumers.get(EVENTS_STREAM, durable);
      const messages = await consumer.consume({
        max_messages: HELD_MAX,
        expires: PULL_EXPIRES_MS,
      });
      const checkTail = async (): Promise<void> => {
        if (await isAheadOfStream(jsm, EVENTS_STREAM, durable).catch(() => false)) messages.stop();
      };
      tail = setInterval(() => void checkTail(), LOST_TAIL_CHECK_MS);
      for await (const message of untilAborted(messages, signal)) onMessage(message);
    } catch (error) {
      logger.warn({ err: error }, `events are away: ${errorMessage(error)}`);
    } finally {
      clearInterval(tail);
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
  let hasGoneBack = false;
  const heartbeat = setInterval(() => {
    for (const message of held) message.working();
  }, ACK_HEARTBEAT_MS);
  const failed = new AbortController();
  const onMessage = (message: JsMsg): void => {
    // Its heartbeat was lost on the way, or came late.
    if (held.some((one) => isSame(one, message))) return;
    held.push(message);
    wakeUp.notify();
  };
  const onBack = (): void => {
    hasGoneBack = true;
  };
  const until = AbortSignal.any([signal, failed.signal]);
  const receiving = receive(ports, { onMessage, onBack }, until);
  try {
    while (!signal.aborted) {
      const batch = held.slice(0, batchMax);
      if (batch.length === 0) {
        await wakeUp.wait(IDLE_MS, signal);
        continue;
      }
      try {
        await handle(batch, isAgain || hasGoneBack);
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
