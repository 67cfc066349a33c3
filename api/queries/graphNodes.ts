import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ } from './pointRead.ts';
import type { Database } from './verdict.ts';

const hex = (column: string): string => `concat('0x', lower(hex(${column})))`;

/** What lists say of a token, and who made it. */
export interface TokenLabel {
  readonly symbol: string;
  /** Unset where its creator is not known. */
  readonly created?: { creator: Hex; atS: number; txHash: Hex } | undefined;
  readonly verdict?: { prediction: 'SCAM' | 'LEGIT'; confidence: number } | undefined;
}

const tokenRow = z.object({
  token_hex: addressSchema,
  symbol: z.string(),
  has_creator: z.number(),
  creator_hex: addressSchema,
  created_at_s: countSchema,
  created_tx_hex: hashSchema,
  prediction_name: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
  is_judged: z.number(),
});

/** Those of the addresses that are indexed tokens. */
export const tokenLabels = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, TokenLabel>> => {
  if (addresses.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hex('made.token')} AS token_hex, made.symbol AS symbol,
       made.creator != toFixedString('', 20) AS has_creator, ${hex('made.creator')} AS creator_hex,
       toUnixTimestamp(made.created_at) AS created_at_s, ${hex('made.created_tx')} AS created_tx_hex,
       toString(known.prediction) AS prediction_name, known.confidence AS confidence,
       known.block_number > 0 AS is_judged
     FROM (SELECT token, symbol, creator, created_at, created_tx FROM dim_tokens FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('addresses')}) AS made
     LEFT JOIN (SELECT token, prediction, confidence, block_number FROM token_verdicts FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('addresses')}) AS known
       ON known.token = made.token ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    tokenRow,
  );
  return new Map(
    rows.map((row) => [
      row.token_hex,
      {
        symbol: row.symbol,
        ...(row.has_creator === 1
          ? {
              created: {
                creator: row.creator_hex,
                atS: row.created_at_s,
                txHash: row.created_tx_hex,
              },
            }
          : {}),
        ...(row.is_judged === 1
          ? { verdict: { prediction: row.prediction_name, confidence: row.confidence } }
          : {}),
      },
    ]),
  );
};

/** What the cluster detector says of a wallet. */
export interface WalletLabel {
  readonly label: string;
  readonly isHub: boolean;
  readonly riskScore: number;
  readonly clusterId: string | null;
}

const walletRow = z.object({
  wallet_hex: addressSchema,
  label: z.string(),
  is_hub: z.number(),
  risk_score: z.number(),
  cluster_id: z.string(),
});

/** Those of the addresses that the cluster detector keeps as wallets. */
export const walletLabels = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, WalletLabel>> => {
  if (addresses.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hex('wallet')} AS wallet_hex, label, is_hub, risk_score, cluster_id
     FROM dim_wallets FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('addresses')} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    walletRow,
  );
  return new Map(
    rows.map((row) => [
      row.wallet_hex,
      {
        label: row.label,
        isHub: row.is_hub === 1,
        riskScore: row.risk_score,
        clusterId: row.cluster_id === '' ? null : row.cluster_id,
      },
    ]),
  );
};

const pairRow = z.object({
  pool_hex: addressSchema,
  token0_hex: addressSchema,
  token1_hex: addressSchema,
});

/** Those of the addresses that are pools, with the two tokens of each. */
export const poolPairs = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, readonly [Hex, Hex]>> => {
  if (addresses.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hex('pool')} AS pool_hex, ${hex('token0')} AS token0_hex, ${hex('token1')} AS token1_hex
     FROM fact_pools FINAL
     WHERE chain_id = {chainId:UInt64} AND pool IN ${inAddresses('addresses')} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    pairRow,
  );
  return new Map(rows.map((row) => [row.pool_hex, [row.token0_hex, row.token1_hex]]));
};
