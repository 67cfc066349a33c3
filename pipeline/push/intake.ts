import { DeliverPolicy, type JsMsg, type NatsConnection } from 'nats';
import { EVENTS_STREAM, PUSH_CONSUMER } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import {
  ensurePushConsumer,
  JETSTREAM_TIMEOUT_MS,
  PUSH_ACK_WAIT_MS,
} from '../../shared/platform/nats.ts';
import { isReplay, messageIdOf } from '../../shared/platform/publish.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import type { Plan, ReceivedMessage } from './planner.ts';

/** Messages this process holds, and plans together, at the most. */
const HELD_MAX = 256;
const PULL_EXPIRES_MS = 10_000;
const HEARTBEAT_MS = PUSH_ACK_WAIT_MS / 3;
const IDLE_MS = 1_000;
const REOPEN_DELAY_MS = 250;
const RETRY_DELAY_MS = 500;
const LOST_TAIL_CHECK_MS = 10_000;

export interface IntakePorts {
  readonly connection: NatsConnection;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps a pull subscription open; what arrives is put into `held`. */
const receive = async (
  { connection, clock, logger }: IntakePorts,
  onMessage: (message: JsMsg) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
      await ensurePushConsumer(jsm);
      const consumer = await connection.jetstream().consumers.get(EVENTS_STREAM, PUSH_CONSUMER);
      const messages = await consumer.consume({
        max_messages: HELD_MAX,
        expires: PULL_EXPIRES_MS,
      });
      const stop = (): void => messages.stop();
      signal.addEventListener('abort', stop);
      for await (const message of messages) onMessage(message);
      signal.removeEventListener('abort', stop);
    } catch (error) {
      logger.warn({ err: error }, `events are away: ${errorMessage(error)}`);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
};

/**
 * After the loss of its tail a stream hands out the same sequences again, and a durable consumer
 * ahead of it would wait in silence for ever. It is made anew from the stream's beginning: what was
 * planned before is recognised.
 */
const checkTail = async ({ connection, logger }: IntakePorts): Promise<boolean> => {
  try {
    const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
    const [{ state }, consumer] = await Promise.all([
      jsm.streams.info(EVENTS_STREAM),
      jsm.consumers.info(EVENTS_STREAM, PUSH_CONSUMER),
    ]);
    if (state.last_seq >= consumer.ack_floor.stream_seq) return false;
    logger.warn({ lastSeq: state.last_seq }, 'events went back, reading anew');
    await jsm.consumers.delete(EVENTS_STREAM, PUSH_CONSUMER);
    await ensurePushConsumer(jsm, DeliverPolicy.All);
    return true;
  } catch (error) {
    logger.debug({ err: error }, 'state of the events is unknown for now');
    return false;
  }
};

/** Plans until it works; other processes wait their turn meanwhile, nothing is passed over. */
const planUntilDone = async (
  { plan, clock, logger }: IntakePorts,
  messages: readonly ReceivedMessage[],
  signal: AbortSignal,
): Promise<boolean> => {
  for (let again = messages; !signal.aborted; ) {
    try {
      await plan(again);
      return true;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, 'events will be planned again');
      again = messages.map((message) => ({ ...message, isAgain: true }));
      await clock.sleep(RETRY_DELAY_MS, signal);
    }
  }
  return false;
};

/** Reads events until `signal` aborts; each is acknowledged when its deliveries are stored and scheduled. */
export const runIntake = async (ports: IntakePorts, signal: AbortSignal): Promise<void> => {
  const { clock } = ports;
  const wakeUp = createWakeUp(clock);
  let held: JsMsg[] = [];
  let isRepeating = false;
  const heartbeat = setInterval(() => {
    for (const message of held) message.working();
  }, HEARTBEAT_MS);
  const tail = setInterval(() => {
    void checkTail(ports).then((wentBack) => {
      isRepeating ||= wentBack;
    });
  }, LOST_TAIL_CHECK_MS);
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const receiving = receive(
    ports,
    (message) => {
      held.push(message);
      wakeUp.notify();
    },
    stop,
  );
  try {
    while (!signal.aborted) {
      const batch = held.slice(0, HELD_MAX);
      if (batch.length === 0) {
        await wakeUp.wait(IDLE_MS, signal);
        continue;
      }
      const messages = batch.map((message) => ({
        subject: message.subject,
        data: message.data,
        messageId: messageIdOf(message),
        isAgain: isRepeating || message.redelivered || isReplay(message),
      }));
      if (!(await planUntilDone(ports, messages, signal))) break;
      for (const message of batch) message.ack();
      held = held.slice(batch.length);
    }
  } finally {
    clearInterval(heartbeat);
    clearInterval(tail);
    failed.abort();
    // Another process need not wait until it is clear that this one has gone.
    for (const message of held) message.nak();
    await receiving;
  }
};
