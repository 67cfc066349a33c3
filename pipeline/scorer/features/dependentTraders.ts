import type { Hex } from '../../../shared/chain/block.ts';
import type { HolderTrade } from './readTrades.ts';

/**
 * Wallets that paid one, up to which it can belong to one person. Exchanges, bridges and faucets are paid by more within minutes; a hub that is to
 * look like one has to be paid by so many others first.
 */
const PRIVATE_PAYERS_MAX = 32;
/** Payers of a wallet that are kept: enough to tell that it is not private. */
export const PAYERS_KEPT_MAX = PRIVATE_PAYERS_MAX + 1;

/** Who paid a wallet native currency, and in which block first, in that order. */
export type Payers = readonly (readonly [payer: Hex, blockNumber: number])[];

/** Whether so many paid a wallet that it serves anyone: that it pays two wallets does not connect them. */
export const isService = (payers: Payers): boolean => payers.length > PRIVATE_PAYERS_MAX;

/**
 * Who funded a wallet: the first that ever paid it, if that is private. Later payments do not count: anyone can send coins to wallets that are in use.
 * @param payersOf payers of each wallet that was looked at
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

/** The wallets that a wallet comes from, by payment upon payment: itself first. */
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
 * Whose trades say nothing of others: the creator, those that it paid before they traded, itself or through others, those that come from one
 * wallet with it, and of several that come from another all but the first. Whoever trades with himself counts once so, whether anything links
 * him to the creator or not; but nobody is accused for that.
 * @param trades in the order in which they happened
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
