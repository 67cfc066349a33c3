import type { Hex } from '../../shared/chain/block.ts';
import { type Examined, examineTokens } from '../search/examineTokens.ts';
import type { Traits } from '../search/traits.ts';
import { joinLookups } from '../server/joinLookups.ts';
import { type Share, unshared } from '../server/sharedReads.ts';
import { countVerdicts } from './countVerdicts.ts';
import { findVerdicts, listVerdicts, type VerdictPage } from './listVerdicts.ts';
import type { VerdictFilter } from './tokenFilter.ts';
import {
  type Database,
  findDocuments,
  findRings,
  type Verdict,
  type VerdictSummary,
} from './verdict.ts';
import {
  countHistory,
  type HistoryPage,
  type PastVerdict,
  verdictHistory,
} from './verdictHistory.ts';

/** Verdicts in force. */
export interface Tokens {
  /** As it is stored now. */
  find(token: Hex): Promise<Verdict | undefined>;
  /** The same, or what was stored a moment ago: `VERDICT_KEPT_MS_MAX`. */
  findRecent(token: Hex): Promise<Verdict | undefined>;
  /** Verdicts of those tokens that have one, in any order. */
  findMany(tokens: readonly Hex[]): Promise<VerdictSummary[]>;
  list(page: VerdictPage): Promise<VerdictSummary[]>;
  count(filter: VerdictFilter): Promise<number>;
  /** Those of a list that have some traits, or a part of them. */
  examine(page: VerdictPage, traits: Traits): Promise<Examined>;
}

/** Verdicts of the past. */
export interface History {
  /** Newest first. */
  list(token: Hex, page: HistoryPage): Promise<PastVerdict[]>;
  /** How many there are, as far as they are counted. */
  count(token: Hex): Promise<number>;
}

/**
 * Look-ups of single tokens, and of the rings of their creators: one query of each kind at a time, so that what is
 * asked meanwhile goes together. Two at a time cost the database a third more for each token, on two cores.
 */
const TOKEN_LOOKUPS = { queriesMax: 1, keysMax: 64 };

/** Verdicts of one chain. Lists and counts are shared by those who ask for the same. */
export const createTokens = (
  database: Database,
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
export const createHistory = (database: Database, chainId: number): History => ({
  list: (token, page) => verdictHistory(database, chainId, token, page),
  count: (token) => countHistory(database, chainId, token),
});
