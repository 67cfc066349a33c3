import {
  AckPolicy,
  type Consumer,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats';
import { type ScoreMessage, scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { EVENTS_STREAM, scoreSubjects } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { JETSTREAM_TIMEOUT_MS } from '../../shared/platform/nats.ts';
import { messageIdOf, type PublishDeadLetter } from '../../shared/platform/publish.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';

/** What reading the verdicts of one chain needs. */
export interface ScoreReaderPorts {
  readonly connection: NatsConnection;
  readonly chainId: number;
  /** Handles verdicts in order; they may come again. */
  readonly onVerdicts: (messages: readonly ScoreMessage[]) => Promise<void>;
  readonly deadLetter: PublishDeadLetter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A reader that died is replaced after this long without a heartbeat. */
const ACK_WAIT_MS = 30_000;
const HEARTBEAT_MS = ACK_WAIT_MS / 3;
/** Verdicts held, and handled together, at the most. */
const HELD_MAX = 256;
const PULL_EXPIRES_MS = 10_000;
const IDLE_MS = 1_000;
const REOPEN_DELAY_MS = 500;
const RETRY_DELAY_MS = 500;

const durableOf = (chainId: number): string => `clusters-${chainId}`;

/** After the loss of its tail the stream hands out old sequences again: a durable ahead of it is made anew. */
const dropIfAhead = async (jsm: JetStreamManager, durable: string): Promise<void> => {
  const consumer = await jsm.consumers.info(EVENTS_STREAM, durable).catch(() => undefined);
  if (!consumer) return;
  const { state } = await jsm.streams.info(EVENTS_STREAM);
  if (state.last_seq < consumer.ack_floor.stream_seq) {
    await jsm.consumers.delete(EVENTS_STREAM, durable);
  }
};

const openConsumer = async (connection: NatsConnection, chainId: number): Promise<Consumer> => {
  const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
  const durable = durableOf(chainId);
  await dropIfAhead(jsm, durable);
  await jsm.consumers.add(EVENTS_STREAM, {
    durable_name: durable,
    filter_subject: scoreSubjects(chainId),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: HELD_MAX,
    max_deliver: -1,
  });
  return connection.jetstream().consumers.get(EVENTS_STREAM, durable);
};

const parse = (message: JsMsg): ScoreMessage | undefined => {
  try {
    return scoreMessageSchema.parse(message.json());
  } catch {
    return undefined;
  }
};

/** The verdicts of a batch. What is none becomes a dead letter: the tables hold the verdict, the next start sees it. */
const readVerdicts = async (
  batch: readonly JsMsg[],
  { deadLetter, logger }: ScoreReaderPorts,
): Promise<ScoreMessage[]> => {
  const verdicts: ScoreMessage[] = [];
  for (const message of batch) {
    const verdict = parse(message);
    if (verdict) {
      verdicts.push(verdict);
      continue;
    }
    const { subject, data } = message;
    logger.error({ subject }, 'verdict message became a dead letter');
    await deadLetter({ subject, data, messageId: messageIdOf(message) }, 'no verdict message');
  }
  return verdicts;
};

/** Keeps a pull subscription open until `signal` aborts. */
const receive = async (
  { connection, chainId, clock, logger }: ScoreReaderPorts,
  onMessage: (message: JsMsg) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const consumer = await openConsumer(connection, chainId);
      const messages = await consumer.consume({
        max_messages: HELD_MAX,
        expires: PULL_EXPIRES_MS,
      });
      const stop = (): void => messages.stop();
      signal.addEventListener('abort', stop, { once: true });
      for await (const message of messages) onMessage(message);
      signal.removeEventListener('abort', stop);
    } catch (error) {
      logger.warn({ err: error }, `verdicts are away: ${errorMessage(error)}`);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
};

/** Reads verdicts until `signal` aborts; each is acknowledged after what follows from it is stored. */
export const readScores = async (ports: ScoreReaderPorts, signal: AbortSignal): Promise<void> => {
  const { clock, logger } = ports;
  const wakeUp = createWakeUp(clock);
  let held: JsMsg[] = [];
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
      const batch = held.slice(0, HELD_MAX);
      if (batch.length === 0) {
        await wakeUp.wait(IDLE_MS, signal);
        continue;
      }
      try {
        await ports.onVerdicts(await readVerdicts(batch, ports));
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        logger.warn({ err: error }, 'verdicts will be handled again');
        await clock.sleep(RETRY_DELAY_MS, signal);
        continue;
      }
      for (const message of batch) message.ack();
      held = held.slice(batch.length);
    }
  } finally {
    clearInterval(heartbeat);
    failed.abort();
    await receiving;
  }
};
