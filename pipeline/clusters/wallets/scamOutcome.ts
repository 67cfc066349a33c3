import type { MadeToken } from './walletRecord.ts';

export const DAY_S = 24 * 3_600;

/** What became of a scam, as the API names it. */
export type ScamOutcome = 'rug_pull' | 'honeypot' | 'dump' | 'impersonation' | 'serial_spam';

/**
 * What a scam amounted to, the first that holds: the liquidity left (rug pull); it cannot be sold
 * (honeypot); it pretends to be another token (impersonation); a few wallets hold it (dump). Where no
 * check says more, it is one of many of its kind (serial spam).
 */
export const scamOutcome = ({ failedChecks, loss }: MadeToken): ScamOutcome => {
  const failed = new Set(failedChecks);
  if (loss?.drain || failed.has('liquidity_drained')) return 'rug_pull';
  if (failed.has('sell_simulation')) return 'honeypot';
  if (failed.has('look_alike')) return 'impersonation';
  if (failed.has('holder_concentration')) return 'dump';
  return 'serial_spam';
};
