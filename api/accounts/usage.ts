import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { readAccountHours, type UsagePoint } from './accountUsage.ts';

/** One answered request. */
export interface ServedRequest {
  readonly family: string;
  readonly keyId: string;
  /** Name of the operation, such as `getTokens`; never a path that a client wrote. */
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
  /** Total milliseconds of all requests. */
  readonly ms: number;
  readonly lastAtMs: number;
}

/** How much key families use the API. */
export interface Usage {
  /** Records a request; never waits and never throws. */
  record(request: ServedRequest): void;
  /** Hours since `fromS` (Unix seconds) in which the family made requests, oldest first. */
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
/** Sums kept while the database is unavailable; a sum is one key and operation in one hour. */
const SUMS_MAX = 50_000;
const HOUR_S = 3_600;
const ERROR_STATUS_MIN = 400;

/** One request in the form of a sum. */
const sumOf = ({ family, keyId, operation, status, ms, atMs }: ServedRequest): HourOfRequests => ({
  family,
  keyId,
  operation,
  hourS: Math.floor(atMs / 1000 / HOUR_S) * HOUR_S,
  requests: 1,
  errors: status >= ERROR_STATUS_MIN ? 1 : 0,
  ms,
  lastAtMs: atMs,
});

/** Sums of requests that are not yet written. Those beyond the limit are counted and dropped. */
const createSums = () => {
  let sums = new Map<string, HourOfRequests>();
  let lost = 0;
  return {
    add: (sum: HourOfRequests): void => {
      const key = `${sum.hourS} ${sum.keyId} ${sum.operation}`;
      const before = sums.get(key);
      if (!before && sums.size >= SUMS_MAX) {
        lost += sum.requests;
        return;
      }
      sums.set(key, {
        ...sum,
        requests: sum.requests + (before?.requests ?? 0),
        errors: sum.errors + (before?.errors ?? 0),
        ms: sum.ms + (before?.ms ?? 0),
        lastAtMs: Math.max(sum.lastAtMs, before?.lastAtMs ?? 0),
      });
    },
    /** Returns all sums and resets them. */
    take: (): { batch: HourOfRequests[]; lost: number } => {
      const taken = { batch: [...sums.values()], lost };
      sums = new Map();
      lost = 0;
      return taken;
    },
  };
};

/** Usage in ClickHouse, written in batches every two seconds and at shutdown. */
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
      batch.forEach(sums.add);
    }
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, FLUSH_MS);
  timer.unref();
  return {
    record: (request) => sums.add(sumOf(request)),
    hours: (family, fromS) => readAccountHours(database, [family], fromS),
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
};
