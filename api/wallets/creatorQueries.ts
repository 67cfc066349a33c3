import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { scamOutcome } from '../../shared/rules/scamOutcome.ts';
import type { CreatedToken } from './creatorReputation.ts';
import type { ScamEntry } from './wallet.ts';

/** Tokens examined per creator. */
export const CREATOR_TOKENS_MAX = 10_000;

/** Tokens that some wallets created, or were once thought to have created. */
const CANDIDATES = `(${tokensOfCreators(inAddresses('wallets'))} LIMIT ${CREATOR_TOKENS_MAX} BY node)`;

/** Tokens that some wallets created: the index by creator gives candidates, dim_tokens decides. */
const madeBy = (columns: string): string =>
  `(SELECT ${columns} FROM dim_tokens FINAL WHERE chain_id = {chainId:UInt64}
     AND token IN ${CANDIDATES} AND creator IN ${inAddresses('wallets')})`;
const VERDICTS_OF_MADE = `(SELECT token, prediction, analyzed_at, block_number, name, symbol, doc
   FROM token_verdicts FINAL
   WHERE chain_id = {chainId:UInt64} AND token IN ${CANDIDATES})`;

const creatorRow = z.object({
  wallet_hex: addressSchema,
  tokens: countSchema,
  scored: countSchema,
  scams: countSchema,
  firstAtS: countSchema,
  lastAtS: countSchema,
  /** Unix milliseconds of the newest verdict; 0 without one. */
  scoredAtMs: countSchema,
});
/** The tokens a wallet created, and when. */
export type CreatorSummary = Readonly<Omit<z.output<typeof creatorRow>, 'wallet_hex'>>;

/** The records of those wallets that created tokens. */
export const creatorSummaries = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Map<Hex, CreatorSummary>> => {
  if (wallets.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hexText('made.creator')} AS wallet_hex, count() AS tokens, countIf(known.block_number > 0) AS scored,
       countIf(known.block_number > 0 AND known.prediction = 'SCAM') AS scams,
       toUnixTimestamp(min(made.created_at)) AS firstAtS,
       toUnixTimestamp(max(made.created_at)) AS lastAtS,
       toUnixTimestamp64Milli(max(known.analyzed_at)) AS scoredAtMs
     FROM ${madeBy('creator, token, created_at')} AS made
     LEFT JOIN ${VERDICTS_OF_MADE} AS known ON known.token = made.token
     GROUP BY made.creator ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    creatorRow,
  );
  return new Map(rows.map(({ wallet_hex, ...summary }) => [wallet_hex, summary]));
};

const createdRow = z
  .object({
    token: addressSchema,
    createdAtS: countSchema,
    createdBlock: countSchema,
    createdTx: hashSchema,
    isScam: z.number(),
    atS: countSchema,
    /** Time of the verdict; 0 without one. */
    blockNumber: countSchema,
  })
  .transform(
    ({ isScam, atS, blockNumber, ...created }): CreatedToken => ({
      ...created,
      ...(blockNumber > 0 ? { verdict: { isScam: isScam === 1, atS, blockNumber } } : {}),
    }),
  );

/** Every token that a wallet created, with its current verdict. */
export const createdTokens = (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<CreatedToken[]> =>
  database.query(
    `SELECT ${hexText('made.token')} AS token, toUnixTimestamp(made.created_at) AS createdAtS,
       made.created_block AS createdBlock, ${hexText('made.created_tx')} AS createdTx,
       known.prediction = 'SCAM' AS isScam, toUnixTimestamp(toDateTime(known.analyzed_at)) AS atS,
       known.block_number AS blockNumber
     FROM ${madeBy('token, created_at, created_block, created_tx')} AS made
     LEFT JOIN ${VERDICTS_OF_MADE} AS known ON known.token = made.token ${POINT_READ}`,
    { chainId, wallets: [addressParam(wallet)] },
    createdRow,
  );

/** Scams shown per wallet, the newest ones. */
export const SCAMS_SHOWN_MAX = 50;

const docText = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(
    z.object({
      checks: z.array(
        z.object({
          id: z.string(),
          status: z.string(),
          evidence: z.array(z.object({ kind: z.string(), ref: z.string() })).optional(),
        }),
      ),
    }),
  );

const madeScamRow = z.object({
  token_hex: addressSchema,
  name: z.string(),
  symbol: z.string(),
  at_s: countSchema,
  created_tx_hex: hashSchema,
  doc: docText,
});

/** Scams that a wallet created, by current verdicts, newest first. Losses are not known here. */
export const createdScams = async (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<ScamEntry[]> => {
  const rows = await database.query(
    `SELECT ${hexText('made.token')} AS token_hex, known.name AS name, known.symbol AS symbol,
       toUnixTimestamp(toDateTime(known.analyzed_at)) AS at_s,
       ${hexText('made.created_tx')} AS created_tx_hex, known.doc AS doc
     FROM ${madeBy('token, created_tx')} AS made
     INNER JOIN ${VERDICTS_OF_MADE} AS known ON known.token = made.token
     WHERE known.prediction = 'SCAM'
     ORDER BY known.analyzed_at DESC, made.token LIMIT ${SCAMS_SHOWN_MAX} ${POINT_READ}`,
    { chainId, wallets: [addressParam(wallet)] },
    madeScamRow,
  );
  return rows.map((row) => {
    const failed = row.doc.checks.filter(({ status }) => status === 'fail');
    const drained = failed.find(({ id }) => id === 'liquidity_drained');
    const drainTx = hashSchema.safeParse(drained?.evidence?.find(({ kind }) => kind === 'tx')?.ref);
    return {
      token: { address: row.token_hex, name: row.name, symbol: row.symbol },
      role: 'creator',
      outcome: scamOutcome(failed.map(({ id }) => id)),
      atS: row.at_s,
      stolenUsd: 0,
      victims: 0,
      txHash: drainTx.success ? drainTx.data : row.created_tx_hex,
    };
  });
};
