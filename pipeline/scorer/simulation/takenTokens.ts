import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { hashSchema } from '../../../shared/messages/schemas.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import type { HolderTrials } from '../checks/checkInput.ts';
import type { HolderTrades } from '../features/holderSalesStore.ts';
import type { HolderTrade } from '../features/readTrades.ts';
import { readSenders } from '../token/readSenders.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { addressInWord, encodeCall, quantity } from './evmCode.ts';
import { resultOf } from './readOutcomes.ts';
import type { Head } from './simulateParams.ts';

/**
 * Wallets that lost what they bought, from which the cause is not specific to single wallets, and their share of
 * those examined.
 */
const WALLETS_MIN = 3;
const SHARE_MIN = 0.1;
/** Remaining fraction of a purchase that counts as nothing: decaying or split balances leave more. */
const LEFT_PART = 1_000n;
/** Blocks that are searched: earlier approvals of a wallet are unknown. */
const LOOKED_BACK_BLOCKS = 10_000;
/**
 * Transactions besides its purchases that moved or approved tokens of a wallet, up to which it counts: a frequent
 * trader has approved more than is examined. It also limits the requests to the node for a token that logs without
 * end.
 */
const ACTS_MAX = 4;

const logsSchema = z.array(
  z.object({ topics: z.array(hashSchema).min(2), transactionHash: hashSchema }),
);

/** Some elements of a list, at even distances. */
export const spreadOver = <T>(all: readonly T[], count: number): T[] =>
  Array.from(
    { length: count },
    (_, i) => all[Math.floor(((i + 0.5) * all.length) / count)],
  ).flatMap((one) => one ?? []);

/** Wallets examined: each is a read of its balance. */
const LOOKED_AT_MAX = 24;

/**
 * Wallets that bought, never sold, and are independent, or any if all are dependent; if there are many, some at even
 * distances by time of purchase. Sellers have nothing left to lose, and wallets that sell to make a token look alive
 * belong to its creator.
 */
export const keepersOf = ({ trades, dependents }: HolderTrades): Hex[] => {
  const sellers = new Set(trades.flatMap(({ trader, isSale }) => (isSale ? [trader] : [])));
  const all = [...new Set(trades.map(({ trader }) => trader))].filter((one) => !sellers.has(one));
  const independent = all.filter((one) => !dependents.has(one));
  const keepers = independent.length > 0 ? independent : all;
  return keepers.length > LOOKED_AT_MAX ? spreadOver(keepers, LOOKED_AT_MAX) : keepers;
};

/** Purchases of those who have nothing left, by wallet. */
const purchasesGone = (
  trades: readonly HolderTrade[],
  balances: ReadonlyMap<Hex, bigint>,
): [Hex, HolderTrade[]][] =>
  [...groupBy(trades, ({ trader }) => trader)].filter(([trader, own]) => {
    const bought = own.reduce((sum, { amount }) => sum + amount, 0n);
    const left = balances.get(trader);
    return left !== undefined && left * LEFT_PART < bought;
  });

/**
 * Buyers who lost their tokens although they sent nothing away and approved nobody but the router: according to the
 * token's logs nobody took them, or somebody did in a transaction of his own. The node is asked only if many of the
 * examined wallets have nothing left, without a sale; undefined if too few were robbed, or the node does not say.
 * Only wallets that sent their purchases themselves count: tokens in a contract are moved by others.
 * @param balances of the examined wallets (`keepersOf`), as far as known
 */
export const findTaken = async (
  node: ChainNode,
  { token, holders }: { readonly token: Hex; readonly holders: HolderTrades },
  head: Head,
  balances: ReadonlyMap<Hex, bigint>,
): Promise<HolderTrials['taken']> => {
  const since = Math.max(0, head.number - LOOKED_BACK_BLOCKS);
  const isEnough = ({ length }: readonly unknown[]): boolean =>
    length >= Math.max(WALLETS_MIN, SHARE_MIN * balances.size);
  const gone = purchasesGone(holders.trades, balances).flatMap(([wallet, [first]]) =>
    first && first.blockNumber >= since ? [{ wallet, bought: first.txHash }] : [],
  );
  if (!isEnough(gone)) return undefined;
  const filter = {
    address: token,
    fromBlock: quantity(since),
    toBlock: quantity(head.number),
    topics: [[TOPIC.transfer, TOPIC.approval], gone.map(({ wallet }) => encodeCall('0x', wallet))],
  };
  const [found] = await node.batch([{ method: 'eth_getLogs', params: [filter] }]);
  const { data: logs } = logsSchema.safeParse(resultOf(found));
  if (!logs) return undefined;
  const routers = new Set<unknown>(holders.routers.values());
  const purchases = new Set(holders.trades.map(({ txHash }) => txHash));
  const acts = logs.flatMap(({ topics: [event, by, to], transactionHash: txHash }) => {
    const isUsual = event === TOPIC.approval && routers.has(addressInWord(to));
    return isUsual || purchases.has(txHash) ? [] : [{ by: addressInWord(by), txHash }];
  });
  const actsOf = groupBy(
    acts,
    ({ by }) => by,
    ({ txHash }) => txHash,
  );
  const looked = gone
    .map((one) => ({ ...one, own: [...new Set(actsOf.get(one.wallet))] }))
    .filter(({ own }) => own.length <= ACTS_MAX);
  if (!isEnough(looked)) return undefined;
  const senderOf = await readSenders(node, [
    ...new Set(looked.flatMap(({ bought, own }) => [bought, ...own])),
  ]);
  const robbed = looked.flatMap(({ wallet, bought, own }) => {
    const isPassive = own.every((one) => ![wallet, undefined].includes(senderOf.get(one)));
    return senderOf.get(bought) === wallet && isPassive ? [{ bought, takenBy: own.at(-1) }] : [];
  });
  return isEnough(robbed) ? { robbed, of: balances.size } : undefined;
};
