import type { AnalysisMessage } from '../../../shared/messages/jobMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { analysisSubject, scoreSubject, scoreSubjects } from '../../../shared/messages/subjects.ts';
import type { EventLog } from '../../../shared/platform/eventLog.ts';
import type { Publish } from '../../../shared/platform/publish.ts';

/** What the scorer sends to others. Resolves when the server has all of it on disk, rejects when none of it is under way. */
export interface EventPublisher {
  scores(messages: readonly ScoreMessage[]): Promise<void>;
  /** Ids of the verdicts of a chain that were published since a time, Unix milliseconds. */
  scoresSince(chainId: number, sinceMs: number): Promise<ReadonlySet<string>>;
  /** Reports the end of an analysis to who requested it; a repetition changes nothing. */
  analysisEnded(message: AnalysisMessage): Promise<void>;
}

/** The message id of a verdict: the same at every repetition. */
export const scoreMessageId = ({ chainId, token, blockHash, analyzedAtMs }: ScoreMessage): string =>
  `score:${chainId}:${token}:${blockHash}:${analyzedAtMs}`;

export const createEventPublisher = (
  publish: Publish,
  log: Pick<EventLog, 'replay'>,
): EventPublisher => ({
  scores: async (messages) => {
    const sent = await Promise.allSettled(
      messages.map((message) =>
        publish(scoreSubject(message.chainId, message.token), message, scoreMessageId(message)),
      ),
    );
    for (const one of sent) if (one.status === 'rejected') throw one.reason;
  },
  scoresSince: async (chainId, fromMs) => {
    const published = new Set<string>();
    const subjects = [scoreSubjects(chainId)];
    for await (const { messageId } of log.replay({ subjects, fromMs, upToSeq: Infinity })) {
      if (messageId !== undefined) published.add(messageId);
    }
    return published;
  },
  analysisEnded: (message) => {
    const { family, jobId } = message.job;
    return publish(analysisSubject(family), message, `analysis:${jobId}`);
  },
});
