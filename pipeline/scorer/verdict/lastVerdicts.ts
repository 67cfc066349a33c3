import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Reads } from '../readCache.ts';

/** The last row of a token's verdict, with which a new one is compared. */
export interface LastVerdict {
  readonly prediction: 'SCAM' | 'LEGIT';
  readonly confidence: number;
  readonly riskScore: number;
  /** Chain position it covers: see `chainPosition`. */
  readonly position: number;
  /** Whether the token was removed by a reorg. */
  readonly isDeleted: boolean;
  /** Number of the row, Unix microseconds: see the column `seq`. */
  readonly seq: number;
}

/** The last row of each token, including tombstones. */
const lastSql = `SELECT ${hexText('v.token')} AS address, v.version AS position, v.seq AS seq,
    v.is_deleted AS is_deleted, v.prediction AS prediction, v.confidence AS confidence, v.risk_score AS risk_score
  FROM token_verdicts AS v WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('tokens')}
  ORDER BY v.version DESC, v.seq DESC LIMIT 1 BY v.token`;
const lastSchema = z
  .object({
    address: addressSchema,
    position: z.number(),
    seq: z.number(),
    is_deleted: z.number(),
    prediction: z.enum(['SCAM', 'LEGIT']),
    confidence: z.number(),
    risk_score: z.number(),
  })
  .transform((row): [Hex, LastVerdict] => {
    const { position, seq, prediction, confidence } = row;
    const score = { prediction, confidence, riskScore: row.risk_score };
    return [row.address, { position, seq, isDeleted: row.is_deleted === 1, ...score }];
  });

/** The last verdicts of those tokens that ever had one. */
export const readLastVerdicts = (
  { clickhouse, cache }: Reads,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Map<Hex, LastVerdict>> =>
  cache.read({
    of: 'verdict',
    keys: tokens,
    read: async (missing) => {
      const params = { chainId, tokens: missing.map(addressParam) };
      return new Map(await clickhouse.query(lastSql, params, lastSchema));
    },
    dependsOn: () => [],
  });
