import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Database } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { ListIndex } from '../index/createListIndex.ts';
import { countTokens, searchWallets } from '../index/tokenReads.ts';
import { countRings, type GlobalStats, type OutcomeTotals, outcomeTotals } from './queries.ts';

const MODEL_CARD = 'pipeline/scorer/model/artifacts/card.json';
/** A model card need not state the accuracy; if absent, none is invented. */
const modelCardSchema = z.object({ accuracy: z.number().min(0).max(1).optional() });

/** Accuracy measured when the model was trained; null if its card states none. */
export const readValidationAccuracy = async (): Promise<number | null> => {
  const text = await readFile(join(projectRoot(), MODEL_CARD), 'utf8');
  return modelCardSchema.parse(JSON.parse(text)).accuracy ?? null;
};

const STATS_KEPT_MS = 60_000;
/** While new statistics are computed, the previous ones are served, but none older than these. */
const STATS_SERVED_MS_MAX = 10 * STATS_KEPT_MS;

/** Only the total is needed. */
const ALL_WALLETS = { sort: 'created_at', order: 'asc', limit: 1, offset: 0 } as const;

/** A figure from training must not pass for one that was measured. */
const accuracyOf = (
  { decided, right }: OutcomeTotals,
  validationAccuracy: number | null,
): Pick<GlobalStats, 'accuracy' | 'accuracy_source' | 'accuracy_samples'> => {
  if (decided > 0) {
    return {
      accuracy: right / decided,
      accuracy_source: 'measured',
      accuracy_samples: decided,
    };
  }
  const accuracy_source = validationAccuracy === null ? null : 'training';
  return { accuracy: validationAccuracy, accuracy_source, accuracy_samples: 0 };
};

/**
 * Statistics, computed at most once a minute. Requests share one computation, and wait for it only if there is no
 * earlier result, because it reads more than any other request.
 * @param args.validationAccuracy of the model in use, served until outcomes are known; null if it was not measured.
 */
export const createStats = (args: {
  database: Database;
  index: Pick<ListIndex, 'ask'>;
  chainId: number;
  validationAccuracy: number | null;
  clock: Clock;
}) => {
  const { database, index, chainId, validationAccuracy, clock } = args;
  let latest: { value: GlobalStats; atMs: number } | undefined;
  let running: Promise<GlobalStats> | undefined;
  const compute = async (): Promise<GlobalStats> => {
    const [tokens, scams, { total: wallets }, rings, outcomes] = await Promise.all([
      countTokens(index, {}),
      countTokens(index, { prediction: 'SCAM' }),
      searchWallets(index, ALL_WALLETS),
      countRings(database, chainId),
      outcomeTotals(database, chainId),
    ]);
    return {
      tokens_analyzed: tokens,
      scam_rate: tokens === 0 ? 0 : scams / tokens,
      ...accuracyOf(outcomes, validationAccuracy),
      wallets_tracked: wallets,
      clusters_detected: rings,
      total_saved: outcomes.savedUsd,
    };
  };
  const renew = async (): Promise<GlobalStats> => {
    const atMs = clock.now();
    try {
      const value = await compute();
      latest = { value, atMs };
      return value;
    } finally {
      running = undefined;
    }
  };
  return {
    read: async (): Promise<GlobalStats> => {
      const ageMs = latest ? clock.now() - latest.atMs : Number.POSITIVE_INFINITY;
      if (latest && ageMs < STATS_KEPT_MS) return latest.value;
      running ??= renew();
      if (!latest || ageMs >= STATS_SERVED_MS_MAX) return running;
      // This request does not wait, so a failure does not affect it; the next request tries again.
      running.catch(() => undefined);
      return latest.value;
    },
  };
};
/** Statistics of the whole service. */
export type Stats = ReturnType<typeof createStats>;
