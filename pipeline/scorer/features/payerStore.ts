import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Reads } from '../readCache.ts';
import { isService, PAYERS_KEPT_MAX, type Payers } from './dependentTraders.ts';
import { UP_TO } from './transferStore.ts';

/** Smaller payments, in wei, cannot fund a trade: anyone sends such amounts to anyone. */
const DUST_WEI = 10n ** 14n;
/** First payments examined per wallet. */
const PAYMENTS_READ_MAX = 1_000;
/**
 * Wallets, their first payers, the first payers of those, and so on. One query covers two of these generations.
 */
const GENERATIONS_MAX = 4;

const PAID = `FROM fact_native_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND from_address != to_address AND value > ${DUST_WEI}
    AND to_address IN`;
/** Payers of wallets, and of each of their first payers. */
const payersSql = `SELECT ${hexText('p.wallet')} AS wallet,
    arrayMap(x -> (x.2, x.1.1), arraySlice(arraySort(groupArray((p.paid_at, ${hexText('p.payer')}))), 1, ${PAYERS_KEPT_MAX})) AS payers
  FROM (SELECT wallet, payer, min((block, place)) AS paid_at
    FROM (SELECT to_address AS wallet, from_address AS payer, block_number AS block, tx_index AS place
      ${PAID} (SELECT arrayJoin([to_address, argMin(from_address, (block_number, tx_index))]) ${PAID} ${inAddresses('wallets')} GROUP BY to_address)
      ORDER BY to_address, block_number, tx_index LIMIT ${PAYMENTS_READ_MAX} BY to_address)
    GROUP BY wallet, payer) AS p
  GROUP BY p.wallet`;
const payersSchema = z.object({
  wallet: addressSchema,
  payers: z.array(z.tuple([addressSchema, z.number()])),
});

/** The first payers of some wallets. */
const firstPayersOf = (found: ReadonlyMap<Hex, Payers>, wallets: readonly Hex[]): Hex[] => [
  ...new Set(wallets.flatMap((wallet) => found.get(wallet)?.[0]?.[0] ?? [])),
];

/**
 * Payers of wallets in native currency, the payers of their first payers, and so on, in at most two queries.
 * @returns payers by wallet; none for a wallet that was never paid
 */
export const readPayers = async (
  { clickhouse, cache }: Reads,
  { chainId, upTo }: { readonly chainId: number; readonly upTo: number },
  wallets: readonly Hex[],
): Promise<Map<Hex, Payers>> => {
  type Read = (missing: readonly Hex[]) => Promise<Map<Hex, Payers>>;
  const readOf = (keys: readonly Hex[], read: Read) =>
    cache.read<Hex, Payers>({
      of: 'payers',
      keys,
      upTo,
      // First payers never change.
      dependsOn: (wallet, payers = []) => (isService(payers) ? [] : [`funds ${wallet}`]),
      read,
    });
  const ask: Read = async (missing) => {
    const params = { chainId, upTo, wallets: missing.map(addressParam) };
    const rows = await clickhouse.query(payersSql, params, payersSchema);
    const found = new Map<Hex, Payers>(rows.map(({ wallet, payers }) => [wallet, payers]));
    // The next generation is cached, so that it need not be queried.
    await readOf(firstPayersOf(found, missing), async () => found);
    return found;
  };
  const known = new Map<Hex, Payers>();
  // Burnt coins are sent to the zero address, which belongs to nobody.
  let next = wallets.filter((wallet) => wallet !== ZERO_ADDRESS);
  for (let generation = 0; generation < GENERATIONS_MAX && next.length > 0; generation += 1) {
    const found = await readOf(next, ask);
    for (const wallet of next) known.set(wallet, found.get(wallet) ?? []);
    next = firstPayersOf(found, next).filter((payer) => !known.has(payer));
  }
  return known;
};
