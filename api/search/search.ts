import type { Hex } from '../../shared/chain/block.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';

/** Shorter texts occur in too many names for a trigram index to help. */
export const INSIDE_LENGTH_MIN = 3;
/**
 * Exact before prefix before substring before misspelled; symbol before name; the rest of the range depends on
 * similarity.
 */
export const RELEVANCE = {
  exact: { symbol: 0.98, name: 0.95 },
  prefix: { symbol: 0.8, name: 0.7 },
  inside: { symbol: 0.5, name: 0.4 },
  similar: { symbol: 0.3, name: 0.25 },
} as const;
/** Added for a text that covers nearly the whole name. */
export const CLOSENESS_MAX = 0.09;
/** Decimals that a relevance is rounded to. */
export const RELEVANCE_DIGITS = 4;

/** Letters of a text: code points. */
export const lettersOf = (text: string): number => Array.from(text).length;

/** Lower and upper bound, both inclusive. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Input of a search. */
export interface NameQuestion {
  /**
   * Names and symbols that equal, begin with or contain the text; if there are none, those that nearly match.
   * Undefined for none. Folded by `foldText`.
   */
  readonly folded: string | undefined;
  /** Prefix of addresses, in hexadecimal digits; undefined for none. */
  readonly digits: string | undefined;
  /** Tokens of a market whose address was searched for: they match without a comparison of names. */
  readonly traded: readonly Hex[];
  readonly limit: number;
  readonly offset: number;
}

/** A found token, and why it matched. */
export interface RankedHit {
  readonly verdict: VerdictSummary;
  /** 0 to 1. */
  readonly relevance: number;
  readonly match: 'address' | 'pool' | 'symbol' | 'name';
}

export const WALLET_SORTS = ['created_at', 'risk_score', 'tokens_created', 'total_stolen'] as const;

/** Wallet filters of an advanced search. */
export interface WalletFilter {
  readonly riskScore?: Range | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly clusterId?: string | undefined;
  readonly tokensCreated?: Range | undefined;
  readonly scamRate?: Range | undefined;
  readonly stolenUsd?: Range | undefined;
  readonly isKnownScammer?: boolean | undefined;
}

/** A wallet as a search result. */
export interface WalletHit {
  readonly address: Hex;
  readonly role: string;
  readonly riskScore: number;
}

/** One page of wallets. */
export interface WalletPage extends WalletFilter {
  readonly sort: (typeof WALLET_SORTS)[number];
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Look-ups by text and by properties of wallets. */
export interface Search {
  /**
   * A page of the tokens that a text finds, most relevant first, and their total; capped if there are very many.
   */
  tokens(question: NameQuestion): Promise<{ total: number; hits: RankedHit[] }>;
  /**
   * Tokens traded in a pool, given by contract address or by its id in a manager (32 bytes); base tokens only if
   * there is no other.
   */
  poolTokens(pool: Hex): Promise<Hex[]>;
  wallets(page: WalletPage): Promise<{ wallets: WalletHit[]; total: number }>;
}

/** Token filters of a search beyond those of lists; absent ones do not filter. */
export interface Traits {
  /** Ids of failed checks. */
  readonly checks?:
    | {
        readonly all?: readonly string[] | undefined;
        readonly any?: readonly string[] | undefined;
        readonly none?: readonly string[] | undefined;
      }
    | undefined;
  /** Bounds of observed features, by name. */
  readonly features?: Readonly<Record<string, Range>> | undefined;
  /** Folded part of name or symbol: see `foldText`. */
  readonly text?: string | undefined;
  readonly creator?: Hex | undefined;
}

/** Whether there is any filter. */
export const hasTraits = ({ checks = {}, features, text, creator }: Traits): boolean =>
  [checks.all, checks.any, checks.none].some((ids) => (ids?.length ?? 0) > 0) ||
  Object.keys(features ?? {}).length > 0 ||
  text !== undefined ||
  creator !== undefined;
