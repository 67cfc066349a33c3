import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';

/** A token, its creator, and who holds what is in its main market. */
export interface LaunchPlace {
  readonly token: Hex;
  readonly creator: Hex;
  readonly holder: Hex;
}

/** What left a market in the very block in which it first held tokens. Raw tokens. */
export interface Launch {
  readonly block: number;
  readonly bought: number;
  /** Of that, what came to the creator. */
  readonly boughtByCreator: number;
  /** The transaction that took most. */
  readonly txHash: Hex;
}

export interface LaunchStore {
  /** Launches by token; none where nothing was bought so early. */
  read(chainId: number, places: readonly LaunchPlace[], upTo: number): Promise<Map<Hex, Launch>>;
}

/**
 * The rest of a transaction that pools tokens, or makes a curve, also leaves the market: what comes back to it is no purchase. To the creator
 * comes also what the contract that launches the token bought and passes on in the same transaction.
 */
const launchSql = `SELECT ${hexText('m.token')} AS address, m.opened AS block, toFloat64(sumIf(m.value, m.is_bought)) AS bought,
    least(bought, toFloat64(sumIf(m.value, m.to_address = m.creator))) AS by_creator, ${hexText('argMaxIf(m.tx_hash, m.value, m.is_bought)')} AS tx
  FROM (SELECT token, block_number, to_address, from_address, value, tx_hash,
      toFixedString(unhex(transform(lower(hex(token)), {tokens:Array(String)}, {holders:Array(String)}, '')), 20) AS holder,
      toFixedString(unhex(transform(lower(hex(token)), {tokens:Array(String)}, {creators:Array(String)}, '')), 20) AS creator,
      minIf(block_number, to_address = holder) OVER (PARTITION BY token) AS opened, from_address = holder AS is_bought,
      groupUniqArrayIf(1000)(to_address, is_bought) OVER (PARTITION BY token, tx_hash) AS buyers
    FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
      AND block_number <= {upTo:UInt64}) AS m
  WHERE m.block_number = m.opened AND m.to_address != toFixedString('', 20) AND m.value > 0
    AND (m.is_bought OR (m.to_address = m.creator AND m.from_address != m.creator AND has(m.buyers, m.from_address)))
  GROUP BY m.token, m.opened HAVING bought > 0`;
const launchRow = z.object({
  address: addressSchema,
  block: z.number(),
  bought: z.number(),
  by_creator: z.number(),
  tx: hashSchema,
});

/** First blocks of markets, in `fact_transfers`. */
export const createLaunchStore = (clickhouse: Clickhouse): LaunchStore => ({
  read: async (chainId, places, upTo) => {
    if (places.length === 0) return new Map();
    const params = {
      chainId,
      tokens: places.map(({ token }) => addressParam(token)),
      holders: places.map(({ holder }) => addressParam(holder)),
      creators: places.map(({ creator }) => addressParam(creator)),
      upTo,
    };
    const rows = await clickhouse.query(launchSql, params, launchRow);
    return new Map(
      rows.map(({ address, block, bought, by_creator: boughtByCreator, tx: txHash }) => [
        address,
        { block, bought, boughtByCreator, txHash },
      ]),
    );
  },
});
