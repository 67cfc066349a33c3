import { Gauge } from 'prom-client';
import type { MetricsRegistry } from '../../shared/platform/metrics.ts';
import type { LearningReport } from './learning/learner.ts';

/** Shows how the models of a chain do; what is no longer known goes. */
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
    'Mean gap between predicted and seen share of rugs over five bins, of the last 7 days whose outcomes are known.',
  );
  const chiSquare = gauge(
    'tsd_model_calibration_chi_square',
    'How unlikely those gaps are by chance: chi-square of five degrees of freedom where the probabilities are right.',
  );
  const outcomes = gauge(
    'tsd_model_outcomes',
    'Tokens of 8 weeks whose outcome is known, by outcome: rug, survived.',
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
