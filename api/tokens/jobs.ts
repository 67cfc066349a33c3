import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import {
  type AnalyzeJob,
  JOB_DEADLINE_MS,
  JOB_KEPT_S,
  type JobRecord,
  jobInFlightKey,
  jobKey,
  jobRecordSchema,
} from '../../shared/messages/jobMessage.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { execute, onRedis } from '../../shared/platform/redis.ts';

/** Seconds an analysis is expected to take. */
const ANALYSIS_S_EXPECTED = 5;
/** A verdict younger than this is served instead of starting a new analysis. */
export const VERDICT_FRESH_MS = 15 * 60_000;
/** Time within which a key family can force one analysis per token. */
export const FORCE_COOLDOWN_MS = 5 * 60_000;

interface AnalysisRequest {
  readonly family: string;
  readonly token: Hex;
  /** Analyse again even if the current verdict is fresh. */
  readonly force: boolean;
  /** Unix milliseconds of the current verdict, if there is one. */
  readonly analyzedAtMs?: number | undefined;
}

/** The job that answers a request, and whether this request started it. */
interface StartedJob {
  readonly record: JobRecord;
  readonly isNew: boolean;
}

/** Whole seconds that a job is expected to take from now. */
export const estimatedTimeS = (record: JobRecord, nowMs: number): number =>
  record.status === 'analyzing'
    ? Math.max(1, Math.ceil(ANALYSIS_S_EXPECTED - Math.max(0, nowMs - record.createdAtMs) / 1000))
    : 0;

/**
 * Joins the job in progress, else the family's last forced one, else writes the new record. It is one atomic step, so
 * that two requests never start two analyses of one token. The family may then read the job. KEYS: in flight, forced;
 * ARGV: record, job id, family, force 0|1, now, deadline ms, kept s, cooldown ms.
 */
const START_JOB = `
local function joinable(id, running)
  if not id then return nil end
  local text = redis.call('GET', 'job:' .. id)
  if not text then return nil end
  local record = cjson.decode(text)
  if running and (record.status ~= 'analyzing' or record.createdAtMs + tonumber(ARGV[6]) <= tonumber(ARGV[5])) then
    return nil
  end
  redis.call('SADD', 'job-readers:' .. id, ARGV[3])
  redis.call('EXPIRE', 'job-readers:' .. id, ARGV[7])
  return text
end
local text = joinable(redis.call('GET', KEYS[1]), true)
if not text and ARGV[4] == '1' then text = joinable(redis.call('GET', KEYS[2]), false) end
if text then return {text, 0} end
redis.call('SET', 'job:' .. ARGV[2], ARGV[1], 'EX', ARGV[7])
redis.call('SADD', 'job-readers:' .. ARGV[2], ARGV[3])
redis.call('EXPIRE', 'job-readers:' .. ARGV[2], ARGV[7])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[6])
if ARGV[4] == '1' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[8]) end
return {ARGV[1], 1}
`;

/** Removes a job that will never run. KEYS as in START_JOB; ARGV: job id. */
const ABANDON_JOB = `
redis.call('DEL', 'job:' .. ARGV[1], 'job-readers:' .. ARGV[1])
for i = 1, 2 do
  if redis.call('GET', KEYS[i]) == ARGV[1] then redis.call('DEL', KEYS[i]) end
end
return 1
`;

/** Ends a job that is still open. KEYS[1] its record; ARGV: the ended record, seconds to keep it. */
const EXPIRE_JOB = `
local text = redis.call('GET', KEYS[1])
if text and cjson.decode(text).status == 'analyzing' then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return ARGV[1]
end
return text
`;

const startReplySchema = z.tuple([z.string(), z.number()]);

const forcedKey = (family: string, chainId: number, token: string): string =>
  `job-forced:${family}:${chainId}:${token}`;

const parseRecord = (text: unknown): JobRecord => jobRecordSchema.parse(JSON.parse(String(text)));

/** Dependencies of jobs. */
interface JobsDependencies {
  readonly redis: Redis;
  /** Resolves when the stream has stored the job. */
  readonly publish: (job: AnalyzeJob) => Promise<void>;
  readonly chainId: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A job that is completed at once because the current verdict is fresh. */
const saveCompleted = (redis: Redis, record: JobRecord): Promise<void> => {
  const readers = `job-readers:${record.jobId}`;
  return execute(
    redis
      .multi()
      .set(jobKey(record.jobId), JSON.stringify(record), 'EX', JOB_KEPT_S)
      .sadd(readers, record.family)
      .expire(readers, JOB_KEPT_S),
  );
};

/** Starts the job or joins one; a job that cannot be published is removed. */
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

/** Jobs in Redis, executed by the readers of the stream. Calls reject with RetryableError. */
export const createJobs = (dependencies: JobsDependencies) => {
  const { redis, chainId, now } = dependencies;
  return {
    start: async ({ family, token, force, analyzedAtMs }: AnalysisRequest): Promise<StartedJob> => {
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

    /** The job, if this family started or joined it. A job past its deadline counts as failed. */
    find: async (family: string, jobId: string): Promise<JobRecord | undefined> => {
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
/** Analyses, started and read by key families. */
export type Jobs = ReturnType<typeof createJobs>;

/** Seconds that a request may be held until an analysis ends. */
export const WAIT_S_MAX = 25;
/** Requests that may wait at the same time; further ones are answered at once. */
const WAITERS_MAX = 200;
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 500;

/** How long to wait, and for whom. */
interface Wait {
  readonly family: string;
  readonly waitS: number;
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
}

/** Resolves with the current jobs when all have ended, the time is over or the client has disconnected. */
export type WaitForJobs = (first: readonly JobRecord[], wait: Wait) => Promise<JobRecord[]>;

/** @param args.clock measures the wait. */
export const createWaitForJobs = (args: {
  jobs: Pick<Jobs, 'find'>;
  clock: Clock;
}): WaitForJobs => {
  const { jobs, clock } = args;
  let waiters = 0;
  const lookAgain = async (family: string, record: JobRecord): Promise<JobRecord> =>
    record.status === 'analyzing' ? ((await jobs.find(family, record.jobId)) ?? record) : record;
  return async (first, { family, waitS, signal }) => {
    const endMs = clock.now() + waitS * 1000;
    let records = [...first];
    let lookMs = LOOK_MS_MIN;
    if (waiters >= WAITERS_MAX) return records;
    waiters += 1;
    try {
      while (
        records.some(({ status }) => status === 'analyzing') &&
        clock.now() < endMs &&
        !signal.aborted
      ) {
        await clock.sleep(Math.min(lookMs, endMs - clock.now()), signal);
        lookMs = Math.min(lookMs * 2, LOOK_MS_MAX);
        records = await Promise.all(records.map((record) => lookAgain(family, record)));
      }
    } finally {
      waiters -= 1;
    }
    return records;
  };
};
