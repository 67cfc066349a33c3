import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { ChainProgress } from '../chainProgress.ts';
import { openModel } from '../model/loadModel.ts';
import { createDriftStore } from './driftStore.ts';
import { createLearner, createPriors, type LearningReport } from './learner.ts';
import { createModelChoice, type ModelChoicePorts } from './modelChoice.ts';
import { createModelStore } from './modelStore.ts';
import { createShadowStore } from './shadowStore.ts';

/** Dependencies of learning. */
export interface LearningParts extends Omit<ModelChoicePorts, 'store' | 'open'> {
  readonly clickhouse: Clickhouse;
  /**
   * Expected share of scams among the tokens of this deployment, 0 to 1; undefined: from the chain's own outcomes.
   */
  readonly priorScamRate: number | undefined;
  /** Receives measurements of the chain's models. */
  readonly learned?: (report: LearningReport) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const openLearning = (parts: LearningParts, { stored }: ChainProgress) => {
  const { clickhouse, priorScamRate } = parts;
  const models = createModelChoice({
    ...parts,
    store: createModelStore(clickhouse),
    open: openModel,
  });
  const ports = {
    ...parts,
    models,
    shadows: createShadowStore(clickhouse),
    drift: createDriftStore(clickhouse),
    chainTimeS: async () => (await stored())?.timestampS,
    report: (report: LearningReport) => parts.learned?.(report),
  };
  const fixed = async (rate: number) => ({ pooled: rate, others: rate });
  const priors = priorScamRate === undefined ? createPriors(ports) : () => fixed(priorScamRate);
  return { models, priors, learner: createLearner(ports) };
};
/** The models of a chain, and their monitoring. */
export type Learning = ReturnType<typeof openLearning>;
