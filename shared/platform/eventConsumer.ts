import { AckPolicy, DeliverPolicy, type JsMsg, nanos } from 'nats';
import { EVENTS_STREAM } from '../messages/subjects.ts';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { ACK_HEARTBEAT_MS, ACK_WAIT_MS, ensureConsumer } from './nats.ts';
import { messageIdOf, type PublishDeadLetter } from './publish.ts';
import { type Subscription, subscribe } from './subscription.ts';
import { createWakeUp } from './wakeUp.ts';

/** Maximum messages held. */
const HELD_MAX = 256;
const IDLE_MS = 1_000;
const RETRY_DELAY_MS = 500;

/** A reader of events. */
export interface EventConsumer
  extends Pick<Subscription, 'connection' | 'durable' | 'ensure' | 'clock' | 'logger'> {
  /**
   * Handles messages in order; after a RetryableError they are delivered again.
   * @param isAgain whether some of them may have been handled before.
   */
  readonly handle: (batch: readonly JsMsg[], isAgain: boolean) => Promise<void>;
  /** Maximum messages handled together. */
  readonly batchMax?: number;
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

/** Parsed messages, in order. Those that cannot be parsed become dead letters. */
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

/** Whether a message was delivered twice. A stream that lost its tail assigns the same sequences again. */
const isSame = (one: JsMsg, other: JsMsg): boolean =>
  one.seq === other.seq && one.info.timestampNanos === other.info.timestampNanos;

/**
 * Reads events until `signal` aborts: in order, each acknowledged after it was handled. Rejects with any error of
 * `handle` other than RetryableError.
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
    // Its "in progress" heartbeat was lost, or arrived late.
    if (held.some((one) => isSame(one, message))) return;
    held.push(message);
    wakeUp.notify();
  };
  const onBack = (): void => {
    hasGoneBack = true;
  };
  const until = AbortSignal.any([signal, failed.signal]);
  const { connection, durable, ensure } = ports;
  const consumer = { connection, stream: EVENTS_STREAM, durable, ensure, heldMax: HELD_MAX };
  const receiving = subscribe({ ...consumer, onMessage, onBack, clock, logger }, until);
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
    // Releases messages, so that another process need not wait until this one is known to be gone.
    for (const message of held) message.nak();
    await receiving;
  }
};
