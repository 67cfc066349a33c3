import type { Hex } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { hasAlert, listAlertHistory, listAlerts, saveAlertRead } from '../alerts/queries.ts';
import { examineTokens } from '../search/examineTokens.ts';
import {
  type GlobalStats,
  type OutcomeTotals,
  outcomeTotals,
  verdictTotals,
} from '../statistics/queries.ts';
import { countVerdicts } from '../tokens/countVerdicts.ts';
import { findVerdicts, listVerdicts } from '../tokens/listVerdicts.ts';
import { findDocuments, findRings, type Verdict } from '../tokens/verdict.ts';
import { countHistory, verdictHistory } from '../tokens/verdictHistory.ts';
import { joinLookups } from './joinLookups.ts';
import type { Alerts, History, Stats, Tokens } from './ports.ts';

import { type Share, unshared } from './sharedReads.ts';

type Reader = Pick<Clickhouse, 'query'>;

/**
 * Look-ups of single tokens, and of the rings of their creators: one query of each kind at a time, so that what is
 * asked meanwhile goes together. Two at a time cost the database a third more for each token, on two cores.
 */
const TOKEN_LOOKUPS = { queriesMax: 1, keysMax: 64 };

/** Verdicts of one chain. Lists and counts are shared by those who ask for the same. */
export const createTokens = (
  database: Reader,
  chainId: number,
  share: Share = unshared,
): Tokens => {
  const reader = { database, chainId, share };
  const findDocument = joinLookups(
    (addresses: readonly Hex[]) => findDocuments(database, chainId, addresses),
    TOKEN_LOOKUPS,
  );
  const findRing = joinLookups(
    (wallets: readonly Hex[]) => findRings(database, chainId, wallets),
    TOKEN_LOOKUPS,
  );
  const find = async (token: Hex): Promise<Verdict | undefined> => {
    const stored = await findDocument(token);
    if (!stored) return undefined;
    const { creator, ...verdict } = stored;
    return { ...verdict, clusterId: (await findRing(creator)) ?? null };
  };
  return {
    find,
    findRecent: find,
    findMany: (tokens) => findVerdicts(reader, tokens),
    list: (page) => share(`list ${JSON.stringify(page)}`, () => listVerdicts(reader, page)),
    count: (filter) =>
      share(`count ${JSON.stringify(filter)}`, () => countVerdicts(reader, filter)),
    examine: (page, traits) =>
      share(`examine ${JSON.stringify([page, traits])}`, () => examineTokens(reader, page, traits)),
  };
};

/** Past verdicts of one chain. */
export const createHistory = (database: Reader, chainId: number): History => ({
  list: (token, page) => verdictHistory(database, chainId, token, page),
  count: (token) => countHistory(database, chainId, token),
});

/** Alerts of all families. */
export const createAlerts = (
  database: Pick<Clickhouse, 'query' | 'exec'>,
  clock: Clock,
): Alerts => ({
  list: (page) => listAlerts(database, page),
  history: (page) => listAlertHistory(database, page),
  isKnown: (family, id) => hasAlert(database, family, id, { withWithdrawn: true }),
  markRead: async (family, id) => {
    if (!(await hasAlert(database, family, id, { withWithdrawn: false }))) return false;
    await saveAlertRead(database, family, id, clock.now());
    return true;
  },
});

const STATS_KEPT_MS = 60_000;
/** While they are computed anew, those of before serve, but none that are older. */
const STATS_SERVED_MS_MAX = 10 * STATS_KEPT_MS;

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
 *   nobody measured it.
 */
export const createStats = (args: {
  database: Reader;
  chainId: number;
  validationAccuracy: number | null;
  clock: Clock;
}): Stats => {
  const { database, chainId, validationAccuracy, clock } = args;
  let latest: { value: GlobalStats; atMs: number } | undefined;
  let running: Promise<GlobalStats> | undefined;
  const compute = async (): Promise<GlobalStats> => {
    const [totals, outcomes] = await Promise.all([
      verdictTotals(database, chainId),
      outcomeTotals(database, chainId),
    ]);
    return {
      tokens_analyzed: totals.tokens,
      scam_rate: totals.tokens === 0 ? 0 : totals.scams / totals.tokens,
      ...accuracyOf(outcomes, validationAccuracy),
      wallets_tracked: totals.wallets,
      clusters_detected: totals.clusters,
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
    read: async () => {
      const ageMs = latest ? clock.now() - latest.atMs : Number.POSITIVE_INFINITY;
      if (latest && ageMs < STATS_KEPT_MS) return latest.value;
      running ??= renew();
      if (!latest || ageMs >= STATS_SERVED_MS_MAX) return running;
      // Who waits for nothing hears of no failure; the next request tries again.
      running.catch(() => undefined);
      return latest.value;
    },
  };
};
