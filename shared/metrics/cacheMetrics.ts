import { Counter } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

/** Counts what one cache was asked. */
export interface CacheMeter {
  hit(count?: number): void;
  miss(count?: number): void;
}

/** A meter for each cache by its name; names are those of the code. */
export const createCacheMetrics = (registry: MetricsRegistry): ((cache: string) => CacheMeter) => {
  const requests = new Counter({
    name: 'tsd_cache_requests_total',
    help: 'Look-ups in a cache, by whether it knew.',
    labelNames: ['cache', 'result'],
    registers: [registry],
  });
  return (cache) => {
    const hits = requests.labels({ cache, result: 'hit' });
    const misses = requests.labels({ cache, result: 'miss' });
    return { hit: (count = 1) => hits.inc(count), miss: (count = 1) => misses.inc(count) };
  };
};
