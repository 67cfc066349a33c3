import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { ModelFiles } from '../model/loadModel.ts';
import type { Model } from '../model/model.ts';
import {
  inForce,
  type ModelEntry,
  type ModelStore,
  previouslyInForce,
  SHIPPED,
} from './modelStore.ts';

export interface ModelChoicePorts {
  readonly chainId: number;
  /** The model of the release. */
  readonly shipped: Model;
  readonly store: Pick<ModelStore, 'list' | 'files'>;
  readonly open: (files: ModelFiles) => Promise<Model>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** A model that runs in the shadow of the one in force. */
export interface Shadow {
  readonly role: 'candidate' | 'previous';
  readonly model: Model;
  /** Time of the chain at which it was trained, Unix seconds. */
  readonly trainedUntilS: number;
}

/** The models of a chain as its scorer uses them. */
export interface ModelChoice {
  /** The model in force. A promotion takes effect within `CHECK_EVERY_MS`, between two batches of tokens. */
  current(): Promise<Model>;
  /** The latest candidate, and the model that was in force before. */
  shadows(): Promise<Shadow[]>;
}

/** How often the registry is asked: one small query. */
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

const fits = (model: Model): boolean =>
  model.featureNames.length === FEATURE_NAMES.length &&
  model.featureNames.every((name, i) => name === FEATURE_NAMES[i]);

export const createModelChoice = (ports: ModelChoicePorts): ModelChoice => {
  const { chainId, shipped, store, open, clock, logger } = ports;
  const opened = new Map<string, Model>([[SHIPPED, shipped]]);
  let chosen = shipped;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  /** Undefined where it is not there, or not for the features of this release. */
  const modelOf = async ({ sha256, name }: ModelEntry): Promise<Model | undefined> => {
    const known = opened.get(sha256);
    if (known) return known;
    const files = await store.files(chainId, sha256);
    const model = files && (await open(files));
    if (!model || !fits(model)) {
      logger.error({ model: name, sha256 }, 'the model is not of this release: train a new one');
      return undefined;
    }
    opened.set(sha256, model);
    const oldest = [...opened.keys()].find((one) => one !== SHIPPED && one !== sha256);
    if (opened.size > OPENED_MAX + 1 && oldest) opened.delete(oldest);
    return model;
  };

  return {
    current: async () => {
      const now = clock.now();
      if (now - checkedAtMs < CHECK_EVERY_MS) return chosen;
      const entry = inForce(await store.list(chainId));
      const model = (entry && (await modelOf(entry))) ?? shipped;
      if (model.sha256 !== chosen.sha256) {
        logger.info({ model: model.name, sha256: model.sha256 }, 'another model is in force');
      }
      chosen = model;
      checkedAtMs = now;
      return chosen;
    },
    shadows: async () => {
      const models = await store.list(chainId);
      const found: Shadow[] = [];
      for (const [role, entry] of [
        ['candidate', latestCandidate(models)],
        ['previous', previouslyInForce(models)],
      ] as const) {
        const model = entry && (await modelOf(entry));
        if (model) found.push({ role, model, trainedUntilS: entry.trainedUntilS });
      }
      return found;
    },
  };
};
