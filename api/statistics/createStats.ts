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
/** A card need not state the share of right predictions: what it does not state is not made up. */
const modelCardSchema = z.object({ accuracy: z.number().min(0).max(1).optional() });

/** Share of right predictions measured when the model was trained; null where its card states none. */
export const readValidationAccuracy = async (): Promise<number | null> => {
  const text = await readFile(join(projectRoot(), MODEL_CARD), 'utf8');
  return modelCardSchema.parse(JSON.parse(text)).accuracy ?? null;
};

const STATS_KEPT_MS = 60_000;
/** While they are computed again, those of before serve, but none that are older. */
const STATS_SERVED_MS_MAX = 10 * STATS_KEPT_MS;

/** Only how many there are is asked. */
const ALL_WALLETS = { sort: 'created_at', order: 'asc', limit: 1, offset: 0 } as const;

/** A figure from training is not taken for one that was measured. */
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
 * Statistics, computed at most once a minute. Requests share one computation, and wait for it only where
 * there are no earlier ones: it reads more than any other request does.
 * @param args.validationAccuracy of the model in use, for as long as no outcome is known; null where
 *   it was not measured.
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
      // This request does not wait, so a failure does not concern it; the next request tries again.
      running.catch(() => undefined);
      return latest.value;
    },
  };
};
/** Numbers about the whole service. */
export type Stats = ReturnType<typeof createStats>;
