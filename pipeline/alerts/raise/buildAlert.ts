import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import type { TokenProfile } from '../rules/rule.ts';
import type { Candidate, Identity } from './candidate.ts';

/** What is known of a token that the index does not know. */
export const unknownToken = (token: Hex): TokenProfile => ({
  token,
  name: '',
  symbol: '',
  creator: ZERO_ADDRESS,
  createdTx: ZERO_HASH,
  totalSupply: null,
});

/** `0x1234…cdef`: what a token is called while its name has not been read. */
const shortForm = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The alert a candidate becomes. */
export const buildAlert = (
  { finding, block, watch }: Candidate,
  identity: Identity,
  id: number,
  profile: TokenProfile,
  nowMs: number,
): Alert => ({
  ...identity,
  id,
  watchId: watch.id,
  severity: finding.severity,
  token: {
    address: finding.token,
    name: profile.name || shortForm(finding.token),
    symbol: profile.symbol,
  },
  details: { ...finding.details },
  recommendation: finding.recommendation,
  blockNumber: block.number,
  txHash: finding.txHash,
  createdAtMs: nowMs,
});

/** What repeats of an alert are counted by: its pool, what a ring did, or the token itself. */
export const subjectOf = ({ details, token }: Alert): string => {
  const { pool, cluster_id: ring, activity } = details;
  if (typeof ring === 'string') return `${ring}:${String(activity)}:${token.address}`;
  return typeof pool === 'string' ? pool : token.address;
};
