import type { WalletFeatureName } from '../../../shared/messages/featureNames.ts';
import { LP_BURN_ADDRESSES, LP_LOCKERS } from './lpFeatures.ts';
import { ratio } from './numbers.ts';

/** One transfer of the token; addresses are lower case, `value` is the raw integer. */
export type TokenTransfer = { timestampS: number; from: string; to: string; value: bigint };

/** The first recorded native payment to a wallet from another. */
export type FirstFunding = {
  atS: number;
  /** Whether the sender had created a token by then; undefined if unknown. */
  byCreator: boolean | undefined;
};

/** Recorded data on a token's wallets. An undefined part makes its features missing. */
export type WalletSeries = {
  /** When the token was created, Unix seconds. */
  createdS: number;
  creator: string | undefined;
  /** All transfers in (block, log index) order; undefined if unknown or too many to read. */
  transfers: readonly TokenTransfer[] | undefined;
  /** Pools and the token's own contract: not wallets. */
  notWallets: ReadonlySet<string>;
  /** First fundings of wallets, if recorded. */
  fundings: ReadonlyMap<string, FirstFunding> | undefined;
  /** When the record of fundings begins, Unix seconds. */
  fundingsSinceS: number;
};

/** Transfers of a token that are read: tokens with more have no holder features. */
export const TOKEN_TRANSFERS_MAX = 1_000;
/** Number of largest holders whose wallet age is examined. */
const AGED_HOLDERS_MAX = 20;
/** A wallet funded at most this long before it first received the token was created for it. */
const FRESH_S = 86_400;
/** A record this short before the time in question cannot distinguish a new wallet from an old one. */
const RECORD_S_MIN = 7 * 86_400;
const TOP_HOLDERS = 10;

type HolderWalk = {
  balances: Map<string, bigint>;
  receivedS: Map<string, number>;
  neighbours: Map<string, Set<string>>;
};

type Wallets = Pick<WalletSeries, 'notWallets'>;

const isWallet = ({ notWallets }: Wallets, address: string): boolean =>
  !LP_BURN_ADDRESSES.has(address) && !LP_LOCKERS.has(address) && !notWallets.has(address);

const link = (neighbours: Map<string, Set<string>>, from: string, to: string): void => {
  const known = neighbours.get(from);
  if (known) known.add(to);
  else neighbours.set(from, new Set([to]));
};

/** The transfers up to a time; undefined if there are none, too many, or if unknown. */
const walkTransfers = (
  series: Wallets & Pick<WalletSeries, 'transfers'>,
  asOfS: number,
): HolderWalk | undefined => {
  const after = series.transfers?.findIndex(({ timestampS }) => timestampS > asOfS) ?? 0;
  const transfers = after === -1 ? (series.transfers ?? []) : series.transfers?.slice(0, after);
  if (!transfers?.length || transfers.length > TOKEN_TRANSFERS_MAX) return undefined;
  const walk: HolderWalk = { balances: new Map(), receivedS: new Map(), neighbours: new Map() };
  const { balances, receivedS, neighbours } = walk;
  for (const { timestampS, from, to, value } of transfers) {
    balances.set(from, (balances.get(from) ?? 0n) - value);
    balances.set(to, (balances.get(to) ?? 0n) + value);
    if (!receivedS.has(to)) receivedS.set(to, timestampS);
    if (from === to || !isWallet(series, from) || !isWallet(series, to)) continue;
    link(neighbours, from, to);
    link(neighbours, to, from);
  }
  return walk;
};

/** Wallets with a balance, largest first; ties by address. */
const holdersOf = (series: Wallets, { balances }: HolderWalk): [string, bigint][] =>
  [...balances]
    .filter(([address, balance]) => balance > 0n && isWallet(series, address))
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? 1 : -1));

/** Existing, unburned amount. Negative addresses, such as the minting one, do not count. */
const circulating = ({ balances }: HolderWalk): bigint => {
  let sum = 0n;
  for (const [address, balance] of balances) {
    if (balance > 0n && !LP_BURN_ADDRESSES.has(address)) sum += balance;
  }
  return sum;
};

