import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { OUTCOME_WINDOW_S } from '../outcome/rugLabel.ts';
import type { HolderTrades } from './holderSalesStore.ts';
import { EVIDENCE_MAX } from './holdersExperience.ts';
import type { HolderTrade } from './readTrades.ts';
import type { StoredTransfers } from './transferStore.ts';

/**
 * Share of the tokens in all markets that a wallet must have received to count: an airdrop has hundreds of
 * recipients, who receive less each.
 */
const GIVEN_SHARE_MIN = 0.005;

/** Recipients of a wallet up to which it may be an insiders' intermediary. */
const RECIPIENTS_MAX = 10;

/** What wallets sold of tokens that they had received. */
export interface InsiderSales {
  /**
   * By the wallets that received much, minus what they bought, as a share of the tokens now in all markets, 0 to 1.
   */
  readonly share: number;
  /** The last sales of the largest sellers. */
  readonly txHashes: readonly Hex[];
}

/** Sales count up to the received amount: earlier purchases may not be among the trades. */
const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * For each transfer, the part that its sender had received without a log. Empty if the logs do not begin with the
 * creation, or a market paid out more than it received: then some logs are missing, or balances grow by themselves.
 */
const madeInSilence = (
  transfers: StoredTransfers['transfers'],
  markets: ReadonlySet<Hex>,
): readonly bigint[] => {
  const held = new Map<Hex, bigint>();
  const unseen = transfers.map(([, from, to, value]) => {
    const [had, sent] = [held.get(from) ?? 0n, BigInt(value)];
    held.set(from, had > sent ? had - sent : 0n);
    held.set(to, (held.get(to) ?? 0n) + sent);
    return from === ZERO_ADDRESS || had >= sent ? 0n : sent - had;
  });
  const isMissing = transfers.some(([, from], i) => markets.has(from) && unseen[i] !== 0n);
  return transfers[0]?.[1] === ZERO_ADDRESS && !isMissing ? unseen : [];
};

/**
 * What a creator gave to wallets, or a creation minted for them, with or without a log, directly or through
 * intermediaries, in raw units. It includes amounts added to pools since, because a withdrawal returns them. It
 * excludes what presales, claims and exchanges passed on, which serve many.
 */
export const givenTokens = (
  { transfers, pool_holders: holders }: Pick<StoredTransfers, 'transfers' | 'pool_holders'>,
  givers: ReadonlySet<Hex>,
): Map<Hex, bigint> => {
  const markets = new Set(holders);
  const between = new Set(
    [...groupBy(transfers, ([, from]) => from)]
      .filter(([, own]) => new Set(own.map(([, , to]) => to)).size <= RECIPIENTS_MAX)
      .flatMap(([from]) => (markets.has(from) ? [] : [from])),
  );
  const given = new Map<Hex, bigint>();
  const add = (wallet: Hex, amount: bigint) =>
    given.set(wallet, (given.get(wallet) ?? 0n) + amount);
  const silent = madeInSilence(transfers, markets);
  for (const [i, [, from, to, value]] of transfers.entries()) {
    const made = silent[i] ?? 0n;
    if (made > 0n) add(from, made);
    const amount = givers.has(from) ? BigInt(value) : lesser(BigInt(value), given.get(from) ?? 0n);
    const isPassedOn = givers.has(from) || between.has(from);
    if (amount > 0n && isPassedOn && !markets.has(to)) add(to, amount);
  }
  return given;
};

/**
 * What a creator, and wallets that depend on it, bought before others did, or in the same block: nobody else could
 * buy as early.
 */
export const earliestPurchases = (
  { trades, dependents }: Pick<HolderTrades, 'trades' | 'dependents'>,
  creator: Hex,
): HolderTrade[] => {
  const isOwn = ({ trader }: HolderTrade) => dependents.get(trader) === creator;
  const others = trades.find((trade) => !isOwn(trade))?.blockNumber ?? Number.POSITIVE_INFINITY;
  return trades.filter((one) => !one.isSale && one.blockNumber <= others && isOwn(one));
};

/**
 * @param given by `givenTokens`
 * @param inMarkets tokens now in all markets, raw units
 * @param sinceS sales from this time on count, Unix seconds; purchases always do
 */
export const insiderSales = (
  trades: readonly HolderTrade[],
  given: ReadonlyMap<Hex, bigint>,
  inMarkets: number,
  sinceS: number,
): InsiderSales => {
  const sellers = new Map<Hex, { sold: bigint; txHash: Hex }>();
  for (const { trader, isSale, amount, timestampS, txHash } of trades) {
    const own = Number(given.get(trader) ?? 0n);
    if (own < GIVEN_SHARE_MIN * inMarkets || (isSale && timestampS < sinceS)) continue;
    const before = sellers.get(trader) ?? { sold: 0n, txHash };
    const sold = before.sold + (isSale ? amount : -amount);
    sellers.set(trader, { sold, txHash: isSale ? txHash : before.txHash });
  }
  const largest = [...sellers]
    .map(([seller, { sold, txHash }]) => {
      return { sold: lesser(sold, given.get(seller) ?? 0n), txHash };
    })
    .filter(({ sold }) => sold > 0n)
    .toSorted((one, other) => (one.sold > other.sold ? -1 : 1));
  const sold = largest.reduce((sum, one) => sum + one.sold, 0n);
  return {
    share: Math.min(1, Number(sold) / Math.max(1, inMarkets)),
    txHashes: largest.slice(0, EVIDENCE_MAX).map(({ txHash }) => txHash),
  };
};

/** Insider sales in the week before a time, Unix seconds; undefined if trades or transfers are unknown. */
export const insiderSalesOf = (
  found: HolderTrades | undefined,
  transfers: StoredTransfers | undefined,
  { creator, inMarkets, atS }: { creator: Hex; inMarkets: number; atS: number },
): InsiderSales | undefined => {
  if (!found || !transfers) return undefined;
  const before = transfers.transfers.filter(([timestampS]) => timestampS <= atS);
  const given = givenTokens({ ...transfers, transfers: before }, new Set([creator, ZERO_ADDRESS]));
  const first = new Set(earliestPurchases(found, creator));
  for (const { trader, amount } of first) given.set(trader, (given.get(trader) ?? 0n) + amount);
  const trades = found.trades.filter((trade) => !first.has(trade));
  return insiderSales(trades, given, inMarkets, atS - OUTCOME_WINDOW_S);
};
