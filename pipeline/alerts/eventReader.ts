import type { JsMsg, NatsConnection } from 'nats';
import { type ClusterMessage, clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { clusterSubjects, scoreSubjects } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, PoisonMessageError } from '../../shared/platform/errors.ts';
import { consumeEvents, openEvents } from '../../shared/platform/eventConsumer.ts';
import type { Logger } from '../../shared/platform/logger.ts';
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

const readAs = <T>(schema: { parse(value: unknown): T }, message: JsMsg): T => {
  try {
    return schema.parse(message.json());
  } catch (error) {
    throw new PoisonMessageError(errorMessage(error), { cause: error });
  }
};

const handle = async (ports: EventReaderPorts, message: JsMsg): Promise<void> => {
  const { onScore, onCluster, deadLetter, logger } = ports;
  const { subject, data } = message;
  try {
    if (subject.startsWith('score.')) await onScore(readAs(scoreMessageSchema, message));
    else await onCluster(readAs(clusterMessageSchema, message));
  } catch (error) {
    if (!(error instanceof PoisonMessageError)) throw error;
    await deadLetter({ subject, data, messageId: messageIdOf(message) }, error.message);
    logger.error({ err: error, subject }, 'message became a dead letter');
  }
};

/** Reads the verdicts and the changes of rings of one chain until `signal` aborts. What cannot be read becomes a dead letter. */
export const readEvents = (ports: EventReaderPorts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, clock, logger } = ports;
  const subjects = [scoreSubjects(chainId), clusterSubjects(chainId)];
  return consumeEvents(
    {
      open: () => openEvents(connection, `alerts-${chainId}`, subjects),
      handle: async (batch) => {
        for (const message of batch) await handle(ports, message);
      },
      batchMax: 1,
      clock,
      logger,
    },
    signal,
  );
};
