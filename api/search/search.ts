import type { Hex } from '../../shared/chain/block.ts';

/** Hits of each kind that a search looks at. */
export const HITS_MAX = 1_000;
/** Shorter texts are in too many names for an index of trigrams to help. */
export const INSIDE_LENGTH_MIN = 3;
/** So many names that begin with a text leave no interest in those that hold it elsewhere. */
export const STARTING_ENOUGH = 100;

/** A name or symbol that holds what was searched. */
export interface TermHit {
  readonly token: Hex;
  readonly field: 'symbol' | 'name';
  readonly place: 'exact' | 'prefix' | 'inside';
  /** Letters of the whole name or symbol. */
  readonly length: number;
}

export const WALLET_SORTS = ['created_at', 'risk_score', 'tokens_created', 'total_stolen'] as const;

/** Lower and upper bound, both inclusive. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Which wallets an advanced search holds. */
export interface WalletFilter {
  readonly riskScore?: Range | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly clusterId?: string | undefined;
  readonly tokensCreated?: Range | undefined;
  readonly scamRate?: Range | undefined;
  readonly stolenUsd?: Range | undefined;
  readonly isKnownScammer?: boolean | undefined;
}

/** A wallet as a search shows it. */
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
  /** Names and symbols that are, begin with or hold the folded text; some of very many. */
  terms(folded: string): Promise<TermHit[]>;
  /** Tokens whose address begins with these hexadecimal digits; some of very many. */
  tokensAt(digits: string): Promise<Hex[]>;
  /**
   * Tokens traded in a pool, by the address of its contract or by its id in a manager (32 bytes); base tokens only where there is no other.
   */
  poolTokens(pool: Hex): Promise<Hex[]>;
  wallets(page: WalletPage): Promise<{ wallets: WalletHit[]; total: number }>;
}

/** What a search asks of tokens beyond what lists filter by; what is absent does not matter. */
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

/** Whether anything is asked. */
export const hasTraits = ({ checks = {}, features, text, creator }: Traits): boolean =>
  [checks.all, checks.any, checks.none].some((ids) => (ids?.length ?? 0) > 0) ||
  Object.keys(features ?? {}).length > 0 ||
  text !== undefined ||
  creator !== undefined;
