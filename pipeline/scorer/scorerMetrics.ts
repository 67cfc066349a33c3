import { Counter, Gauge, Histogram } from 'prom-client';
import { LATENCY_SECONDS, type MetricsRegistry } from '../../shared/platform/metrics.ts';
import type { PublishOutcome } from './verdict/verdictOutbox.ts';
import type { StoredVerdict } from './verdict/verdictStore.ts';

/** Where the numbers of verdicts and jobs go. */
export interface ScorerMeter {
  /** @param isLive whether the facts reach the head, so that the time since the block says something */
  stored(verdicts: readonly StoredVerdict[], nowMs: number, isLive: boolean): void;
  published(outcome: PublishOutcome, verdicts: number): void;
  /** How many tokens wait for a verdict. */
  waiting(tokens: number): void;
  /** @param error as jobs show it: a word, then perhaps details; undefined for a verdict */
  jobEnded(error: string | undefined): void;
}

/** Verdicts that a block made due; those of horizons and requests have a time of their own. */
const BY_BLOCK: ReadonlySet<string> = new Set(['birth', 'event']);

export const createScorerMetrics = (registry: MetricsRegistry): ScorerMeter => {
  const registers = [registry];
  const verdicts = new Counter({
    name: 'tsd_verdicts_total',
    help: 'Verdicts stored, by prediction and what made them due.',
    labelNames: ['prediction', 'trigger'],
    registers,
  });
  const published = new Counter({
    name: 'tsd_verdicts_published_total',
    help: 'Verdicts in force: published, published_late (after a crash or an outage), past (too old to be published).',
    labelNames: ['outcome'],
    registers,
  });
  const latency = new Histogram({
    name: 'tsd_verdict_latency_seconds',
    help: 'From the time of the block to the verdict being stored, at the head of the chain.',
    buckets: LATENCY_SECONDS,
    registers,
  });
  const waiting = new Gauge({
    name: 'tsd_scoring_queue_tokens',
    help: 'Tokens that wait for a verdict in memory; of those left over from an earlier run 10,000 at a time.',
    registers,
  });
  const jobs = new Counter({
    name: 'tsd_jobs_total',
    help: 'Analyses asked for by clients, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    stored: (made, nowMs, isLive) => {
      for (const { verdict, asOfS } of made) {
        const { trigger = 'unknown' } = verdict.doc.provenance;
        verdicts.inc({ prediction: verdict.prediction, trigger });
        if (isLive && BY_BLOCK.has(trigger)) latency.observe(Math.max(0, nowMs / 1_000 - asOfS));
      }
    },
    waiting: (tokens) => waiting.set(tokens),
    published: (outcome, made) => published.inc({ outcome }, made),
    jobEnded: (error) => jobs.inc({ outcome: error?.split(':')[0] ?? 'completed' }),
  };
};
