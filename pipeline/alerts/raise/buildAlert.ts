import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import { roundUsd } from '../rules/round.ts';
import type { Finding } from '../rules/rule.ts';
import type { Candidate, Identity } from './candidate.ts';

/** What the index knows of a token. Empty texts and the zero address where it does not. */
export interface TokenProfile {
  readonly token: Hex;
  readonly name: string;
  readonly symbol: string;
  readonly creator: Hex;
}

const unknownToken = (token: Hex): TokenProfile => ({
  token,
  name: '',
  symbol: '',
  creator: ZERO_ADDRESS,
});

/** `0x1234…cdef`: what a token is called while its name has not been read. */
const shortForm = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The alert a candidate becomes. */
export const buildAlert = (
  { finding, block, watch }: Candidate,
  identity: Identity,
  id: number,
  profiles: ReadonlyMap<string, TokenProfile>,
  nowMs: number,
): Alert => {
  const profile = profiles.get(finding.token) ?? unknownToken(finding.token);
  return {
    ...identity,
    id,
    watchId: watch.id,
    severity: finding.severity,
    token: {
      address: finding.token,
      name: profile.name || shortForm(finding.token),
      symbol: profile.symbol,
    },
    details: { ...finding.details, ...creatorSale(finding, profile.creator) },
    recommendation: finding.recommendation,
    blockNumber: block.number,
    txHash: finding.txHash,
    createdAtMs: nowMs,
  };
};

/**
 * What the creator got out of the pool in the window, in US dollars: the base tokens of every Swap
 * or Burn of this pool to which the creator gave the tokens or the liquidity shares (a Transfer to
 * the pool in that transaction), or whose `to` the creator is. Valued at the price of now.
 */
const creatorSale = ({ payouts }: Finding, creator: Hex): { creator_sold_usd?: number | null } => {
  if (payouts === undefined) return {};
  if (payouts === null || creator === ZERO_ADDRESS) return { creator_sold_usd: null };
  const own = payouts.filter(({ wallets }) => wallets.includes(creator));
  return { creator_sold_usd: roundUsd(own.reduce((sum, { usd }) => sum + usd, 0)) };
};

/** What repeats of an alert are counted by: its pool, or the token itself. */
export const subjectOf = (alert: Alert): Hex => {
  const { pool } = alert.details;
  return typeof pool === 'string' ? (pool as Hex) : alert.token.address;
};
