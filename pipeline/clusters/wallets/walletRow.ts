import type { Hex } from '../../../shared/chain/block.ts';
import { type Deeds, isKnownScammer, reputation, reputationLabels } from './reputation.ts';
import { fundingOf, type ReputationStep, reputationSteps } from './reputationSteps.ts';
import { scamsOf, type WalletRecord } from './walletRecord.ts';
import { snipesOf, walletRole } from './walletRole.ts';

/** Something a wallet did more than in passing. */
export interface Behaviour {
  readonly id: string;
  readonly text: string;
  readonly count: number;
}

/** A row of `dim_wallets`, with the steps of `wallet_history` that lead to it. */
export interface WalletRow {
  readonly wallet: Hex;
  readonly role: string;
  readonly label: string;
  readonly isHub: boolean;
  readonly isKnownScammer: boolean;
  /** 0 to 100: 100 minus the reputation. */
  readonly riskScore: number;
  readonly reputationScore: number;
  readonly confidence: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  readonly victims: number;
  readonly counterparties: number;
  /** Hours from birth to the end of the liquidity, over its tokens that lost it. */
  readonly medianTokenLifetimeH: number | null;
  readonly funding: { readonly funder: Hex; readonly txHash: Hex } | null;
  readonly clusterId: string;
  /** Unix seconds. */
  readonly firstSeenS: number;
  readonly lastActivityS: number;
  readonly labels: readonly string[];
  readonly factors: readonly object[];
  readonly behaviours: readonly Behaviour[];
  readonly steps: readonly ReputationStep[];
}

const SECONDS_PER_HOUR = 3_600;
const SCORE_MAX = 100;

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
};

const lifetimesH = ({ made }: WalletRecord): number[] =>
  made.flatMap(({ atS, loss }) =>
    loss?.drain ? [Math.max(0, loss.drain.atS - atS) / SECONDS_PER_HOUR] : [],
  );

const behavioursOf = (record: WalletRecord, deeds: Deeds): Behaviour[] => {
  const funded = new Set(
    record.movements
      .filter(({ direction, kind }) => direction === 'out' && kind === 'native')
      .map(({ other }) => other)
      .filter((other) => record.creators.has(other)),
  );
  const all: Behaviour[] = [
    { id: 'tokens_created', text: 'Created a token', count: deeds.made },
    { id: 'tokens_flagged', text: 'Created a token judged a scam', count: deeds.scams },
    {
      id: 'lp_removed_within_24h',
      text: 'Removed liquidity within 24 h of launch',
      count: deeds.quickRemovals,
    },
    {
      id: 'launch_snipes',
      text: 'Bought in the block of the first liquidity',
      count: snipesOf(record).length,
    },
    { id: 'creators_funded', text: 'Sent money to a creator of tokens', count: funded.size },
  ];
  return all.filter(({ count }) => count > 0);
};

const timesOf = ({ movements, made }: WalletRecord): { firstS: number; lastS: number } => {
  const firsts = [...movements.map(({ firstS }) => firstS), ...made.map(({ atS }) => atS)];
  const lasts = [...movements.map(({ lastS }) => lastS), ...made.map(({ atS }) => atS)];
  return {
    firstS: firsts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    lastS: lasts.reduce((a, b) => Math.max(a, b), 0),
  };
};

/** What is stored of a wallet; undefined for one that nothing canonical knows of. */
export const walletRow = (record: WalletRecord): WalletRow | undefined => {
  const { firstS, lastS } = timesOf(record);
  if (!Number.isFinite(firstS)) return undefined;
  const { steps, deeds } = reputationSteps(record);
  const { score, confidence, factors } = reputation(deeds);
  const funding = fundingOf(record);
  const scams = scamsOf(record);
  return {
    wallet: record.wallet,
    role: walletRole(record),
    label: record.isHub ? 'Hub' : '',
    isHub: record.isHub,
    isKnownScammer: isKnownScammer(deeds),
    riskScore: SCORE_MAX - score,
    reputationScore: score,
    confidence,
    tokensCreated: record.made.length,
    scams: scams.length,
    stolenUsd: scams.reduce((sum, { loss }) => sum + (loss?.stolenUsd ?? 0), 0),
    victims: scams.reduce((sum, { loss }) => sum + (loss?.victims ?? 0), 0),
    counterparties: new Set(record.movements.map(({ other }) => other)).size,
    medianTokenLifetimeH: median(lifetimesH(record)),
    funding: funding ? { funder: funding.other, txHash: funding.firstTx } : null,
    clusterId: record.ring?.id ?? '',
    firstSeenS: firstS,
    lastActivityS: lastS,
    labels: reputationLabels(deeds),
    factors,
    behaviours: behavioursOf(record, deeds),
    steps,
  };
};
