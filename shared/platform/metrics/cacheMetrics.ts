import { Counter } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

/** Counts what one cache was asked. */
export interface CacheMeter {
  hit(): void;
  miss(): void;
  /** Several at once. @param missed how many of those asked for it did not know */
  asked(count: number, missed: number): void;
}

/** A meter for each cache by its name; names are those of the code. */
export type CacheMeters = (cache: string) => CacheMeter;

export const createCacheMetrics = (registry: MetricsRegistry): CacheMeters => {
  const requests = new Counter({
    name: 'tsd_cache_requests_total',
    help: 'Look-ups in a cache, by whether it knew.',
    labelNames: ['cache', 'result'],
    registers: [registry],
  });
  return (cache) => {
    const hits = requests.labels({ cache, result: 'hit' });
    const misses = requests.labels({ cache, result: 'miss' });
    return {
      hit: () => hits.inc(),
      miss: () => misses.inc(),
      asked: (count, missed) => {
        hits.inc(count - missed);
        misses.inc(missed);
      },
    };
  };
};
