import { randomUUID } from 'node:crypto';
import { headers, type MsgHdrs, type NatsConnection } from 'nats';
import pLimit from 'p-limit';
import { scorerJudgeSubject, scorerPresenceSubject } from '../../shared/messages/subjects.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import {
  decodeJudgedGroup,
  encodeJudgedGroup,
  judgeRequestSchema,
  presenceSchema,
} from './judgedGroup.ts';
import type { JudgeHelper } from './sharedJudge.ts';
import type { TokenJudge } from './tokenScorer.ts';

const PRESENT_EVERY_MS = 1_000;
/** A scorer that was not heard of for this long is gone, and with it the work it was given. */
const SILENT_MS_MAX = 3_500;
/** Longest wait for the verdicts of one part. */
const JUDGING_MS_MAX = 30_000;
const CHECK_EVERY_MS = 250;
/** Header of an answer that is an error. */
const ERROR_HEADER = 'Error';

export interface HelpParts {
  readonly connection: NatsConnection;
  readonly chainId: number;
  /** Models and settings that verdicts depend on: only those of the same help one another. */
  readonly release: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** This process among the scorers of its chain. */
export interface JudgeHelpers {
  /** Other scorers that are there now. */
  others(): JudgeHelper[];
  /** Judges for others until `signal` aborts. */
  serve(createJudge: (isLive: () => boolean) => TokenJudge, signal: AbortSignal): Promise<void>;
}

/** Finds the other scorers of a chain, and lets them find this one. Begins to listen at once. */
export const createJudgeHelpers = (parts: HelpParts): JudgeHelpers => {
  const { connection, chainId, release, clock } = parts;
  const own = randomUUID();
  const seenMs = new Map<string, number>();
  connection.subscribe(scorerPresenceSubject(chainId), {
    callback: (error, message) => {
      if (error) return;
      const present = presenceSchema.safeParse(message.json());
      if (!present.success || present.data.id === own || present.data.release !== release) return;
      seenMs.set(present.data.id, clock.now());
    },
  });
  const isThere = (id: string): boolean => clock.now() - (seenMs.get(id) ?? 0) < SILENT_MS_MAX;
  return {
    others: () => {
      for (const id of seenMs.keys()) if (!isThere(id)) seenMs.delete(id);
      return [...seenMs.keys()].map((id) => ({
        id,
        judge: (part) => ask(parts, id, JSON.stringify(part), () => isThere(id)),
      }));
    },
    serve: (createJudge, signal) => serve(parts, own, createJudge, signal),
  };
};

/** Asks for verdicts; gives up as soon as the other is gone. @throws RetryableError */
const ask = async (
  { connection, chainId, clock }: HelpParts,
  id: string,
  text: string,
  isThere: () => boolean,
): ReturnType<JudgeHelper['judge']> => {
  const answered = new AbortController();
  const gone = async (): Promise<never> => {
    while (isThere()) {
      await clock.sleep(CHECK_EVERY_MS, answered.signal);
      // The answer won the race: nobody looks at this one.
      if (answered.signal.aborted) break;
    }
    throw new RetryableError(`scorer ${id} is gone`);
  };
  try {
    const options = { timeout: JUDGING_MS_MAX };
    const request = connection.request(scorerJudgeSubject(chainId, id), text, options);
    const answer = await Promise.race([request, gone()]);
    const problem = answer.headers?.get(ERROR_HEADER);
    if (problem) throw new RetryableError(problem);
    return decodeJudgedGroup(answer.string());
  } catch (error) {
    throw new RetryableError(`not judged by ${id}: ${errorMessage(error)}`, { cause: error });
  } finally {
    answered.abort();
  }
};

const serve = async (
  { connection, chainId, release, clock, logger }: HelpParts,
  id: string,
  createJudge: (isLive: () => boolean) => TokenJudge,
  signal: AbortSignal,
): Promise<void> => {
  let isLive = false;
  const judge = createJudge(() => isLive);
  const oneAtATime = pLimit(1);
  const answer = async (text: string): Promise<string> => {
    const request = judgeRequestSchema.parse(JSON.parse(text));
    isLive = request.isLive;
    return encodeJudgedGroup(await judge(chainId, request.requests, request.stored));
  };
  const subscription = connection.subscribe(scorerJudgeSubject(chainId, id), {
    callback: (error, message) => {
      if (error) return;
      void oneAtATime(async () => {
        try {
          message.respond(await answer(message.string()));
        } catch (problem) {
          logger.warn({ err: problem }, 'could not judge for another scorer');
          message.respond('', { headers: errorHeaders(problem) });
        }
      });
    },
  });
  const presence = JSON.stringify({ id, release });
  while (!signal.aborted) {
    connection.publish(scorerPresenceSubject(chainId), presence);
    await clock.sleep(PRESENT_EVERY_MS, signal);
  }
  subscription.unsubscribe();
};

const errorHeaders = (error: unknown): MsgHdrs => {
  const made = headers();
  // A line break would end the header.
  made.set(ERROR_HEADER, errorMessage(error).replaceAll(/\s+/g, ' '));
  return made;
};
