import type { Publish } from '../../shared/adapters/publish.ts';
import type { AnalysisMessage } from '../../shared/messages/analysisMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import { analysisSubject, scoreSubject } from '../../shared/messages/subjects.ts';

/** What the scorer sends to others. Resolves when the server has it on disk. */
export interface EventPublisher {
  scores(messages: readonly ScoreMessage[]): Promise<void>;
  /** Tells who asked for an analysis that it has ended; a repetition changes nothing. */
  analysisEnded(message: AnalysisMessage): Promise<void>;
}

export const createEventPublisher = (publish: Publish): EventPublisher => ({
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
});
