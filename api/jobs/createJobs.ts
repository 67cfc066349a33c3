import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { z } from 'zod';
import { onRedis } from '../../shared/adapters/redis.ts';
import {
  type AnalyzeJob,
  JOB_DEADLINE_MS,
  JOB_KEPT_S,
  type JobRecord,
  jobInFlightKey,
  jobKey,
  jobRecordSchema,
} from '../../shared/messages/jobMessage.ts';
import { ABANDON_JOB, EXPIRE_JOB, START_JOB } from './jobScripts.ts';
import { FORCE_COOLDOWN_MS, type Jobs, type StartedJob, VERDICT_FRESH_MS } from './jobs.ts';

const startReplySchema = z.tuple([z.string(), z.number()]);

const forcedKey = (family: string, chainId: number, token: string): string =>
  `job-forced:${family}:${chainId}:${token}`;

const parseRecord = (text: unknown): JobRecord => jobRecordSchema.parse(JSON.parse(String(text)));

/** What the jobs need of their surroundings. */
export interface JobsDependencies {
  readonly redis: Redis;
  /** Resolves when the stream has stored the job. */
  readonly publish: (job: AnalyzeJob) => Promise<void>;
  readonly chainId: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A job that was over before it began: the verdict in force is fresh. */
const saveCompleted = async (redis: Redis, record: JobRecord): Promise<void> => {
  const readers = `job-readers:${record.jobId}`;
  await onRedis(() =>
    redis
      .multi()
      .set(jobKey(record.jobId), JSON.stringify(record), 'EX', JOB_KEPT_S)
      .sadd(readers, record.family)
      .expire(readers, JOB_KEPT_S)
      .exec(),
  );
};

/** Begins the job, or joins one; a job that cannot be published never was. */
const beginOrJoin = async (
  { redis, publish }: JobsDependencies,
  record: JobRecord,
  force: boolean,
): Promise<StartedJob> => {
  const { jobId, family, chainId, token, createdAtMs } = record;
  const keys = [jobInFlightKey(chainId, token), forcedKey(family, chainId, token)] as const;
  const numbers = [createdAtMs, JOB_DEADLINE_MS, JOB_KEPT_S, FORCE_COOLDOWN_MS];
  const values = [JSON.stringify(record), jobId, family, force ? 1 : 0, ...numbers];
  const reply = await onRedis(() => redis.eval(START_JOB, 2, ...keys, ...values));
  const [text, isNew] = startReplySchema.parse(reply);
  if (isNew === 0) return { record: parseRecord(text), isNew: false };
  try {
    await publish({ v: 1, jobId, chainId, token, deadlineMs: createdAtMs + JOB_DEADLINE_MS });
  } catch (error) {
    await onRedis(() => redis.eval(ABANDON_JOB, 2, ...keys, jobId));
    throw error;
  }
  return { record, isNew: true };
};

/** Jobs in Redis, worked on by whoever reads the stream. Calls reject with RetryableError. */
export const createJobs = (dependencies: JobsDependencies): Jobs => {
  const { redis, chainId, now } = dependencies;
  return {
    start: async ({ family, token, force, analyzedAtMs }) => {
      const createdAtMs = now();
      const opened = { jobId: `job_${ulid(createdAtMs)}`, family, chainId, token, createdAtMs };
      const isFresh = analyzedAtMs !== undefined && createdAtMs - analyzedAtMs < VERDICT_FRESH_MS;
      if (!isFresh || force) {
        return beginOrJoin(dependencies, { ...opened, status: 'analyzing' }, force);
      }
      const record = { ...opened, status: 'completed', endedAtMs: createdAtMs } as const;
      await saveCompleted(redis, record);
      return { record, isNew: false };
    },

    find: async (family, jobId) => {
      const [text, isReader] = await onRedis(() =>
        Promise.all([redis.get(jobKey(jobId)), redis.sismember(`job-readers:${jobId}`, family)]),
      );
      if (text === null) return undefined;
      const record = parseRecord(text);
      if (record.family !== family && isReader === 0) return undefined;
      const endedAtMs = now();
      if (record.status !== 'analyzing' || endedAtMs < record.createdAtMs + JOB_DEADLINE_MS) {
        return record;
      }
      const ended = JSON.stringify({ ...record, status: 'failed', error: 'timeout', endedAtMs });
      const kept = await onRedis(() => redis.eval(EXPIRE_JOB, 1, jobKey(jobId), ended, JOB_KEPT_S));
      return kept === null ? undefined : parseRecord(kept);
    },
  };
};
