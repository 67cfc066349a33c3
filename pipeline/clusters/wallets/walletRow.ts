import type { Hex } from '../../../shared/chain/block.ts';
import { isKnownScammer } from '../../../shared/rules/creatorRecord.ts';
import type { WalletRole } from '../../../shared/rules/walletRoles.ts';
import type { GraphKind } from '../facts/graphFact.ts';
import { reputation, reputationLabels, type WalletRecord } from './reputation.ts';
import { fundingOf, type ReputationStep, reputationSteps } from './reputationSteps.ts';
import { type MovementSum, scamsOf, type WalletFacts } from './walletFacts.ts';

/** Launches at which a wallet bought, from which on it is a sniper. */
const SNIPES_MIN = 2;

const outgoing = ({ movements }: WalletFacts, kind: GraphKind): MovementSum[] =>
  movements.filter((each) => each.direction === 'out' && each.kind === kind);

/** Tokens that the wallet bought in the very block of their first liquidity. */
export const snipesOf = (facts: WalletFacts): MovementSum[] =>
  outgoing(facts, 'bought').filter(
    ({ other, firstBlock }) => facts.launchBlocks.get(other) === firstBlock,
  );

/** Tokens whose liquidity was withdrawn while the wallet had paid more for them than it got back. */
export const lossesOf = (facts: WalletFacts): MovementSum[] => {
  const sold = new Map(outgoing(facts, 'sold').map(({ other, value }) => [other, value]));
  return outgoing(facts, 'bought').filter(
    ({ other, value }) => facts.drained.has(other) && value > (sold.get(other) ?? 0),
  );
};

/** Payments to wallets that created tokens, one for each such wallet. */
const creatorsFunded = (facts: WalletFacts): MovementSum[] =>
  outgoing(facts, 'native').filter(({ other }) => facts.creators.has(other));

/**
 * The role of a wallet, the first that applies: the master of its ring; the creator of a token; in its ring a funder
 * (initial funding of two wallets of the ring) or a puppet; a funder of creators; a sniper (bought two tokens or more
 * in the block of their first liquidity); a liquidity provider; a victim (paid more than it got back for a token
 * whose liquidity was withdrawn); a trader; a holder of tokens it received; unknown. Hubs have no role.
 */
export const walletRole = (facts: WalletFacts): WalletRole => {
  const { ring, made, isHub } = facts;
  if (isHub) return 'unknown';
  if (ring?.role === 'master') return 'master';
  if (made.length > 0) return 'creator';
  if (ring) return ring.role === 'funder' ? 'funder' : 'puppet';
  if (creatorsFunded(facts).length > 0) return 'funder';
  if (snipesOf(facts).length >= SNIPES_MIN) return 'sniper';
  const liquidity = [...outgoing(facts, 'lpAdded'), ...outgoing(facts, 'lpRemoved')];
  if (liquidity.length > 0) return 'liquidity_provider';
  if (lossesOf(facts).length > 0) return 'victim';
  if (outgoing(facts, 'bought').length + outgoing(facts, 'sold').length > 0) return 'trader';
  const isGiven = facts.movements.some(
    ({ direction, kind }) => direction === 'in' && kind === 'token',
  );
  return isGiven ? 'holder' : 'unknown';
};

/** A role that a wallet has regularly. */
interface Behaviour {
  readonly id: string;
  readonly text: string;
  readonly count: number;
}

/** A row of `dim_wallets`. */
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
  /** Hours from creation to the loss of liquidity, over its tokens that lost it. */
  readonly medianTokenLifetimeH: number | null;
  readonly funding: { readonly funder: Hex; readonly txHash: Hex } | null;
  readonly clusterId: string;
  /** Unix seconds. */
  readonly firstSeenS: number;
  readonly lastActivityS: number;
  readonly labels: readonly string[];
  readonly factors: readonly object[];
  readonly behaviours: readonly Behaviour[];
  /** Oldest first. */
  readonly steps: readonly ReputationStep[];
}

const SECONDS_PER_HOUR = 3_600;
const SCORE_MAX = 100;

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
};

const lifetimesH = ({ made }: WalletFacts): number[] =>
  made.flatMap(({ atS, loss }) =>
    loss?.drain ? [Math.max(0, loss.drain.atS - atS) / SECONDS_PER_HOUR] : [],
  );

const behavioursOf = (facts: WalletFacts, record: WalletRecord): Behaviour[] => {
  const all: Behaviour[] = [
    { id: 'tokens_created', text: 'Created a token', count: record.made },
    { id: 'tokens_flagged', text: 'Created a token judged a scam', count: record.scams },
    {
      id: 'lp_removed_within_24h',
      text: 'Removed liquidity within 24 h of launch',
      count: record.quickRemovals,
    },
    {
      id: 'launch_snipes',
      text: 'Bought in the block of the first liquidity',
      count: snipesOf(facts).length,
    },
    {
      id: 'creators_funded',
      text: 'Sent money to a creator of tokens',
      count: creatorsFunded(facts).length,
    },
  ];
  return all.filter(({ count }) => count > 0);
};

const timesOf = ({ movements, made }: WalletFacts): { firstS: number; lastS: number } => {
  const firsts = [...movements.map(({ firstS }) => firstS), ...made.map(({ atS }) => atS)];
  const lasts = [...movements.map(({ lastS }) => lastS), ...made.map(({ atS }) => atS)];
  return {
    firstS: firsts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    lastS: lasts.reduce((a, b) => Math.max(a, b), 0),
  };
};

/** The stored row of a wallet; undefined if no canonical data mentions it. */
export const walletRow = (facts: WalletFacts): WalletRow | undefined => {
  const { firstS, lastS } = timesOf(facts);
  if (!Number.isFinite(firstS)) return undefined;
  const { steps, record } = reputationSteps(facts);
  const { score, confidence, factors } = reputation(record);
  const funding = fundingOf(facts);
  const scams = scamsOf(facts);
  return {
    wallet: facts.wallet,
    role: walletRole(facts),
    label: facts.isHub ? 'Hub' : '',
    isHub: facts.isHub,
    isKnownScammer: isKnownScammer({ tokens: record.made, scams: record.scams }),
    riskScore: SCORE_MAX - score,
    reputationScore: score,
    confidence,
    tokensCreated: facts.made.length,
    scams: scams.length,
    stolenUsd: scams.reduce((sum, { loss }) => sum + (loss?.stolenUsd ?? 0), 0),
    victims: scams.reduce((sum, { loss }) => sum + (loss?.victims ?? 0), 0),
    counterparties: new Set(facts.movements.map(({ other }) => other)).size,
    medianTokenLifetimeH: median(lifetimesH(facts)),
    funding: funding ? { funder: funding.other, txHash: funding.firstTx } : null,
    clusterId: facts.ring?.id ?? '',
    firstSeenS: firstS,
    lastActivityS: lastS,
    labels: reputationLabels(record),
    factors,
    behaviours: behavioursOf(facts, record),
    steps,
  };
};
