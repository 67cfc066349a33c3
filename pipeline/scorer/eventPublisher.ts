import type { NatsConnection } from 'nats';
import { JETSTREAM_TIMEOUT_MS } from '../../shared/adapters/nats.ts';
import type { AnalysisMessage } from '../../shared/messages/analysisMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import { analysisSubject, analyzeSubject, scoreSubject } from '../../shared/messages/subjects.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';

/** What the scorer sends to others. Resolves when the server has it on disk. */
export interface EventPublisher {
  scores(messages: readonly ScoreMessage[]): Promise<void>;
  /** Tells who asked for an analysis that it has ended; a repetition changes nothing. */
  analysisEnded(message: AnalysisMessage): Promise<void>;
  /** Keeps an unreadable job for a person to look at. */
  deadLetter(chainId: number, data: Uint8Array, reason: string): Promise<void>;
}

export const createEventPublisher = (connection: NatsConnection): EventPublisher => {
  const js = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  const send = async (subject: string, data: Uint8Array | string, msgID?: string) => {
    try {
      await js.publish(subject, data, msgID === undefined ? {} : { msgID });
    } catch (error) {
      throw new RetryableError(`JetStream: ${errorMessage(error)}`, { cause: error });
    }
  };
  return {
    scores: async (messages) => {
      await Promise.all(
        messages.map((message) => {
          const { chainId, token, blockHash, analyzedAtMs } = message;
          const id = `score:${chainId}:${token}:${blockHash}:${analyzedAtMs}`;
          return send(scoreSubject(chainId, token), JSON.stringify(message), id);
        }),
      );
    },
    analysisEnded: (message) =>
      send(
        analysisSubject(message.job.family),
        JSON.stringify(message),
        `analysis:${message.job.jobId}`,
      ),
    deadLetter: (chainId, data, reason) =>
      send(
        `dlq.${analyzeSubject(chainId)}`,
        JSON.stringify({ reason, data: Buffer.from(data).toString('base64') }),
      ),
  };
};
