import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type VerdictDoc, verdictDocSchema } from '../../shared/messages/verdictDoc.ts';

/** What queries need of the database. */
export type Database = Pick<Clickhouse, 'query'>;

/** The columns of a verdict that lists show. */
export const VERDICT_COLUMNS = `
  concat('0x', lower(hex(token))) AS token_hex, name, symbol, toString(prediction) AS prediction_name,
  confidence, risk_score, model, toUnixTimestamp(created_at) AS created_at_s,
  toUnixTimestamp64Milli(analyzed_at) AS analyzed_at_ms, block_number`;

/** A verdict without its document. */
export interface VerdictSummary {
  readonly token: Hex;
  readonly name: string;
  readonly symbol: string;
  readonly prediction: 'SCAM' | 'LEGIT';
  /** In the prediction, 0 to 1. */
  readonly confidence: number;
  /** 0 to 100. */
  readonly riskScore: number;
  readonly model: string;
  /** Unix seconds when the token was made. */
  readonly createdAtS: number;
  readonly analyzedAtMs: number;
  readonly blockNumber: number;
}

/** A verdict in force. */
export interface Verdict extends VerdictSummary {
  readonly doc: VerdictDoc;
  /** The ring of the token's creator; null where it belongs to none. */
  readonly clusterId: string | null;
}

export const verdictRow = z.object({
  token_hex: addressSchema,
  name: z.string(),
  symbol: z.string(),
  prediction_name: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
  risk_score: z.number(),
  model: z.string(),
  created_at_s: countSchema,
  analyzed_at_ms: countSchema,
  block_number: countSchema,
});

/** A row as the service speaks of it. */
export const verdictSummaryOf = (row: z.output<typeof verdictRow>): VerdictSummary => ({
  token: row.token_hex,
  name: row.name,
  symbol: row.symbol,
  prediction: row.prediction_name,
  confidence: row.confidence,
  riskScore: row.risk_score,
  model: row.model,
  createdAtS: row.created_at_s,
  analyzedAtMs: row.analyzed_at_ms,
  blockNumber: row.block_number,
});

/** The document of a verdict, from its JSON. */
export const docText = z.string().transform((text) => verdictDocSchema.parse(JSON.parse(text)));

const verdictWithDoc = verdictRow.extend({ doc: docText, ring_id: z.string() });

const verdictOf = (row: z.output<typeof verdictWithDoc>): Verdict => ({
  ...verdictSummaryOf(row),
  doc: row.doc,
  clusterId: row.ring_id === '' ? null : row.ring_id,
});

/** The verdict in force of one token, if it was ever analysed. */
export const findVerdict = async (
  database: Database,
  chainId: number,
  token: Hex,
): Promise<Verdict | undefined> => {
  const rows = await database.query(
    `SELECT ${VERDICT_COLUMNS}, doc, (SELECT any(cluster_id) FROM dim_wallets FINAL
       WHERE chain_id = {chainId:UInt64} AND wallet IN (SELECT creator FROM token_verdicts FINAL
         WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String}))) AS ring_id
     FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String})`,
    { chainId, token: token.slice(2) },
    verdictWithDoc,
  );
  const row = rows[0];
  return row && verdictOf(row);
};

/** The verdicts in force of several tokens with their documents; tokens without one are left out. */
export const findVerdictDocs = async (
  database: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Verdict[]> => {
  if (tokens.length === 0) return [];
  const asked = `token_verdicts FINAL WHERE chain_id = {chainId:UInt64}
    AND token IN ${inAddresses('tokens')}`;
  const rows = await database.query(
    `SELECT verdicts.*, rings.cluster_id AS ring_id
     FROM (SELECT ${VERDICT_COLUMNS}, doc, creator FROM ${asked}) AS verdicts
     LEFT JOIN (SELECT wallet, cluster_id FROM dim_wallets FINAL
       WHERE chain_id = {chainId:UInt64} AND wallet IN (SELECT creator FROM ${asked})) AS rings
       ON rings.wallet = verdicts.creator`,
    { chainId, tokens: tokens.map(addressParam) },
    verdictWithDoc,
  );
  return rows.map(verdictOf);
};
