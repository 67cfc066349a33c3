import type { Hex } from '../../shared/chain/block.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';

/** One reason for a wallet's reputation: the contributions add up to the score minus 50. */
export interface Factor {
  readonly id: string;
  readonly value: string | number | boolean | null;
  /** Signed points. */
  readonly contribution: number;
  readonly text: string;
}

/** Something a wallet did more than in passing. */
export interface Behaviour {
  readonly id: string;
  readonly text: string;
  readonly count: number;
}

/** How far a wallet can be trusted. */
export interface Reputation {
  /** 0 worst to 100 best; 50 where nothing speaks for or against. */
  readonly score: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly labels: readonly string[];
  readonly factors: readonly Factor[];
}

/** Who first sent native currency to a wallet. */
export interface Funding {
  readonly address: Hex;
  readonly kind: 'wallet' | 'contract' | 'unknown';
  readonly txHash: Hex;
}

/** What is known of a wallet. */
export interface Wallet {
  readonly address: Hex;
  readonly role: string;
  readonly isKnownScammer: boolean;
  /** 0 to 100. */
  readonly riskScore: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  readonly victims: number;
  readonly clusterId: string | null;
  readonly firstSeenS: number;
  readonly lastActivityS: number;
  readonly reputation: Reputation;
  readonly funding: Funding | null;
  readonly behaviours: readonly Behaviour[];
  readonly medianTokenLifetimeH: number | null;
  readonly counterparties: number;
  readonly updatedAtMs: number;
}

/** A change of a wallet's reputation. */
export interface ReputationStep {
  readonly atS: number;
  readonly blockNumber: number;
  /** The score after it. */
  readonly score: number;
  readonly delta: number;
  readonly event: string;
  readonly token: Hex | null;
  readonly txHash: Hex | null;
}

export const SCAM_OUTCOMES = [
  'rug_pull',
  'honeypot',
  'dump',
  'impersonation',
  'serial_spam',
] as const;
export type ScamOutcome = (typeof SCAM_OUTCOMES)[number];

/** A scam a wallet took part in. */
export interface ScamEntry {
  readonly token: { readonly address: Hex; readonly name: string; readonly symbol: string };
  readonly role: string;
  readonly outcome: ScamOutcome;
  readonly atS: number;
  readonly stolenUsd: number;
  readonly victims: number;
  readonly txHash: Hex;
}

/** Where a page of a wallet's tokens begins, newest first. */
export interface WalletTokensPage {
  readonly limit: number;
  readonly offset: number;
  /** The creation time (Unix seconds) and address of the entry before. */
  readonly after?: { readonly value: number; readonly id: string } | undefined;
}

/** Wallets of one chain. */
export interface Wallets {
  /** Undefined for an address the index has not seen. */
  find(wallet: Hex): Promise<Wallet | undefined>;
  /** Analysed tokens the wallet made, newest first. */
  tokens(wallet: Hex, page: WalletTokensPage): Promise<{ tokens: VerdictSummary[]; total: number }>;
  /** Newest first. */
  history(
    wallet: Hex,
    range: { fromS?: number | undefined; toS?: number | undefined; limit: number },
  ): Promise<ReputationStep[]>;
  /** Newest first, a bounded number. */
  scams(wallet: Hex): Promise<ScamEntry[]>;
}
