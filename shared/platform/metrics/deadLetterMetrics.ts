import { Counter } from 'prom-client';
import type { DeadLetterMeter } from '../publish.ts';
import type { MetricsRegistry } from './registry.ts';

/** First parts of subjects. Counted from zero on, else the first letter of a kind would be no increase. */
const KINDS = ['alert', 'analysis', 'cluster', 'jobs', 'score'] as const;

/** Messages that this process set aside. */
export const createDeadLetterMetrics = (registry: MetricsRegistry): DeadLetterMeter => {
  const letters = new Counter({
    name: 'tsd_dead_letters_total',
    help: 'Messages set aside for a person to look at, by the first part of their subject.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of KINDS) letters.inc({ kind }, 0);
  return { setAside: (kind) => letters.inc({ kind }) };
};
