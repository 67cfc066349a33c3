import type { Clock } from '../../../shared/platform/clock.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { Model } from '../model/model.ts';
import { OUTCOME_WINDOW_S } from '../outcome/rugLabel.ts';
import { type Comparison, compareModels } from './compareModels.ts';
import {
  type Calibration,
  calibrationOf,
  PRIOR_SCAM_RATE_DEFAULT,
  priorOf,
  stabilityIndex,
} from './drift.ts';
import type { DriftStore } from './driftStore.ts';
import type { ModelChoice, Shadow } from './modelChoice.ts';
import type { HorizonVerdict, ShadowStore } from './shadowStore.ts';

/** Drift, calibration and comparisons of a chain's models, for metrics. */
export interface LearningReport {
  readonly model: { readonly name: string; readonly sha256: string };
  /** Stability index by feature; empty if too few tokens are known or the model's card has no distribution. */
  readonly stability: ReadonlyMap<string, number>;
  /** For the last week with known outcomes; undefined if there are too few. */
  readonly calibration: Calibration | undefined;
  /** Outcomes of `BASE_RATE_S`. */
  readonly outcomes: { readonly tokens: number; readonly rugs: number };
  readonly shadows: readonly { readonly role: Shadow['role']; readonly comparison: Comparison }[];
}

