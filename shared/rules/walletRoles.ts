/** Roles of wallets; if several apply, the cluster detector decides which one is shown. */
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
