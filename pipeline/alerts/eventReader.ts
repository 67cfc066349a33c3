import { AckPolicy, type Consumer, type JsMsg, type NatsConnection, nanos } from 'nats';
import { type ClusterMessage, clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { EVENTS_STREAM } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, PoisonMessageError, RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { JETSTREAM_TIMEOUT_MS } from '../../shared/platform/nats.ts';
import { messageIdOf, type PublishDeadLetter } from '../../shared/platform/publish.ts';

/** What reading the messages of other roles needs. */
export interface EventReaderPorts {
  readonly connection: NatsConnection;
  readonly chainId: number;
  readonly onScore: (message: ScoreMessage) => Promise<void>;
  readonly onCluster: (message: ClusterMessage) => Promise<void>;
  readonly deadLetter: PublishDeadLetter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A reader that died is replaced after this long without a heartbeat. */
const ACK_WAIT_MS = 30_000;
const HEARTBEAT_MS = ACK_WAIT_MS / 3;
const MESSAGES_PER_FETCH = 64;
const FETCH_EXPIRES_MS = 5_000;
const REOPEN_DELAY_MS = 500;
const RETRY_DELAY_MS_MIN = 100;
const RETRY_DELAY_MS_MAX = 5_000;

const durableOf = (chainId: number): string => `alerts-${chainId}`;

/** The durable consumer of the verdicts and rings of one chain; made where it is missing. */
const openConsumer = async (connection: NatsConnection, chainId: number): Promise<Consumer> => {
  const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
  await jsm.consumers.add(EVENTS_STREAM, {
    durable_name: durableOf(chainId),
    filter_subjects: [`score.${chainId}.>`, `cluster.${chainId}.>`],
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MESSAGES_PER_FETCH,
    max_deliver: -1,
  });
  const js = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  return js.consumers.get(EVENTS_STREAM, durableOf(chainId));
};

/**
 * Reads the verdicts and the changes of rings of one chain until `signal` aborts: in order, each
 * acknowledged after it was handled. What cannot be read becomes a dead letter; a failure of unknown class
 * rejects.
 */
export const readEvents = async (ports: EventReaderPorts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, clock, logger } = ports;
  while (!signal.aborted) {
    try {
      const consumer = await openConsumer(connection, chainId);
      while (!signal.aborted) {
        const expires = FETCH_EXPIRES_MS;
        for await (const message of await consumer.fetch({
          max_messages: MESSAGES_PER_FETCH,
          expires,
        })) {
          if (signal.aborted) return;
          await handleUntilDone(ports, message, signal);
        }
      }
    } catch (error) {
      if (error instanceof UnknownFailure) throw error.cause;
      if (signal.aborted) return;
      logger.warn({ err: error }, `stream ${EVENTS_STREAM} is away: ${errorMessage(error)}`);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
};

/** Carries a bug of a handler past the handling of a stream that is away. */
class UnknownFailure extends Error {
  override readonly name = 'UnknownFailure';
}

const dispatch = async (
  { onScore, onCluster }: EventReaderPorts,
  message: JsMsg,
): Promise<void> => {
  if (message.subject.startsWith('score.')) {
    await onScore(readAs(scoreMessageSchema, message));
  } else {
    await onCluster(readAs(clusterMessageSchema, message));
  }
};

const readAs = <T>(schema: { parse(value: unknown): T }, message: JsMsg): T => {
  try {
    return schema.parse(message.json());
  } catch (error) {
    throw new PoisonMessageError(errorMessage(error), { cause: error });
  }
};

const handleUntilDone = async (
  ports: EventReaderPorts,
  message: JsMsg,
  signal: AbortSignal,
): Promise<void> => {
  const { deadLetter, clock, logger } = ports;
  const heartbeat = setInterval(() => message.working(), HEARTBEAT_MS);
  try {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await dispatch(ports, message);
        message.ack();
        return;
      } catch (error) {
        if (error instanceof PoisonMessageError) {
          const { subject, data } = message;
          await deadLetter({ subject, data, messageId: messageIdOf(message) }, error.message);
          logger.error({ err: error, subject: message.subject }, 'message became a dead letter');
          message.term();
          return;
        }
        if (!(error instanceof RetryableError)) {
          throw new UnknownFailure('handler failed', { cause: error });
        }
        const delayMs = Math.min(RETRY_DELAY_MS_MIN * 2 ** attempt, RETRY_DELAY_MS_MAX);
        logger.warn({ err: error, attempt, delayMs }, 'message will be handled again');
        await clock.sleep(delayMs, signal);
      }
    }
  } finally {
    clearInterval(heartbeat);
  }
};
