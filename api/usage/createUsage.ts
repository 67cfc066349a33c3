import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { readUsageHours, saveRequests } from '../queries/usage.ts';
import type { HourOfRequests, ServedRequest, Usage } from './usage.ts';

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
    hours: (family, fromS) => readUsageHours(database, family, fromS),
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
};