/**
 * The global clustering coefficient: 3 · triangles / pairs of neighbours of one wallet, over the wallets that sent
 * each other the token. NaN if no wallet has two neighbours.
 */
const clustering = ({ neighbours }: HolderWalk): number => {
  let closed = 0;
  let pairs = 0;
  for (const [wallet, own] of neighbours) {
    pairs += (own.size * (own.size - 1)) / 2;
    for (const other of own) {
      const theirs = neighbours.get(other);
      if (theirs === undefined || wallet > other) continue;
      const [few, many] = own.size < theirs.size ? [own, theirs] : [theirs, own];
      for (const third of few) if (many.has(third)) closed += 1;
    }
  }
  // Every triangle was counted once on each of its three sides.
  return ratio(closed, pairs);
};

/** When a wallet was first funded; undefined if there is no record, or it is too short before `atS`. */
const fundingBefore = (series: WalletSeries, wallet: string, atS: number) => {
  const funding = series.fundings?.get(wallet);
  if (!funding || funding.atS > atS || atS - series.fundingsSinceS < RECORD_S_MIN) return undefined;
  return funding;
};

const freshShare = (
  series: WalletSeries,
  { receivedS }: HolderWalk,
  holders: readonly (readonly [string, bigint])[],
): number => {
  let known = 0;
  let fresh = 0;
  for (const [wallet] of holders.slice(0, AGED_HOLDERS_MAX)) {
    const atS = receivedS.get(wallet) ?? Number.NaN;
    const funding = fundingBefore(series, wallet, atS);
    if (!funding) continue;
    known += 1;
    if (atS - funding.atS <= FRESH_S) fresh += 1;
  }
  return ratio(fresh, known);
};

const holderFeatures = (series: WalletSeries, asOfS: number) => {
  const walk = walkTransfers(series, asOfS);
  if (!walk) return {};
  const holders = holdersOf(series, walk);
  const amounts = holders.map(([, balance]) => Number(balance));
  const held = amounts.reduce((sum, amount) => sum + amount, 0);
  const top = amounts.slice(0, TOP_HOLDERS).reduce((sum, amount) => sum + amount, 0);
  return {
    holderCount: holders.length,
    holderTopTenShare: Math.min(1, ratio(top, Number(circulating(walk)))),
    holderHerfindahl: ratio(
      amounts.reduce((sum, amount) => sum + amount * amount, 0),
      held * held,
    ),
    holderClustering: clustering(walk),
    holderFreshShare: freshShare(series, walk, holders),
  };
};

const originFeatures = (series: WalletSeries) => {
  const { creator, createdS } = series;
  const funding = creator === undefined ? undefined : fundingBefore(series, creator, createdS);
  if (!funding) return {};
  const { atS, byCreator } = funding;
  return {
    creatorAgeS: createdS - atS,
    ...(byCreator !== undefined && { creatorFundedByCreator: byCreator ? 1 : 0 }),
  };
};

/** The largest holders as of a time: the wallets whose first funding `holderFreshShare` needs. */
export const agedHolders = (
  series: Pick<WalletSeries, 'transfers' | 'notWallets'>,
  asOfS: number,
): string[] => {
  const walk = walkTransfers(series, asOfS);
  const holders = walk ? holdersOf(series, walk) : [];
  return holders.slice(0, AGED_HOLDERS_MAX).map(([wallet]) => wallet);
};

/**
 * Features of holders and creator as of a time; unknown ones are absent, never 0. The same function serves recorded
 * events and stored facts. Its cost is bounded by `TOKEN_TRANSFERS_MAX`.
 */
export const walletFeatures = (
  series: WalletSeries,
  asOfS: number,
): Partial<Record<WalletFeatureName, number>> => {
  const features = { ...holderFeatures(series, asOfS), ...originFeatures(series) };
  return Object.fromEntries(Object.entries(features).filter(([, value]) => !Number.isNaN(value)));
};
