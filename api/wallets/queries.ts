import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../shared/chain/addressSet.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import type { CreatorRecord } from '../../shared/rules/creatorRecord.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { POINT_READ } from '../server/pointRead.ts';
import type { Database } from '../tokens/verdict.ts';
import type { CreatedToken } from './creatorReputation.ts';
import { type ReputationStep, SCAM_OUTCOMES, type ScamEntry, type Wallet } from './wallet.ts';

const ZERO_ADDRESS_SQL = "toFixedString('', 20)";
const ZERO_HASH_SQL = "toFixedString('', 32)";

const jsonText = <S extends z.ZodTypeAny>(schema: S) =>
  z
    .string()
    .transform((text) => JSON.parse(text || '[]') as unknown)
    .pipe(schema);
const factorsText = jsonText(
  z.array(
    z.object({
      id: z.string(),
      value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
      contribution: z.number(),
      text: z.string(),
    }),
  ),
);
const behavioursText = jsonText(
  z.array(z.object({ id: z.string(), text: z.string(), count: countSchema })),
);

const walletRow = z
  .object({
    wallet_hex: addressSchema,
    role: z.string(),
    is_known_scammer: z.number(),
    risk_score: z.number(),
    reputation_score: z.number(),
    confidence: z.number(),
    tokens_created: countSchema,
    scams: countSchema,
    stolen_usd: z.number(),
    victims: countSchema,
    counterparties: countSchema,
    median_token_lifetime_h: z.number().nullable(),
    has_funder: z.number(),
    funder_hex: addressSchema,
    funder_kind_name: z.enum(['unknown', 'wallet', 'contract']),
    funding_tx_hex: hashSchema,
    cluster_id: z.string(),
    first_seen_s: countSchema,
    last_activity_s: countSchema,
    labels: z.array(z.string()),
    factors: factorsText,
    behaviours: behavioursText,
    updated_at_ms: countSchema,
  })
  .transform(
    (row): Wallet => ({
      address: row.wallet_hex,
      role: row.role,
      isKnownScammer: row.is_known_scammer === 1,
      riskScore: row.risk_score,
      tokensCreated: row.tokens_created,
      scams: row.scams,
      stolenUsd: row.stolen_usd,
      victims: row.victims,
      clusterId: row.cluster_id === '' ? null : row.cluster_id,
      firstSeenS: row.first_seen_s,
      lastActivityS: row.last_activity_s,
      reputation: {
        score: row.reputation_score,
        confidence: row.confidence,
        labels: row.labels,
        factors: row.factors,
      },
      funding:
        row.has_funder === 1
          ? { address: row.funder_hex, kind: row.funder_kind_name, txHash: row.funding_tx_hex }
          : null,
      behaviours: row.behaviours,
      medianTokenLifetimeH: row.median_token_lifetime_h,
      counterparties: row.counterparties,
      updatedAtMs: row.updated_at_ms,
    }),
  );

