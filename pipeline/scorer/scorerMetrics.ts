import { Counter, Gauge, Histogram } from 'prom-client';
import { LATENCY_SECONDS, type MetricsRegistry } from '../../shared/platform/metrics.ts';
import type { LearningReport } from './learning/learner.ts';
import type { PublishOutcome } from './verdict/verdictOutbox.ts';
import type { StoredVerdict } from './verdict/verdictStore.ts';

/** Verdicts that a block made due; those of horizons and requests have a time of their own. */
const BY_BLOCK: ReadonlySet<string> = new Set(['birth', 'event']);

export const createScorerMetrics = (registry: MetricsRegistry) => {
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
    help: 'Seconds from the time of the block until the verdict is stored, at the head of the chain.',
    buckets: LATENCY_SECONDS,
    registers,
  });
  const notSimulated = new Counter({
    name: 'tsd_simulations_limited_total',
    help: "Tokens whose trades, or whose holders' sales, were not simulated because SIMULATIONS_PER_MINUTE_MAX was reached.",
    registers,
  });
  const waiting = new Gauge({
    name: 'tsd_scoring_queue_tokens',
    help: 'Tokens in memory that wait for a verdict; the backlog of an earlier run is loaded 10,000 at a time.',
    registers,
  });
  const jobs = new Counter({
    name: 'tsd_jobs_total',
    help: 'Analyses requested by clients, by result.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    /** @param isLive whether the facts reach the head, so that the time since the block is meaningful */
    stored: (made: readonly StoredVerdict[], nowMs: number, isLive: boolean): void => {
      for (const { verdict, asOfS } of made) {
        const { trigger = 'unknown' } = verdict.doc.provenance;
        verdicts.inc({ prediction: verdict.prediction, trigger });
        if (isLive && BY_BLOCK.has(trigger)) latency.observe(Math.max(0, nowMs / 1_000 - asOfS));
      }
    },
    /**
     * Tokens whose trades, or whose holders' sales, were not simulated because of `SIMULATIONS_PER_MINUTE_MAX`.
     */
    notSimulated: (tokens: number): void => notSimulated.inc(tokens),
    /** How many tokens wait for a verdict. */
    waiting: (tokens: number): void => waiting.set(tokens),
    published: (outcome: PublishOutcome, made: number): void => published.inc({ outcome }, made),
    /** @param error as in jobs: a word, then optional details; undefined for a verdict */
    jobEnded: (error: string | undefined): void =>
      jobs.inc({ outcome: error?.split(':')[0] ?? 'completed' }),
  };
};
/** Records metrics of verdicts and jobs. */
export type ScorerMeter = ReturnType<typeof createScorerMetrics>;

/** Reports drift and comparisons of a chain's models as metrics, and removes values that are no longer known. */
export const createLearningMetrics = (
  registry: MetricsRegistry,
): ((report: LearningReport) => void) => {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const inForce = gauge('tsd_model_info', '1: the model of the market in force.', [
    'model',
    'sha256',
  ]);
  const stability = gauge(
    'tsd_model_feature_stability_index',
    'Population stability index of a feature: tokens of the last 7 days, an hour old, against the training data.',
    ['feature'],
  );
  const error = gauge(
    'tsd_model_calibration_error',
    'Mean gap between predicted and observed share of rugs over five bins, for the last 7 days with known outcomes.',
  );
  const chiSquare = gauge(
    'tsd_model_calibration_chi_square',
    'Chi-square statistic of these gaps, with five degrees of freedom if the probabilities are right.',
  );
  const outcomes = gauge(
    'tsd_model_outcomes',
    'Tokens of 8 weeks whose outcome is known, by outcome: rug (drained, or holders could not sell) or survived.',
    ['outcome'],
  );
  const gain = gauge(
    'tsd_shadow_gain_min',
    'Log-loss by which a model in the shadow (candidate, previous) is at least better than the one in force, nats.',
    ['role'],
  );
  const tokens = gauge(
    'tsd_shadow_tokens',
    'Tokens with a known outcome that a model in the shadow (candidate, previous) is compared on.',
    ['role'],
  );
  const better = gauge(
    'tsd_shadow_better',
    '1: a model in the shadow (candidate, previous) is better by the test.',
    ['role'],
  );
  return (report) => {
    for (const one of [inForce, stability, error, chiSquare, gain, tokens, better]) one.reset();
    inForce.set({ model: report.model.name, sha256: report.model.sha256 }, 1);
    for (const [feature, index] of report.stability) stability.set({ feature }, index);
    if (report.calibration) {
      error.set(report.calibration.error);
      chiSquare.set(report.calibration.chiSquare);
    }
    const { tokens: decided, rugs } = report.outcomes;
    outcomes.set({ outcome: 'rug' }, rugs);
    outcomes.set({ outcome: 'survived' }, decided - rugs);
    for (const { role, comparison } of report.shadows) {
      gain.set({ role }, comparison.gainMin);
      tokens.set({ role }, comparison.tokens);
      better.set({ role }, comparison.isBetter ? 1 : 0);
    }
  };
};
