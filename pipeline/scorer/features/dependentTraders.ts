import type { Hex } from '../../../shared/chain/block.ts';
import type { HolderTrade } from './readTrades.ts';

/**
 * Payers up to which a wallet can belong to one person. Exchanges, bridges and faucets reach more within minutes; to
 * imitate a hub, a wallet would have to be paid by this many others first.
 */
const PRIVATE_PAYERS_MAX = 32;
/** Payers kept per wallet: enough to tell that it is not private. */
export const PAYERS_KEPT_MAX = PRIVATE_PAYERS_MAX + 1;

/** Who paid a wallet native currency, and in which block first, in that order. */
export type Payers = readonly (readonly [payer: Hex, blockNumber: number])[];

/**
 * Whether a wallet has so many payers that it serves anyone: that it pays two wallets does not connect them.
 */
export const isService = (payers: Payers): boolean => payers.length > PRIVATE_PAYERS_MAX;

/**
 * The funder of a wallet: the first that ever paid it, if private. Later payments do not count because anyone can
 * send coins to wallets in use.
 * @param payersOf payers of each examined wallet
 * @param upTo the last block that counts
 */
const funderOf = (
  payersOf: ReadonlyMap<Hex, Payers>,
  wallet: Hex,
  upTo: number,
): Payers[number] | undefined => {
  const [first] = payersOf.get(wallet) ?? [];
  const above = first && payersOf.get(first[0]);
  if (!above || first[1] > upTo) return undefined;
  // A hub to which the wallets return their money was private before.
  return isService(above.filter(([, block]) => block <= first[1])) ? undefined : first;
};

/** The chain of funders of a wallet: itself first. */
const originsOf = (payersOf: ReadonlyMap<Hex, Payers>, wallet: Hex, upTo: number): Hex[] => {
  const origins = [wallet];
  let funder = funderOf(payersOf, wallet, upTo);
  while (funder && !origins.includes(funder[0])) {
    origins.push(funder[0]);
    funder = funderOf(payersOf, ...funder);
  }
  return origins;
};

/**
 * Traders whose trades say nothing about independent holders: the creator, wallets that it funded before they traded,
 * directly or through others, wallets with a common funder with it, and all but the first of several with another
 * common funder. A person who trades with himself thus counts once, whether or not anything links him to the creator;
 * but nobody is accused because of that.
 * @param trades in chronological order
 * @returns on whom each of them depends
 */
export const dependentTraders = (
  creator: Hex,
  trades: readonly Pick<HolderTrade, 'trader' | 'blockNumber'>[],
  payersOf: ReadonlyMap<Hex, Payers>,
): ReadonlyMap<Hex, Hex> => {
  const representatives = new Map(
    originsOf(payersOf, creator, Number.POSITIVE_INFINITY).map((wallet) => [wallet, creator]),
  );
  const [dependents, seen] = [new Map([[creator, creator]]), new Set<Hex>()];
  for (const { trader, blockNumber } of trades) {
    // Payments count up to the first trade.
    if (seen.has(trader)) continue;
    seen.add(trader);
    const origins = originsOf(payersOf, trader, blockNumber);
    const isPaid = payersOf
      .get(trader)
      ?.some(([payer, block]) => payer === creator && block <= blockNumber);
    const [representative = trader] = origins.flatMap(
      (wallet) => representatives.get(wallet) ?? [],
    );
    for (const wallet of origins) representatives.set(wallet, representative);
    if (isPaid) dependents.set(trader, creator);
    else if (representative !== trader) dependents.set(trader, representative);
  }
  return dependents;
};
