import { type Consumer, DeliverPolicy, type JsMsg, type NatsConnection } from 'nats';
import { EVENTS_STREAM, PUSH_CONSUMER } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { consumeEvents } from '../../shared/platform/eventConsumer.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { ensurePushConsumer, jetStreamManager } from '../../shared/platform/nats.ts';
import { isReplay, messageIdOf } from '../../shared/platform/publish.ts';
import type { Plan } from './planner.ts';

const LOST_TAIL_CHECK_MS = 10_000;

export interface IntakePorts {
  readonly connection: NatsConnection;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly logger: Logger;
}

const open = async (connection: NatsConnection): Promise<Consumer> => {
  const jsm = await jetStreamManager(connection);
  await ensurePushConsumer(jsm);
  return connection.jetstream().consumers.get(EVENTS_STREAM, PUSH_CONSUMER);
};

/**
 * After the loss of its tail a stream hands out the same sequences again, and a durable consumer
 * ahead of it would wait in silence for ever. It is made again from the stream's beginning: what was
 * planned before is recognised.
 */
const checkTail = async ({ connection, logger }: IntakePorts): Promise<boolean> => {
  try {
    const jsm = await jetStreamManager(connection);
    const [{ state }, consumer] = await Promise.all([
      jsm.streams.info(EVENTS_STREAM),
      jsm.consumers.info(EVENTS_STREAM, PUSH_CONSUMER),
    ]);
    if (state.last_seq >= consumer.ack_floor.stream_seq) return false;
    logger.warn({ lastSeq: state.last_seq }, 'events went back, reading again');
    await jsm.consumers.delete(EVENTS_STREAM, PUSH_CONSUMER);
    await ensurePushConsumer(jsm, DeliverPolicy.All);
    return true;
  } catch (error) {
    logger.debug({ err: error }, 'state of the events is unknown for now');
    return false;
  }
};

/** Reads events until `signal` aborts; each is acknowledged when its deliveries are stored and scheduled. */
export const runIntake = async (ports: IntakePorts, signal: AbortSignal): Promise<void> => {
  const { connection, plan, clock, logger } = ports;
  let isRepeating = false;
  const tail = setInterval(() => {
    void checkTail(ports).then((wentBack) => {
      isRepeating ||= wentBack;
    });
  }, LOST_TAIL_CHECK_MS);
  const handle = (batch: readonly JsMsg[], isAgain: boolean): Promise<void> =>
    plan(
      batch.map((message) => ({
        subject: message.subject,
        data: message.data,
        messageId: messageIdOf(message),
        isAgain: isAgain || isRepeating || message.redelivered || isReplay(message),
      })),
    );
  try {
    await consumeEvents({ open: () => open(connection), handle, clock, logger }, signal);
  } finally {
    clearInterval(tail);
  }
};