/** Wallets as the cluster detector keeps them; those it does not keep are left out. */
export const storedWallets = (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Wallet[]> =>
  database.query(
    `SELECT ${hexText('wallet')} AS wallet_hex, role, is_known_scammer, risk_score, reputation_score, confidence, tokens_created, scams,
       stolen_usd, victims, counterparties, median_token_lifetime_h,
       funder != ${ZERO_ADDRESS_SQL} AS has_funder, ${hexText('funder')} AS funder_hex,
       toString(funder_kind) AS funder_kind_name, ${hexText('funding_tx')} AS funding_tx_hex, cluster_id,
       toUnixTimestamp(first_seen) AS first_seen_s, toUnixTimestamp(last_activity) AS last_activity_s,
       labels, factors, behaviours, toUnixTimestamp64Milli(updated_at) AS updated_at_ms
     FROM dim_wallets FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    walletRow,
  );

/** Tokens of one creator that are looked at. */
const CREATOR_TOKENS_MAX = 10_000;

/** Tokens that some wallets made or were once thought to have made. */
const CANDIDATES = `(${tokensOfCreators(inAddresses('wallets'))} LIMIT ${CREATOR_TOKENS_MAX} BY node)`;

/** Tokens some wallets made: the index by creator names candidates, dim_tokens decides. */
const madeBy = (columns: string): string =>
  `(SELECT ${columns} FROM dim_tokens FINAL WHERE chain_id = {chainId:UInt64}
     AND token IN ${CANDIDATES} AND creator IN ${inAddresses('wallets')})`;
const VERDICTS_OF_MADE = `(SELECT token, prediction, analyzed_at, block_number, name, symbol, doc
   FROM token_verdicts FINAL
   WHERE chain_id = {chainId:UInt64} AND token IN ${CANDIDATES})`;

/** What a wallet made and when. */
export interface CreatorSummary extends CreatorRecord {
  readonly firstAtS: number;
  readonly lastAtS: number;
  /** Unix milliseconds of the newest verdict; 0 without any. */
  readonly scoredAtMs: number;
}

const creatorRow = z.object({
  wallet_hex: addressSchema,
  tokens: countSchema,
  scored: countSchema,
  scams: countSchema,
  first_at_s: countSchema,
  last_at_s: countSchema,
  scored_at_ms: countSchema,
});

/** The records of those of the wallets that made tokens. */
export const creatorSummaries = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Map<Hex, CreatorSummary>> => {
  if (wallets.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hexText('made.creator')} AS wallet_hex, count() AS tokens, countIf(known.block_number > 0) AS scored,
       countIf(known.block_number > 0 AND known.prediction = 'SCAM') AS scams,
       toUnixTimestamp(min(made.created_at)) AS first_at_s,
       toUnixTimestamp(max(made.created_at)) AS last_at_s,
       toUnixTimestamp64Milli(max(known.analyzed_at)) AS scored_at_ms
     FROM ${madeBy('creator, token, created_at')} AS made
     LEFT JOIN ${VERDICTS_OF_MADE} AS known ON known.token = made.token
     GROUP BY made.creator ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    creatorRow,
  );
  return new Map(
    rows.map((row) => [
      row.wallet_hex,
      {
        tokens: row.tokens,
        scored: row.scored,
        scams: row.scams,
        firstAtS: row.first_at_s,
        lastAtS: row.last_at_s,
        scoredAtMs: row.scored_at_ms,
      },
    ]),
  );
};

const createdRow = z
  .object({
    token_hex: addressSchema,
    created_at_s: countSchema,
    created_block: countSchema,
    created_tx_hex: hashSchema,
    is_scored: z.number(),
    is_scam: z.number(),
    scored_at_s: countSchema,
    scored_block: countSchema,
  })
  .transform(
    (row): CreatedToken => ({
      token: row.token_hex,
      createdAtS: row.created_at_s,
      createdBlock: row.created_block,
      createdTx: row.created_tx_hex,
      ...(row.is_scored === 1
        ? {
            verdict: {
              isScam: row.is_scam === 1,
              atS: row.scored_at_s,
              blockNumber: row.scored_block,
            },
          }
        : {}),
    }),
  );

/** Every token a wallet made, with the verdict in force. */
export const createdTokens = (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<CreatedToken[]> =>
  database.query(
    `SELECT ${hexText('made.token')} AS token_hex, toUnixTimestamp(made.created_at) AS created_at_s,
       made.created_block AS created_block, ${hexText('made.created_tx')} AS created_tx_hex,
       known.block_number > 0 AS is_scored, known.prediction = 'SCAM' AS is_scam,
       toUnixTimestamp(toDateTime(known.analyzed_at)) AS scored_at_s,
       known.block_number AS scored_block
     FROM ${madeBy('token, created_at, created_block, created_tx')} AS made
     LEFT JOIN ${VERDICTS_OF_MADE} AS known ON known.token = made.token ${POINT_READ}`,
    { chainId, wallets: [addressParam(wallet)] },
    createdRow,
  );

const SCAMS_SHOWN_MAX = 50;

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

/** What the failed checks of a verdict amount to: the most telling one decides. */
const outcomeOf = (checks: z.output<typeof docText>['checks']): ScamEntry['outcome'] => {
  const failed = new Set(checks.filter(({ status }) => status === 'fail').map(({ id }) => id));
  if (failed.has('liquidity_drained')) return 'rug_pull';
  if (failed.has('sell_simulation')) return 'honeypot';
  return failed.has('holder_concentration') ? 'dump' : 'rug_pull';
};

/** Scams a wallet made, by the verdicts in force, newest first. Losses are not known here. */
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
    const drained = row.doc.checks.find(
      ({ id, status }) => id === 'liquidity_drained' && status === 'fail',
    );
    const drainTx = hashSchema.safeParse(drained?.evidence?.find(({ kind }) => kind === 'tx')?.ref);
    return {
      token: { address: row.token_hex, name: row.name, symbol: row.symbol },
      role: 'creator',
      outcome: outcomeOf(row.doc.checks),
      atS: row.at_s,
      stolenUsd: 0,
      victims: 0,
      txHash: drainTx.success ? drainTx.data : row.created_tx_hex,
    };
  });
};

const stepRow = z
  .object({
    at_s: countSchema,
    block_number: countSchema,
    score: z.number(),
    delta: z.number(),
    event: z.string(),
    has_token: z.number(),
    token_hex: addressSchema,
    has_tx: z.number(),
    tx_hex: hashSchema,
  })
  .transform(
    (row): ReputationStep => ({
      atS: row.at_s,
      blockNumber: row.block_number,
      score: row.score,
      delta: row.delta,
      event: row.event,
      token: row.has_token === 1 ? row.token_hex : null,
      txHash: row.has_tx === 1 ? row.tx_hex : null,
    }),
  );

/** Unix seconds after every block there will be. */
const END_OF_TIME_S = 4_294_967_295;

/** The steps the cluster detector keeps of a wallet, newest first. */
export const storedSteps = (
  database: Database,
  chainId: number,
  wallet: Hex,
  range: { fromS?: number | undefined; toS?: number | undefined; limit: number },
): Promise<ReputationStep[]> =>
  database.query(
    `SELECT toUnixTimestamp(at) AS at_s, block_number, score, delta, event,
       token != ${ZERO_ADDRESS_SQL} AS has_token, ${hexText('token')} AS token_hex,
       tx_hash != ${ZERO_HASH_SQL} AS has_tx, ${hexText('tx_hash')} AS tx_hex
     FROM wallet_history FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet = ${asAddress('wallet')}
       AND at >= toDateTime({fromS:UInt32}, 'UTC') AND at <= toDateTime({toS:UInt32}, 'UTC')
     ORDER BY block_number DESC, log_index DESC, event LIMIT {limit:UInt32} ${POINT_READ}`,
    {
      chainId,
      wallet: addressParam(wallet),
      fromS: range.fromS ?? 0,
      toS: range.toS ?? END_OF_TIME_S,
      limit: range.limit,
    },
    stepRow,
  );

const storedScamRow = z.object({
  token_hex: addressSchema,
  name: z.string(),
  symbol: z.string(),
  role: z.string(),
  outcome: z.enum(SCAM_OUTCOMES),
  at_s: countSchema,
  stolen_usd: z.number(),
  victims: countSchema,
  tx_hex: hashSchema,
});

/** Scams of a wallet as the cluster detector keeps them, newest first. */
export const storedScams = async (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<ScamEntry[]> => {
  const own = `FROM wallet_history FINAL WHERE chain_id = {chainId:UInt64}
    AND wallet = ${asAddress('wallet')} AND event = 'token_flagged'`;
  const rows = await database.query(
    `SELECT ${hexText('step.token')} AS token_hex, known.name AS name, known.symbol AS symbol,
       step.role AS role, step.outcome AS outcome, toUnixTimestamp(step.at) AS at_s,
       step.stolen_usd AS stolen_usd, step.victims AS victims, ${hexText('step.tx_hash')} AS tx_hex
     FROM (SELECT * ${own} ORDER BY at DESC LIMIT ${SCAMS_SHOWN_MAX}) AS step
     LEFT JOIN (SELECT token, name, symbol FROM dim_tokens FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token ${own})) AS known
       ON known.token = step.token
     ORDER BY step.at DESC, step.token ${POINT_READ}`,
    { chainId, wallet: addressParam(wallet) },
    storedScamRow,
  );
  return rows.map((row) => ({
    token: { address: row.token_hex, name: row.name, symbol: row.symbol },
    role: row.role,
    outcome: row.outcome,
    atS: row.at_s,
    stolenUsd: row.stolen_usd,
    victims: row.victims,
    txHash: row.tx_hex,
  }));
};
