import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** Columns of `token_verdicts AS v` for `verdictSummary`. */
export const VERDICT_COLUMNS = `
  ${hexText('v.token')} AS token, v.name AS name, v.symbol AS symbol, toString(v.prediction) AS prediction,
  v.confidence AS confidence, v.risk_score AS riskScore, v.model AS model, toUnixTimestamp(v.created_at) AS createdAtS,
  toUnixTimestamp64Milli(v.analyzed_at) AS analyzedAtMs, v.block_number AS blockNumber`;

export const verdictSummary = z.object({
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  prediction: z.enum(['SCAM', 'LEGIT']),
  /** In the prediction, 0 to 1. */
  confidence: z.number(),
  /** 0 to 100. */
  riskScore: z.number(),
  model: z.string(),
  /** Unix seconds when the token was created. */
  createdAtS: countSchema,
  analyzedAtMs: countSchema,
  blockNumber: countSchema,
});
/** A verdict without its document. */
export type VerdictSummary = Readonly<z.infer<typeof verdictSummary>>;

/** A verdict in force. */
export interface Verdict extends VerdictSummary {
  readonly doc: VerdictDoc;
  /** The ring of the token's creator; null if there is none. */
  readonly clusterId: string | null;
}

/**
 * Parses the document of a verdict from JSON without validating it. It was written under its schema, and what the API
 * returns of it is validated by the response schema. Validating all of it again takes 155 of the 390 microseconds
 * that a 14 kB document costs.
 */
const docText = z.string().transform((text, context): VerdictDoc => {
  const doc = JSON.parse(text) as VerdictDoc;
  if (doc.v === 1) return doc;
  context.addIssue({ code: 'custom', message: `a document of version ${String(doc.v)}` });
  return z.NEVER;
});

/** A current verdict as stored: rings are looked up by creator. */
export type StoredVerdict = Omit<Verdict, 'clusterId'> & { readonly creator: Hex };

const storedVerdict = verdictSummary.extend({ doc: docText, creator: addressSchema });
const ringRow = z.object({ wallet_hex: addressSchema, cluster_id: z.string() });

/** Current verdicts of those requested tokens that have one, with their documents. */
export const findDocuments = async (
  database: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<Map<Hex, StoredVerdict>> => {
  const verdicts = await database.query(
    `SELECT ${VERDICT_COLUMNS}, v.doc AS doc, ${hexText('v.creator')} AS creator
     FROM token_verdicts AS v FINAL
     WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('tokens')} ${POINT_READ}`,
    { chainId, tokens: tokens.map(addressParam) },
    storedVerdict,
  );
  return new Map(verdicts.map((verdict) => [verdict.token, verdict]));
};

/** Rings of those wallets that belong to one. */
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
