import type { NatsConnection } from 'nats';
import { createPublish } from '../../shared/adapters/publish.ts';
import type { AnalysisMessage } from '../../shared/messages/analysisMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import { analysisSubject, analyzeSubject, scoreSubject } from '../../shared/messages/subjects.ts';

/** What the scorer sends to others. Resolves when the server has it on disk. */
export interface EventPublisher {
  scores(messages: readonly ScoreMessage[]): Promise<void>;
  /** Tells who asked for an analysis that it has ended; a repetition changes nothing. */
  analysisEnded(message: AnalysisMessage): Promise<void>;
  /** Keeps an unreadable job for a person to look at. */
  deadLetter(chainId: number, data: Uint8Array, reason: string): Promise<void>;
}

export const createEventPublisher = (connection: NatsConnection): EventPublisher => {
  const publish = createPublish(connection);
  return {
    scores: async (messages) => {
      await Promise.all(
        messages.map((message) => {
          const { chainId, token, blockHash, analyzedAtMs } = message;
          const id = `score:${chainId}:${token}:${blockHash}:${analyzedAtMs}`;
          return publish(scoreSubject(chainId, token), message, id);
        }),
      );
    },
    analysisEnded: (message) => {
      const { family, jobId } = message.job;
      return publish(analysisSubject(family), message, `analysis:${jobId}`);
    },
    deadLetter: (chainId, data, reason) =>
      publish(`dlq.${analyzeSubject(chainId)}`, {
        reason,
        data: Buffer.from(data).toString('base64'),
      }),
  };
};
