import { Counter } from 'prom-client';
import type { DeadLetterMeter } from '../publish.ts';
import type { MetricsRegistry } from './registry.ts';

/** First parts of subjects. Initialised to zero, else the first letter of a kind would not show as an increase. */
const KINDS = ['alert', 'analysis', 'cluster', 'jobs', 'score'] as const;

/** Counts the dead letters of this process. */
export const createDeadLetterMetrics = (registry: MetricsRegistry): DeadLetterMeter => {
  const letters = new Counter({
    name: 'tsd_dead_letters_total',
    help: 'Messages that became dead letters, by the first part of their subject.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of KINDS) letters.inc({ kind }, 0);
  return { count: (kind) => letters.inc({ kind }) };
};
