import type { JsMsg, NatsConnection } from 'nats';
import { type ScoreMessage, scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { scoreSubjects } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { consumeEvents, openEvents } from '../../shared/platform/eventConsumer.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { messageIdOf, type PublishDeadLetter } from '../../shared/platform/publish.ts';

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

/** Reads verdicts until `signal` aborts; each is acknowledged after what follows from it is stored. */
export const readScores = (ports: ScoreReaderPorts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, onVerdicts, clock, logger } = ports;
  return consumeEvents(
    {
      open: () => openEvents(connection, `clusters-${chainId}`, [scoreSubjects(chainId)]),
      handle: async (batch) => onVerdicts(await readVerdicts(batch, ports)),
      clock,
      logger,
    },
    signal,
  );
};
