import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { IndexedCreation } from './facts/creations.ts';

const positionSql = `SELECT p.epoch AS epoch, p.block_number AS number FROM chain_progress AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'scorer'`;
const positionRow = z.object({ epoch: countSchema, number: countSchema });

const creationsSql = `SELECT ${hexText('t.token')} AS token, ${hexText('t.creator')} AS creator,
    toString(t.creator_source) AS source, t.created_block AS number,
    ${hexText('t.created_block_hash')} AS hash, toUnixTimestamp(t.created_at) AS atS,
    ${hexText('t.created_tx')} AS txHash, ${hexText('t.code_hash')} AS codeHash
  FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')}
    AND t.creator != toFixedString('', 20)`;
const creationRow = z
  .object({
    token: addressSchema,
    creator: addressSchema,
    source: z.enum(['unknown', 'deployment', 'first_transfer', 'pair_created']),
    number: countSchema,
    hash: hashSchema,
    atS: countSchema,
    txHash: hashSchema,
    codeHash: hashSchema,
  })
  .transform(({ number, hash, ...row }): IndexedCreation => ({ ...row, block: { number, hash } }));

const verdictsSql = `SELECT ${hexText('v.token')} AS token, v.prediction = 'SCAM' AS isScam
  FROM token_verdicts AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('tokens')}`;
const verdictRow = z.object({ token: addressSchema, isScam: z.number() });

const scamsSql = `SELECT ${hexText('v.token')} AS token FROM token_verdicts AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.prediction = 'SCAM'`;
const scamRow = z.object({ token: addressSchema });

/** The index of one chain in ClickHouse. */
export const createChainIndex = (clickhouse: Clickhouse, chainId: number) => ({
  /** Chain position up to which the scorer stored tokens and facts; 0 before the first block. */
  position: async (): Promise<number> => {
    const [row] = await clickhouse.query(positionSql, { chainId }, positionRow);
    return row ? chainPosition(row.epoch, row.number) : 0;
  },
  /** Creations of those addresses that are tokens with a known creator. */
  creations: async (tokens: readonly Hex[]): Promise<IndexedCreation[]> => {
    if (tokens.length === 0) return [];
    return clickhouse.query(
      creationsSql,
      { chainId, tokens: tokens.map(addressParam) },
      creationRow,
    );
  },
  /** Which of the tokens currently have the verdict SCAM; tokens without a verdict are absent. */
  verdicts: async (tokens: readonly Hex[]): Promise<Map<Hex, boolean>> => {
    if (tokens.length === 0) return new Map();
    const params = { chainId, tokens: tokens.map(addressParam) };
    const rows = await clickhouse.query(verdictsSql, params, verdictRow);
    return new Map(rows.map(({ token, isScam }) => [token, isScam === 1]));
  },
  /** All tokens with the verdict SCAM. */
  scams: async (): Promise<Hex[]> => {
    const rows = await clickhouse.query(scamsSql, { chainId }, scamRow);
    return rows.map(({ token }) => token);
  },
});
/** Reads of the index that the scorer maintains. It may be behind the stream or ahead of it. */
export type ChainIndex = ReturnType<typeof createChainIndex>;
