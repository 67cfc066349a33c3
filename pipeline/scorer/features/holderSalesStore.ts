import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache } from '../readCache.ts';
import { UP_TO } from './transferStore.ts';

/** Transfers between pools and others that are read of a token, the latest ones. */
const TRADES_MAX = 1_000;

const tradesSql = `SELECT ${hexText('t.token')} AS address, groupArray((t.block_number, ${hexText('t.trader')}, t.is_sale, ${hexText('t.tx_hash')})) AS trades
  FROM (SELECT token, block_number, log_index, tx_hash, to_address IN ${inAddresses('pools')} AS is_sale, if(is_sale, from_address, to_address) AS trader
    FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('tokens')} AND value > 0
      AND (from_address IN ${inAddresses('pools')} OR to_address IN ${inAddresses('pools')})
    ORDER BY token, block_number DESC, log_index DESC LIMIT ${TRADES_MAX} BY token) AS t
  GROUP BY t.token`;
const tradesSchema = z.object({
  address: addressSchema,
  /** Block, trader, whether it is a sale, transaction; the latest first. */
  trades: z.array(z.tuple([z.number(), addressSchema, z.number(), hashSchema])),
});
/** Wallets that a creator sent native currency, of those asked for. */
const fundedSql = `SELECT ${hexText('from_address')} AS creator, groupUniqArray(${hexText('to_address')}) AS wallets
  FROM fact_native_transfers FINAL WHERE chain_id = {chainId:UInt64} AND to_address IN ${inAddresses('wallets')}
    AND from_address IN ${inAddresses('creators')} GROUP BY from_address`;
const fundedSchema = z.object({ creator: addressSchema, wallets: z.array(addressSchema) });

/** A token whose trades are asked for. */
export interface TradedToken {
  readonly token: Hex;
  readonly creator: Hex;
  readonly pools: readonly Hex[];
}

/** Tokens that went from a pool to somebody, or from somebody to a pool. */
export interface HolderTrade {
  readonly blockNumber: number;
  readonly trader: Hex;
  readonly isSale: boolean;
  readonly txHash: Hex;
}

/** The latest trades of a token, in the order in which they happened, and who of the traders belongs to its creator. */
export interface HolderTrades {
  readonly trades: readonly HolderTrade[];
  /** Traders that are the creator, the token itself, a pool, or were sent native currency by the creator. */
  readonly insiders: ReadonlySet<Hex>;
}

export interface HolderSalesStore {
  /** Trades in pools of Uniswap V2, by token; none for a token that was never traded there. */
  read(
    chainId: number,
    tokens: readonly TradedToken[],
    upTo: number,
  ): Promise<Map<Hex, HolderTrades>>;
}

export const createHolderSalesStore = (
  clickhouse: Clickhouse,
  cache: ReadCache,
): HolderSalesStore => ({
  read: async (chainId, tokens, upTo) => {
    const byToken = new Map(tokens.map((one) => [one.token, one]));
    const found = await cache.read({
      of: 'holder trades',
      keys: tokens.map(({ token }) => token),
      upTo,
      dependsOn: (token) => [`transfers ${token}`],
      read: async (missing) => {
        const pools = missing.flatMap((token) => byToken.get(token)?.pools ?? []);
        const params = {
          chainId,
          tokens: missing.map(addressParam),
          pools: pools.map(addressParam),
          upTo,
        };
        const rows = await clickhouse.query(tradesSql, params, tradesSchema);
        return new Map(rows.map(({ address, trades }) => [address, trades]));
      },
    });
    const traders = [...found.values()].flatMap((trades) => trades.map(([, trader]) => trader));
    const funded =
      traders.length === 0
        ? []
        : await clickhouse.query(
            fundedSql,
            {
              chainId,
              wallets: [...new Set(traders)].map(addressParam),
              creators: tokens.map(({ creator }) => addressParam(creator)),
            },
            fundedSchema,
          );
    const fundedBy = new Map(funded.map(({ creator, wallets }) => [creator, wallets]));
    return new Map(
      [...found].flatMap(([token, rows]): [Hex, HolderTrades][] => {
        const asked = byToken.get(token);
        if (!asked) return [];
        const { creator, pools } = asked;
        const insiders = new Set([creator, token, ...pools, ...(fundedBy.get(creator) ?? [])]);
        const trades = rows.toReversed().map(([blockNumber, trader, isSale, txHash]) => {
          return { blockNumber, trader, isSale: isSale === 1, txHash };
        });
        return [[token, { trades, insiders }]];
      }),
    );
  },
});
