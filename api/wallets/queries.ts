import { addressParam, asAddress, inAddresses } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { SCAMS_SHOWN_MAX } from './creatorQueries.ts';
import {
  type ReputationStep,
  reputationStep,
  type ScamEntry,
  scamRow,
  type Wallet,
  walletRow,
} from './wallet.ts';

/** Wallets that the cluster detector keeps; others are left out. */
export const storedWallets = (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Wallet[]> =>
  database.query(
    `SELECT ${hexText('w.wallet')} AS address, w.role AS role, w.is_known_scammer AS isKnownScammer, w.risk_score AS riskScore,
       w.reputation_score AS score, w.confidence AS confidence, w.tokens_created AS tokensCreated, w.scams AS scams,
       w.stolen_usd AS stolenUsd, w.victims AS victims, w.counterparties AS counterparties,
       w.median_token_lifetime_h AS medianTokenLifetimeH, nullIf(${hexText('w.funder')}, '${ZERO_ADDRESS}') AS funder,
       toString(w.funder_kind) AS funderKind, ${hexText('w.funding_tx')} AS fundingTx, nullIf(w.cluster_id, '') AS clusterId,
       toUnixTimestamp(w.first_seen) AS firstSeenS, toUnixTimestamp(w.last_activity) AS lastActivityS, w.labels AS labels,
       w.factors AS factors, w.behaviours AS behaviours, toUnixTimestamp64Milli(w.updated_at) AS updatedAtMs
     FROM dim_wallets AS w FINAL
     WHERE w.chain_id = {chainId:UInt64} AND w.wallet IN ${inAddresses('wallets')} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    walletRow,
  );

/** Unix seconds after any block. */
const END_OF_TIME_S = 4_294_967_295;

/** Reputation history of a wallet from the cluster detector, newest first. */
export const storedSteps = (
  database: Database,
  chainId: number,
  wallet: Hex,
  range: { fromS?: number | undefined; toS?: number | undefined; limit: number },
): Promise<ReputationStep[]> =>
  database.query(
    `SELECT toUnixTimestamp(s.at) AS atS, s.block_number AS blockNumber, s.score AS score, s.delta AS delta, s.event AS event,
       nullIf(${hexText('s.token')}, '${ZERO_ADDRESS}') AS token, nullIf(${hexText('s.tx_hash')}, '${ZERO_HASH}') AS txHash
     FROM dim_wallets AS w FINAL ARRAY JOIN w.steps AS s, arrayEnumerate(w.steps) AS place
     WHERE w.chain_id = {chainId:UInt64} AND w.wallet = ${asAddress('wallet')}
       AND s.at >= toDateTime({fromS:UInt32}, 'UTC') AND s.at <= toDateTime({toS:UInt32}, 'UTC')
     ORDER BY place DESC LIMIT {limit:UInt32} ${POINT_READ}`,
    {
      chainId,
      wallet: addressParam(wallet),
      fromS: range.fromS ?? 0,
      toS: range.toS ?? END_OF_TIME_S,
      limit: range.limit,
    },
    reputationStep,
  );

/** Scams of a wallet from the cluster detector, newest first. */
export const storedScams = async (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<ScamEntry[]> => {
  const own = `FROM dim_wallets AS w FINAL ARRAY JOIN w.steps AS step
    WHERE w.chain_id = {chainId:UInt64} AND w.wallet = ${asAddress('wallet')} AND step.event = 'token_flagged'`;
  return database.query(
    `SELECT ${hexText('step.token')} AS token, known.name AS name, known.symbol AS symbol,
       step.role AS role, step.outcome AS outcome, toUnixTimestamp(step.at) AS atS,
       step.stolen_usd AS stolenUsd, step.victims AS victims, ${hexText('step.tx_hash')} AS txHash
     FROM (SELECT step.* ${own} ORDER BY step.at DESC LIMIT ${SCAMS_SHOWN_MAX}) AS step
     LEFT JOIN (SELECT token, name, symbol FROM dim_tokens FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN (SELECT step.token ${own})) AS known
       ON known.token = step.token
     ORDER BY step.at DESC, step.token ${POINT_READ}`,
    { chainId, wallet: addressParam(wallet) },
    scamRow,
  );
};
