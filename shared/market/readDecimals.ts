import { z } from 'zod';
import { addressParam, inAddresses } from '../chain/address.ts';
import type { Hex } from '../chain/block.ts';
import { addressSchema } from '../messages/schemas.ts';
import type { Database } from '../platform/clickhouse.ts';
import { hexText } from '../rules/hexText.ts';

const decimalsSql = `SELECT ${hexText('t.token')} AS address, assumeNotNull(t.decimals) AS digits
  FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')} AND t.decimals IS NOT NULL`;
const decimalsRow = z.object({ address: addressSchema, digits: z.number() });

/** Decimals of those tokens that are indexed and report them. */
export const readDecimals = async (
  clickhouse: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Map<Hex, number>> => {
  if (tokens.length === 0) return new Map();
  const params = { chainId, tokens: tokens.map(addressParam) };
  const rows = await clickhouse.query(decimalsSql, params, decimalsRow);
  return new Map(rows.map(({ address, digits }) => [address, digits]));
};
