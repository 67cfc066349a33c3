/** What a wallet can be; of several that hold, which one is told is the rule of the cluster detector. */
export const WALLET_ROLES = [
  'creator',
  'funder',
  'sniper',
  'trader',
  'liquidity_provider',
  'victim',
  'master',
  'puppet',
  'holder',
  'unknown',
] as const;
export type WalletRole = (typeof WALLET_ROLES)[number];
