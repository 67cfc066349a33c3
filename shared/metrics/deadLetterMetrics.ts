import { Counter } from 'prom-client';
import type { DeadLetterMeter } from '../adapters/setAside.ts';
import type { MetricsRegistry } from './registry.ts';

/** Messages that this process set aside. */
export const createDeadLetterMetrics = (registry: MetricsRegistry): DeadLetterMeter => {
  const letters = new Counter({
    name: 'tsd_dead_letters_total',
    help: 'Messages set aside for a person to look at, by the first part of their subject.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return { setAside: (kind) => letters.inc({ kind }) };
};
