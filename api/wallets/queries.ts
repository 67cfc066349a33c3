import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { SCAMS_SHOWN_MAX } from './creatorQueries.ts';
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
