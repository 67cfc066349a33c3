import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import {
  COUNTERPARTIES_MAX,
  type PastCounterparty,
  pastCounterpartySchema,
} from './counterparties.ts';

/** Reads the counterparties of wallets from the index. */
export interface CounterpartyReader {
  /**
   * Addresses with which the given tokens or native currency moved: the latest of each wallet, ordered from oldest to
   * newest.
   * @param span of blocks and Unix seconds
   */
  counterparties(
    wallets: readonly Hex[],
    span: {
      readonly beforeBlock: number;
      readonly sinceS: number;
      readonly valued: readonly Hex[];
    },
  ): Promise<PastCounterparty[]>;
}

/** Rows read per wallet: an address may appear once per token, and for dust. */
const READ_MAX = 4 * COUNTERPARTIES_MAX;
/** Wei per whole native unit. */
const WEI = 1e18;

/** Tombstones are ignored: a payment in an orphaned block was still intended. Latest first. */
const sql = `SELECT ${hexText('c.wallet')} AS wallet, ${hexText('c.other')} AS other, nullIf(${hexText('c.token')}, '${ZERO_ADDRESS}') AS token,
    c.largest AS largest, c.last_s AS lastSeenS FROM (
    SELECT ends.1 AS wallet, ends.2 AS other, t.token AS token, toFloat64(max(t.value)) AS largest, toUnixTimestamp(max(t.timestamp)) AS last_s
    FROM fact_transfers AS t ARRAY JOIN [(t.from_address, t.to_address), (t.to_address, t.from_address)] AS ends
    WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('valued')} AND t.block_number < {beforeBlock:UInt64}
      AND t.timestamp >= toDateTime({sinceS:UInt32}) AND t.is_deleted = 0 AND t.value > 0
      AND (t.from_address IN ${inAddresses('wallets')} OR t.to_address IN ${inAddresses('wallets')}) AND ends.1 IN ${inAddresses('wallets')}
    GROUP BY wallet, other, token
    UNION ALL
    SELECT n.node AS wallet, n.other AS other, toFixedString(unhex({native:String}), 20) AS token, max(n.value) * ${WEI} AS largest,
      toUnixTimestamp(max(n.last_at)) AS last_s
    FROM graph_neighbours AS n
    WHERE n.chain_id = {chainId:UInt64} AND n.node IN ${inAddresses('wallets')} AND n.source = 'movement' AND n.kind = 'native'
      AND n.block_number < {beforeBlock:UInt64} AND n.last_at >= toDateTime({sinceS:UInt32}) AND n.is_deleted = 0
    GROUP BY wallet, other, token
  ) AS c ORDER BY c.last_s DESC LIMIT ${READ_MAX} BY c.wallet`;

/** The facts of one chain in ClickHouse. */
export const createCounterpartyReader = (
  clickhouse: Clickhouse,
  chainId: number,
): CounterpartyReader => ({
  counterparties: async (wallets, { beforeBlock, sinceS, valued }) => {
    const latestFirst = await clickhouse.query(
      sql,
      {
        chainId,
        beforeBlock,
        sinceS: Math.max(0, sinceS),
        native: addressParam(ZERO_ADDRESS),
        valued: valued.map(addressParam),
        wallets: wallets.map(addressParam),
      },
      pastCounterpartySchema,
    );
    return latestFirst.toReversed();
  },
});
