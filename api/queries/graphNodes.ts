import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import type { Database } from './verdict.ts';

const hex = (column: string): string => `concat('0x', lower(hex(${column})))`;

/** What lists say of a token. */
export interface TokenLabel {
  readonly symbol: string;
  readonly verdict?: { prediction: 'SCAM' | 'LEGIT'; confidence: number } | undefined;
}

const tokenRow = z.object({
  token_hex: addressSchema,
  symbol: z.string(),
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
       toString(known.prediction) AS prediction_name, known.confidence AS confidence,
       known.block_number > 0 AS is_judged
     FROM (SELECT token, symbol FROM dim_tokens FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('addresses')}) AS made
     LEFT JOIN (SELECT token, prediction, confidence, block_number FROM token_verdicts FINAL
       WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('addresses')}) AS known
       ON known.token = made.token`,
    { chainId, addresses: addresses.map(addressParam) },
    tokenRow,
  );
  return new Map(
    rows.map((row) => [
      row.token_hex,
      {
        symbol: row.symbol,
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
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('addresses')}`,
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

/** Those of the addresses that are pools. */
export const knownPools = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Set<Hex>> => {
  if (addresses.length === 0) return new Set();
  const rows = await database.query(
    `SELECT ${hex('pool')} AS pool_hex FROM fact_pools FINAL
     WHERE chain_id = {chainId:UInt64} AND pool IN ${inAddresses('addresses')}`,
    { chainId, addresses: addresses.map(addressParam) },
    z.object({ pool_hex: addressSchema }),
  );
  return new Set(rows.map(({ pool_hex }) => pool_hex));
};
