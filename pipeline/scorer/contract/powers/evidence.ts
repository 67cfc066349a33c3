import type { Holder, Privileges } from './privilege.ts';
import type { ContractFunction, TokenStorage } from './storage.ts';

export const POWERS = ['mint', 'leak', 'limit'] as const;
export type Power = (typeof POWERS)[number];

/** The score of each reason for a power: above one half the power counts as present. */
export const WEIGHTS = {
  mintedByPrivileged: 0.95,
  mintedByAnyone: 0.9,
  mintedForPayment: 0.75,
  mintedForDeposit: 0.3,
  mintedAsClaim: 0.35,
  mintedOnce: 0.3,
  mintedOncePerAccount: 0.6,
  mintedElsewhere: 0.75,
  creditedByPrivileged: 0.55,
  takenByPrivileged: 0.95,
  takenByAnyone: 0.7,
  takenBySignature: 0.55,
  allowedForOthers: 0.8,
  contractTokensGiven: 0.75,
  knownAccountTokensGiven: 0.45,
  custodyWithdrawn: 0.65,
  strayWithdrawn: 0.4,
  custodyPaidOut: 0.55,
  coinPaidOut: 0.45,
  destroyed: 0.55,
  callsAnything: 0.45,
  runsWhatIsSet: 0.9,
  writesAnywhere: 0.9,
  closedByPrivileged: 0.9,
  openedByPrivileged: 0.6,
  boundedByPrivileged: 0.6,
  onlyKnownMove: 0.8,
  onlyEnteredSpend: 0.8,
  recipientRefused: 0.7,
  refusedElsewhere: 0.55,
  setAsideByPrivileged: 0.7,
  exitClosedByPrivileged: 0.6,
} as const;
export type Reason = keyof typeof WEIGHTS;

export interface Finding {
  readonly reason: Reason;
  /** The function that has it. */
  readonly selector: string;
  /** The function that changes one of its conditions. */
  readonly by?: string | undefined;
  /** Who can call it; empty if everyone can, or if unknown. */
  readonly holders: readonly Holder[];
}

/** Inputs for finding powers. */
export interface ReadContract extends Privileges {
  readonly functions: readonly ContractFunction[];
  readonly storage: TokenStorage;
  /**
   * Whether others can deposit coins or tokens and get them back; if the contract is no token, what they receive in
   * return is not visible.
   */
  readonly isCustody: boolean;
  /** Whether holders can redeem tokens for coins. */
  readonly isRedeemable: boolean;
  /** Whether tokens have numbers and one owner each (ERC-721): approvals are then per token. */
  readonly isCollectible: boolean;
}
