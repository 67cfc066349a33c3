import { Gauge } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

/** Work that one copy of a role does at a time, until its signal aborts. */
type Leading = (signal: AbortSignal) => Promise<void>;

/** The same work, with a metric that is 1 while this copy does it. */
export const exportLeadership = (registry: MetricsRegistry, work: Leading): Leading => {
  const leading = new Gauge({
    name: 'tsd_leading',
    help: 'Whether this copy does the part of its role that one copy does at a time (1), or waits to (0).',
    registers: [registry],
  });
  return async (signal) => {
    leading.set(1);
    try {
      await work(signal);
    } finally {
      leading.set(0);
    }
  };
};
