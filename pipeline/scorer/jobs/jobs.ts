import type { Redis } from 'ioredis';
import type { JsMsg, NatsConnection } from 'nats';
import {
  type AnalysisMessage,
  type AnalyzeJob,
  analysisMessageSchema,
  analyzeJobSchema,
  JOB_KEPT_S,
  jobInFlightKey,
  jobKey,
  type TokenNames,
} from '../../../shared/messages/jobMessage.ts';
import {
  analysisSubject,
  analyzeConsumer,
  JOBS_STREAM,
} from '../../../shared/messages/subjects.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import {
  errorMessage,
  PoisonMessageError,
  RetryableError,
} from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { JETSTREAM_TIMEOUT_MS, JOB_DELIVERIES_MAX } from '../../../shared/platform/nats.ts';
import {
  messageIdOf,
  type Publish,
  type PublishDeadLetter,
} from '../../../shared/platform/publish.ts';
import { onRedis } from '../../../shared/platform/redis.ts';
import { untilAborted } from '../../../shared/platform/untilAborted.ts';

/** Why a job ended without a verdict, as shown by the API. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** How a job ended: `error` where it has no verdict. */
export interface JobEnd {
  readonly error?: string;
  readonly called?: TokenNames | undefined;
}

interface JobsPorts {
  readonly connection: NatsConnection;
  readonly chainId: number;
  /** Computes the verdict and resolves to the token's names. Throws JobFailure if there can be none. */
  readonly analyze: (job: AnalyzeJob) => Promise<TokenNames | undefined>;
  /** Writes the end of the job where the API reads it. */
  readonly finish: (job: AnalyzeJob, end: JobEnd) => Promise<void>;
  readonly deadLetter: PublishDeadLetter;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FETCH_EXPIRES_MS = 5_000;
const REOPEN_DELAY_MS = 500;
const HEARTBEAT_MS = 10_000;
const RETRY_DELAY_MS = 1_000;

const parseJob = (message: JsMsg): AnalyzeJob => {
  try {
    return analyzeJobSchema.parse(message.json());
  } catch (error) {
    throw new PoisonMessageError(`job cannot be read: ${errorMessage(error)}`, { cause: error });
  }
};

/** The result of a job when retrying is pointless. */
const finalError = (error: unknown, deliveries: number): string | undefined => {
  if (error instanceof JobFailure) return error.message;
  if (!(error instanceof RetryableError)) return 'internal';
  return deliveries >= JOB_DELIVERIES_MAX ? `node_unavailable: ${error.message}` : undefined;
};

const handle = async (ports: JobsPorts, message: JsMsg): Promise<void> => {
  const { analyze, finish, deadLetter, clock, logger } = ports;
  const heartbeat = setInterval(() => message.working(), HEARTBEAT_MS);
  try {
    const job = parseJob(message);
    try {
      if (clock.now() > job.deadlineMs) throw new JobFailure('timeout');
      const called = await analyze(job);
      await finish(job, { called });
    } catch (error) {
      const reason = finalError(error, message.info.deliveryCount);
      if (reason === undefined) throw error;
      if (reason === 'internal')
        logger.error({ err: error, jobId: job.jobId }, 'job failed by a bug');
      await finish(job, { error: reason });
    }
    message.ack();
  } catch (error) {
    if (!(error instanceof PoisonMessageError)) {
      logger.warn({ err: error }, 'job will be tried again');
      message.nak(RETRY_DELAY_MS);
      return;
    }
    logger.error({ err: error }, 'job message became a dead letter');
    const { subject, data, seq } = message;
    await deadLetter({ subject, data, messageId: messageIdOf(message), seq }, error.message);
    message.term();
  } finally {
    clearInterval(heartbeat);
  }
};

/** Answers analysis requests of one chain until `signal` aborts. */
export const runJobs = async (ports: JobsPorts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, clock, logger } = ports;
  while (!signal.aborted) {
    try {
      const js = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
      const consumer = await js.consumers.get(JOBS_STREAM, analyzeConsumer(chainId));
      while (!signal.aborted) {
        const messages = await consumer.fetch({ max_messages: 1, expires: FETCH_EXPIRES_MS });
        for await (const message of untilAborted(messages, signal)) await handle(ports, message);
      }
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, `jobs are away: ${errorMessage(error)}`);
      await clock.sleep(REOPEN_DELAY_MS, signal);
    }
  }
};

/** Reports the end of an analysis to the requesting families; idempotent. */
export const publishAnalysis = (publish: Publish, message: AnalysisMessage): Promise<void> => {
  const { family, jobId } = message.job;
  return publish(analysisSubject(family), message, `analysis:${jobId}`);
};

/**
 * Ends a running job and lets the next request for its token start a new one. An ended job stays unchanged, and so
 * does a token's newer job.
 */
const FINISH_SCRIPT = `
local text = redis.call('GET', KEYS[1])
if text then
  local record = cjson.decode(text)
  if record.status == 'analyzing' then
    record.status = ARGV[2]
    record.endedAtMs = tonumber(ARGV[4])
    if ARGV[3] ~= '' then record.error = ARGV[3] end
    text = cjson.encode(record)
    redis.call('SET', KEYS[1], text, 'EX', ARGV[5])
  end
end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return text`;

export const createJobResults = (redis: Redis) => ({
  /** Resolves to the ended job, undefined if it has expired. */
  finish: (
    job: AnalyzeJob,
    { error, called }: JobEnd,
    nowMs: number,
  ): Promise<AnalysisMessage | undefined> =>
    onRedis(async () => {
      const text = await redis.eval(
        FINISH_SCRIPT,
        2,
        jobKey(job.jobId),
        jobInFlightKey(job.chainId, job.token),
        job.jobId,
        error === undefined ? 'completed' : 'failed',
        error ?? '',
        nowMs,
        JOB_KEPT_S,
      );
      if (typeof text !== 'string') return undefined;
      return analysisMessageSchema.parse({ v: 1, job: JSON.parse(text), called });
    }),
});
/** Writes the results of jobs where the API reads them. */
export type JobResults = ReturnType<typeof createJobResults>;