export interface LearnerPorts {
  readonly chainId: number;
  readonly models: ModelChoice;
  readonly shadows: ShadowStore;
  readonly drift: DriftStore;
  /** Time of the last block whose facts are stored in full, Unix seconds; undefined before the first. */
  readonly chainTimeS: () => Promise<number | undefined>;
  readonly report: (report: LearningReport) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Verdicts scored per round, by each model. */
const VERDICTS_PER_ROUND = 1_000;
const ROUND_REST_MS = 60_000;
/** Drift takes days, so it is measured at this interval. */
const LOOK_EVERY_MS = 600_000;
const WEEK_S = 7 * DAY_S;
/** An outcome is known after its window, and written within hours. */
const OUTCOME_KNOWN_S = OUTCOME_WINDOW_S + DAY_S;
/** The time span of outcomes that the prior follows. */
const BASE_RATE_S = 8 * WEEK_S;
/**
 * Minimum tokens of a week for measuring features and calibration: with fewer, chance alone looks like drift.
 */
const STABILITY_TOKENS_MIN = 200;
const CALIBRATION_TOKENS_MIN = 100;

const valueOf = (features: Readonly<Record<string, number>>, name: string): number =>
  features[name] ?? Number.NaN;

const stabilityOf = (
  model: Model,
  seen: readonly Readonly<Record<string, number>>[],
): Map<string, number> => {
  if (seen.length < STABILITY_TOKENS_MIN) return new Map();
  const spreads = Object.entries(model.featureDeciles ?? {});
  return new Map(
    spreads.map(([name, spread]) => [
      name,
      stabilityIndex(
        spread,
        seen.map((features) => valueOf(features, name)),
      ),
    ]),
  );
};

/** Measurements of a chain's models at a chain time, Unix seconds. */
const lookAt = async (
  { chainId, models, shadows, drift }: LearnerPorts,
  nowS: number,
): Promise<LearningReport> => {
  const { model } = await models.current();
  const spanOf = (lengthS: number, untilS: number) => {
    return { chainId, afterS: Math.max(0, untilS - lengthS), untilS };
  };
  const knownS = Math.max(0, nowS - OUTCOME_KNOWN_S);
  const seen = await drift.features(spanOf(WEEK_S, nowS));
  const calibration = calibrationOf(await drift.calibration(spanOf(WEEK_S, knownS), model.sha256));
  const isMeasured = calibration && calibration.tokens >= CALIBRATION_TOKENS_MIN;
  const compared: LearningReport['shadows'][number][] = [];
  for (const { role, model: other } of await models.shadows()) {
    const rows = await shadows.compared(chainId, other.sha256, model.sha256);
    compared.push({ role, comparison: compareModels(rows) });
  }
  return {
    model,
    stability: stabilityOf(model, seen),
    calibration: isMeasured ? calibration : undefined,
    outcomes: await drift.outcomes(spanOf(BASE_RATE_S, knownS)),
    shadows: compared,
  };
};

export const createLearner = (ports: LearnerPorts) => {
  const { chainId, models, shadows, clock, logger } = ports;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const scoreBy = async ({ model, trainedUntilS }: Shadow, inForce: string): Promise<number> => {
    const query = { chainId, sha256: model.sha256, inForce, sinceS: trainedUntilS };
    const verdicts = await shadows.unscored({ ...query, limit: VERDICTS_PER_ROUND });
    const vectors = verdicts.map(({ features }) =>
      Float64Array.from(model.featureNames, (name) => valueOf(features, name)),
    );
    const said = await model.predict(vectors);
    const scores = verdicts.map((verdict: HorizonVerdict, i) => {
      return { ...verdict, probability: said[i]?.probability ?? Number.NaN };
    });
    if (scores.length > 0) await shadows.insert(chainId, model.sha256, scores, clock.now());
    return scores.length;
  };

  const scoreShadows = async (): Promise<number> => {
    const { sha256: inForce } = (await models.current()).model;
    let stored = 0;
    for (const shadow of await models.shadows()) stored += await scoreBy(shadow, inForce);
    return stored;
  };

  const look = async (): Promise<LearningReport | undefined> => {
    const nowS = await ports.chainTimeS();
    return nowS === undefined ? undefined : lookAt(ports, nowS);
  };

  const round = async (): Promise<number> => {
    const stored = await scoreShadows();
    if (clock.now() - lookedAtMs < LOOK_EVERY_MS) return stored;
    const report = await look();
    if (report) ports.report(report);
    lookedAtMs = clock.now();
    return stored;
  };

  return {
    /**
     * Lets shadow models score what the model in force scored at horizons, from the features it was given then, so
     * that the time of this work does not matter.
     * @returns number of stored scores
     */
    scoreShadows,
    /** Measures drift and shadow models; undefined before the first block. */
    look,
    /** Works until `signal` aborts. Rejects on any permanent error. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        let stored = 0;
        try {
          stored = await round();
        } catch (error) {
          if (!(error instanceof RetryableError)) throw error;
          logger.warn({ err: error }, 'models in the shadow will be asked again');
        }
        if (stored < VERDICTS_PER_ROUND) await clock.sleep(ROUND_REST_MS, signal);
      }
    },
  };
};
/** Measures drift, calibration and comparisons of a chain's models. */
export type Learner = ReturnType<typeof createLearner>;

/** Expected share of scams among tokens. */
export interface PriorScamRates {
  /** Among tokens with a pool, which have outcomes. */
  readonly pooled: number;
  /** Among all others. */
  readonly others: number;
}

/** The priors of a chain from its outcomes: read again as often as drift is measured. */
export const createPriors = (
  ports: Pick<LearnerPorts, 'chainId' | 'drift' | 'chainTimeS' | 'clock'>,
) => {
  let known: { readonly priors: PriorScamRates; readonly atMs: number } | undefined;
  return async (): Promise<PriorScamRates> => {
    const { chainId, drift, chainTimeS, clock } = ports;
    const now = clock.now();
    if (known && now - known.atMs < LOOK_EVERY_MS) return known.priors;
    const untilS = Math.max(0, ((await chainTimeS()) ?? 0) - OUTCOME_KNOWN_S);
    const afterS = Math.max(0, untilS - BASE_RATE_S);
    const pooled = priorOf(await drift.outcomes({ chainId, afterS, untilS }));
    known = { priors: { pooled, others: PRIOR_SCAM_RATE_DEFAULT }, atMs: now };
    return known.priors;
  };
};
