import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache } from '../readCache.ts';

/** A token, its creator, and the holder of its main market's assets. */
export interface LaunchPlace {
  readonly token: Hex;
  readonly creator: Hex;
  readonly holder: Hex;
}

/** What left a market in the very block in which it first held tokens. Raw tokens. */
export type Launch = Omit<z.infer<typeof launchRow>, 'address'>;

export interface LaunchStore {
  /** Launches by token; absent if nothing was bought that early. */
  read(chainId: number, places: readonly LaunchPlace[], upTo: number): Promise<Map<Hex, Launch>>;
}

/**
 * For every market that has held tokens; later blocks do not change the result. In a transaction that adds tokens to
 * a pool, or creates a curve, unused tokens also leave the market: returned tokens are no purchase. What the
 * launching contract buys and passes on in the same transaction counts as the creator's.
 */
const launchSql = `SELECT ${hexText('m.token')} AS address, m.opened AS block, toFloat64(sumIf(m.value, m.is_bought)) AS bought,
    least(bought, toFloat64(sumIf(m.value, m.to_address = m.creator AND (m.is_bought OR (m.from_address != m.creator AND has(m.buyers, m.from_address)))))) AS boughtByCreator,
    ${hexText('argMaxIf(m.tx_hash, m.value, m.is_bought)')} AS txHash
  FROM (SELECT token, block_number, to_address, from_address, value, tx_hash,
      toFixedString(unhex(transform(lower(hex(token)), {tokens:Array(String)}, {holders:Array(String)}, '')), 20) AS holder,
      toFixedString(unhex(transform(lower(hex(token)), {tokens:Array(String)}, {creators:Array(String)}, '')), 20) AS creator,
      minIf(block_number, to_address = holder) OVER (PARTITION BY token) AS opened, from_address = holder AS is_bought,
      groupUniqArrayIf(1000)(to_address, is_bought) OVER (PARTITION BY token, tx_hash) AS buyers
    FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
      AND block_number <= {upTo:UInt64}) AS m
  WHERE m.block_number = m.opened AND m.to_address != toFixedString('', 20)
  GROUP BY m.token, m.opened`;
const launchRow = z.object({
  address: addressSchema,
  block: z.number(),
  bought: z.number(),
  /** The creator's part of it. */
  boughtByCreator: z.number(),
  /** The transaction with the largest amount. */
  txHash: hashSchema,
});

/** First blocks of markets, in `fact_transfers`. */
export const createLaunchStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
): LaunchStore => ({
  read: async (chainId, places, upTo) => {
    const placeOf = new Map(places.map((place) => [`${place.token} ${place.holder}`, place]));
    const found = await cache.read({
      of: 'launch',
      keys: [...placeOf.keys()],
      upTo,
      read: async (missing) => {
        const asked = missing.flatMap((key) => placeOf.get(key) ?? []);
        const params = {
          chainId,
          tokens: asked.map(({ token }) => addressParam(token)),
          holders: asked.map(({ holder }) => addressParam(holder)),
          creators: asked.map(({ creator }) => addressParam(creator)),
          upTo,
        };
        const rows = await clickhouse.query(launchSql, params, launchRow);
        const holderOf = new Map(asked.map(({ token, holder }) => [token, holder]));
        return new Map(rows.map((row) => [`${row.address} ${holderOf.get(row.address)}`, row]));
      },
      dependsOn: (key, launch) => {
        const place = placeOf.get(key);
        return place && (launch ? [] : [`transfers ${place.token}`]);
      },
    });
    return new Map(
      [...found.values()]
        .filter(({ bought }) => bought > 0)
        .map((launch) => [launch.address, launch]),
    );
  },
});
