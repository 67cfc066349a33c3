import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressParam, asAddress } from '../../shared/encode/addressSet.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { WalletTokensPage } from '../wallets/wallet.ts';
import { POINT_READ } from './pointRead.ts';
import {
  type Database,
  VERDICT_COLUMNS,
  type VerdictSummary,
  verdictRow,
  verdictSummaryOf,
} from './verdict.ts';

/** Tokens of one creator that are looked at. */
const CREATOR_TOKENS_MAX = 10_000;

const OWN = `token_verdicts FINAL WHERE chain_id = {chainId:UInt64} AND token IN (
    SELECT token FROM tokens_by_creator WHERE chain_id = {chainId:UInt64}
      AND creator = ${asAddress('wallet')} LIMIT ${CREATOR_TOKENS_MAX})
  AND creator = ${asAddress('wallet')}`;

/** Analysed tokens a wallet made, newest first, and how many there are. */
export const walletTokens = async (
  database: Database,
  chainId: number,
  wallet: Hex,
  page: WalletTokensPage,
): Promise<{ tokens: VerdictSummary[]; total: number }> => {
  const { after, limit, offset } = page;
  const place = after
    ? `AND (toUnixTimestamp(created_at), token) < ({value:UInt64}, ${asAddress('id')})`
    : '';
  const params = {
    chainId,
    wallet: addressParam(wallet),
    value: after?.value ?? 0,
    id: after?.id.slice(2) ?? '',
    limit,
    offset: after ? 0 : offset,
  };
  const [rows, totals] = await Promise.all([
    database.query(
      `SELECT ${VERDICT_COLUMNS} FROM ${OWN} ${place}
       ORDER BY created_at DESC, token DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32} ${POINT_READ}`,
      params,
      verdictRow,
    ),
    database.query(
      `SELECT count() AS total FROM ${OWN} ${POINT_READ}`,
      params,
      z.object({ total: countSchema }),
    ),
  ]);
  return { tokens: rows.map(verdictSummaryOf), total: totals[0]?.total ?? 0 };
};
