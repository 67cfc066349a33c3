import type { NatsConnection } from 'nats';
import { scorerRequestSubject } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Activity } from './activityStore.ts';
import { activitySchema } from './judgedGroup.ts';

/** Longest wait for a verdict that a client asked for. */
const SCORING_MS_MAX = 20_000;
/** A scorer that takes over needs this long at the most, after that the chain has none. */
const LEADER_MS_MAX = 15_000;
const RETRY_MS = 250;
const NO_RESPONDERS = '503';
const DONE = 'done';

const activitiesSchema = activitySchema.array();

/**
 * Has tokens scored by the scorer that leads their chain, which may be this process.
 * @throws RetryableError where none does, or it does not succeed.
 */
export const createScoreRequest =
  (connection: NatsConnection, chainId: number, clock: Clock) =>
  async (activities: readonly Activity[]): Promise<void> => {
    const subject = scorerRequestSubject(chainId);
    const text = JSON.stringify(activities);
    const giveUpMs = clock.now() + LEADER_MS_MAX;
    for (;;) {
      try {
        const answer = await connection.request(subject, text, { timeout: SCORING_MS_MAX });
        if (answer.string() === DONE) return;
        throw new RetryableError(`not scored: ${answer.string()}`);
      } catch (error) {
        const isAlone = (error as { code?: string }).code === NO_RESPONDERS;
        if (!isAlone || clock.now() > giveUpMs) {
          throw new RetryableError(errorMessage(error), { cause: error });
        }
        await clock.sleep(RETRY_MS);
      }
    }
  };

/** Answers such requests until `signal` aborts. */
export const answerScoreRequests = async (
  parts: {
    readonly connection: NatsConnection;
    readonly chainId: number;
    readonly score: (activities: readonly Activity[]) => Promise<void>;
    readonly logger: Logger;
  },
  signal: AbortSignal,
): Promise<void> => {
  const { connection, chainId, score, logger } = parts;
  const subscription = connection.subscribe(scorerRequestSubject(chainId), {
    callback: (error, message) => {
      if (error) return;
      const answer = async (): Promise<string> => {
        try {
          await score(activitiesSchema.parse(message.json()));
          return DONE;
        } catch (problem) {
          logger.warn({ err: problem }, 'a requested verdict was not made');
          return errorMessage(problem);
        }
      };
      void answer().then((text) => message.respond(text));
    },
  });
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  subscription.unsubscribe();
};
