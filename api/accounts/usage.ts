import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { readAccountHours, type UsagePoint } from './accountUsage.ts';

/** One request that was answered. */
export interface ServedRequest {
  readonly family: string;
  readonly keyId: string;
  /** Name of the operation, such as `getTokens`; never a path a client has written. */
  readonly operation: string;
  readonly status: number;
  /** Milliseconds it took. */
  readonly ms: number;
  /** Unix milliseconds of its end. */
  readonly atMs: number;
}

/** Requests of one key and operation within one hour, added up. */
interface HourOfRequests {
  readonly family: string;
  readonly keyId: string;
  readonly operation: string;
  /** Unix seconds of the hour's beginning. */
  readonly hourS: number;
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds of all requests together. */
  readonly ms: number;
  readonly lastAtMs: number;
}

/** How much key families use the API. */
export interface Usage {
  /** Notes a request; never waits and never throws. */
  record(request: ServedRequest): void;
  /** The hours of the family since `fromS` (Unix seconds) with any request, oldest first. */
  hours(family: string, fromS: number): Promise<UsagePoint[]>;
}

/** Adds sums of requests; the table adds up rows of the same hour. */
const saveRequests = (
  database: Pick<Clickhouse, 'insert'>,
  sums: readonly HourOfRequests[],
): Promise<void> =>
  database.insert(
    'api_requests',
    sums.map((sum) => ({
      family: sum.family,
      hour: sum.hourS,
      key_id: sum.keyId,
      operation: sum.operation,
      requests: sum.requests,
      errors: sum.errors,
      ms: sum.ms,
      last_at: sum.lastAtMs,
    })),
  );

const FLUSH_MS = 2_000;
/** Sums kept while the database is away; a sum is one key and operation in one hour. */
const SUMS_MAX = 50_000;
const HOUR_S = 3_600;
const ERROR_STATUS_MIN = 400;

/** A sum that requests are still added to. */
type GrowingSum = { -readonly [Name in keyof HourOfRequests]: HourOfRequests[Name] };

const addTo = (sum: GrowingSum, request: ServedRequest): void => {
  sum.requests += 1;
  if (request.status >= ERROR_STATUS_MIN) sum.errors += 1;
  sum.ms += request.ms;
  sum.lastAtMs = Math.max(sum.lastAtMs, request.atMs);
};

const merge = (a: HourOfRequests, b: HourOfRequests): GrowingSum => ({
  ...a,
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  ms: a.ms + b.ms,
  lastAtMs: Math.max(a.lastAtMs, b.lastAtMs),
});

/** Sums of requests that are not written yet. What does not fit is counted, not kept. */
const createSums = () => {
  let sums = new Map<string, GrowingSum>();
  let lost = 0;
  const keyOf = (sum: Pick<HourOfRequests, 'hourS' | 'keyId' | 'operation'>): string =>
    `${sum.hourS} ${sum.keyId} ${sum.operation}`;
  return {
    add: (request: ServedRequest): void => {
      const { family, keyId, operation, atMs } = request;
      const hourS = Math.floor(atMs / 1000 / HOUR_S) * HOUR_S;
      const key = keyOf({ hourS, keyId, operation });
      let sum = sums.get(key);
      if (!sum && sums.size >= SUMS_MAX) {
        lost += 1;
        return;
      }
      if (!sum) {
        sum = { family, keyId, operation, hourS, requests: 0, errors: 0, ms: 0, lastAtMs: 0 };
        sums.set(key, sum);
      }
      addTo(sum, request);
    },
    /** All sums; they begin again at nothing. */
    take: (): { batch: HourOfRequests[]; lost: number } => {
      const taken = { batch: [...sums.values()], lost };
      sums = new Map();
      lost = 0;
      return taken;
    },
    /** Sums that could not be written go back to the others. */
    putBack: (batch: readonly HourOfRequests[]): void => {
      for (const sum of batch) {
        const key = keyOf(sum);
        const since = sums.get(key);
        if (!since && sums.size >= SUMS_MAX) lost += sum.requests;
        else sums.set(key, since ? merge(sum, since) : { ...sum });
      }
    },
  };
};

/** Usage in ClickHouse, written in batches every two seconds and at the end. */
export const createUsage = (args: {
  database: Pick<Clickhouse, 'query' | 'insert'>;
  logger: Logger;
}): Usage & { close(): Promise<void> } => {
  const { database, logger } = args;
  const sums = createSums();
  const flush = async (): Promise<void> => {
    const { batch, lost } = sums.take();
    if (lost > 0) logger.error({ lost }, 'requests not counted: the database was away too long');
    try {
      await saveRequests(database, batch);
    } catch (error) {
      logger.warn(`usage not written yet: ${errorMessage(error)}`);
      sums.putBack(batch);
    }
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, FLUSH_MS);
  timer.unref();
  return {
    record: (request) => sums.add(request),
    hours: (family, fromS) => readAccountHours(database, [family], fromS),
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
};
