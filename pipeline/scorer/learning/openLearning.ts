import type { ChainProgress } from '../chainProgress.ts';
import { openModel } from '../model/loadModel.ts';
import type { ScorerParts } from '../scorerParts.ts';
import { createDriftStore } from './driftStore.ts';
import {
  createLearner,
  createPriors,
  type Learner,
  type LearningReport,
  type PriorScamRates,
} from './learner.ts';
import { createModelChoice, type ModelChoice } from './modelChoice.ts';
import { createModelStore } from './modelStore.ts';
import { createShadowStore } from './shadowStore.ts';

/** The models of a chain and what follows how they do. */
export interface Learning {
  readonly models: ModelChoice;
  readonly priors: () => Promise<PriorScamRates>;
  readonly learner: Learner;
}

export const openLearning = (parts: ScorerParts, { stored }: ChainProgress): Learning => {
  const { clickhouse, priorScamRate } = parts;
  const models = createModelChoice({
    ...parts,
    shipped: { model: parts.model, lifeModel: parts.lifeModel },
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
