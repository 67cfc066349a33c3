import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { LIFE_FEATURE_NAMES } from '../features/poolLifeFeatures.ts';
import type { ModelFiles } from '../model/loadModel.ts';
import type { Model } from '../model/model.ts';
import {
  type ChainModelFiles,
  inForce,
  type ModelEntry,
  type ModelStore,
  previouslyInForce,
  SHIPPED,
} from './modelStore.ts';

/** The market models: for their first day, and for older ages. */
export interface MarketModels {
  readonly model: Model;
  readonly lifeModel: Model;
}

export interface ModelChoicePorts {
  readonly chainId: number;
  /** The models of the release. */
  readonly shipped: MarketModels;
  readonly store: Pick<ModelStore, 'list' | 'files'>;
  readonly open: (files: ModelFiles) => Promise<Model>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** A shadow model of the one in force. */
export interface Shadow {
  readonly role: 'candidate' | 'previous';
  readonly model: Model;
  /** Chain time at which it was trained, Unix seconds. */
  readonly trainedUntilS: number;
}

/** Interval in which the registry is queried: one small query. */
const CHECK_EVERY_MS = 30_000;
/** Models held in memory: in force, candidate, previous. */
const OPENED_MAX = 3;

/** The latest model that was trained after the one in force, and never was in force itself. */
export const latestCandidate = (models: readonly ModelEntry[]): ModelEntry | undefined => {
  const sinceMs = inForce(models)?.madeAtMs ?? 0;
  return models
    .filter(({ promotedAtMs, madeAtMs }) => promotedAtMs === undefined && madeAtMs > sinceMs)
    .toSorted((a, b) => b.madeAtMs - a.madeAtMs)[0];
};

const fits = ({ featureNames }: Model, wanted: readonly string[]): boolean =>
  featureNames.length === wanted.length && featureNames.every((name, i) => name === wanted[i]);

export const createModelChoice = (ports: ModelChoicePorts) => {
  const { chainId, shipped, store, open, clock, logger } = ports;
  const opened = new Map<string, MarketModels>([[SHIPPED, shipped]]);
  let chosen = shipped;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Undefined if one is not for the features of this release. A model without one of older markets is paired with
   * that of the release.
   */
  const openAll = async (files: ChainModelFiles): Promise<MarketModels | undefined> => {
    const model = await open(files);
    const lifeModel = files.life ? await open(files.life) : shipped.lifeModel;
    const isOfRelease = fits(model, FEATURE_NAMES) && fits(lifeModel, LIFE_FEATURE_NAMES);
    return isOfRelease ? { model, lifeModel } : undefined;
  };

  /** Undefined if they are missing, or not for the features of this release. */
  const modelsOf = async ({ sha256, name }: ModelEntry): Promise<MarketModels | undefined> => {
    const known = opened.get(sha256);
    if (known) return known;
    const files = await store.files(chainId, sha256);
    const models = files && (await openAll(files));
    if (!models) {
      logger.error({ model: name, sha256 }, 'the model is not of this release: train a new one');
      return undefined;
    }
    opened.set(sha256, models);
    const oldest = [...opened.keys()].find((one) => one !== SHIPPED && one !== sha256);
    if (opened.size > OPENED_MAX + 1 && oldest) opened.delete(oldest);
    return models;
  };

  return {
    /** The models in force. A promotion takes effect within `CHECK_EVERY_MS`, between two batches of tokens. */
    current: async (): Promise<MarketModels> => {
      const now = clock.now();
      if (now - checkedAtMs < CHECK_EVERY_MS) return chosen;
      const entry = inForce(await store.list(chainId));
      const models = (entry && (await modelsOf(entry))) ?? shipped;
      const { name, sha256 } = models.model;
      if (sha256 !== chosen.model.sha256) {
        logger.info({ model: name, sha256 }, 'another model is in force');
      }
      chosen = models;
      checkedAtMs = now;
      return chosen;
    },
    /** The latest candidate, and the model that was in force before. */
    shadows: async (): Promise<Shadow[]> => {
      const models = await store.list(chainId);
      const found: Shadow[] = [];
      for (const [role, entry] of [
        ['candidate', latestCandidate(models)],
        ['previous', previouslyInForce(models)],
      ] as const) {
        const opened = entry && (await modelsOf(entry));
        if (opened) found.push({ role, model: opened.model, trainedUntilS: entry.trainedUntilS });
      }
      return found;
    },
  };
};
/** The models that a chain's scorer uses. */
export type ModelChoice = ReturnType<typeof createModelChoice>;
