import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** The columns of a verdict that lists show. */
export const VERDICT_COLUMNS = `
  ${hexText('token')} AS token_hex, name, symbol, toString(prediction) AS prediction_name,
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

/**
 * The document of a verdict, from its JSON. It was written under its schema, and what is answered of it is checked by
 * the schema of the answer; to check all of it again takes 155 of the 390 microseconds that a document of 14 kB costs.
 */
const docText = z.string().transform((text, context): VerdictDoc => {
  const doc = JSON.parse(text) as VerdictDoc;
  if (doc.v === 1) return doc;
  context.addIssue({ code: 'custom', message: `a document of version ${String(doc.v)}` });
  return z.NEVER;
});

/** A verdict in force as it is stored: rings are found by creator. */
export type StoredVerdict = Omit<Verdict, 'clusterId'> & { readonly creator: Hex };

const documentRow = verdictRow.extend({ doc: docText, creator_hex: addressSchema }).transform(
  (row): StoredVerdict => ({
    ...verdictSummaryOf(row),
    doc: row.doc,
    creator: row.creator_hex,
  }),
);
const ringRow = z.object({ wallet_hex: addressSchema, cluster_id: z.string() });

/** The verdicts in force of those tokens that have one, with their documents. */
export const findDocuments = async (
  database: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Map<Hex, StoredVerdict>> => {
  const verdicts = await database.query(
    `SELECT ${VERDICT_COLUMNS}, doc, ${hexText('creator')} AS creator_hex
     FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')} ${POINT_READ}`,
    { chainId, tokens: tokens.map(addressParam) },
    documentRow,
  );
  return new Map(verdicts.map((verdict) => [verdict.token, verdict]));
};

/** The rings of those wallets that belong to one. */
export const findRings = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Map<Hex, string>> => {
  const rows = await database.query(
    `SELECT ${hexText('wallet')} AS wallet_hex, cluster_id FROM dim_wallets FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')} AND cluster_id != ''
     ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    ringRow,
  );
  return new Map(rows.map((row) => [row.wallet_hex, row.cluster_id]));
};
