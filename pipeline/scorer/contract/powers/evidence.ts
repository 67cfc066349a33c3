import type { Holder } from './holders.ts';
import type { Privileges } from './privilege.ts';
import type { ContractFunction, TokenStorage } from './token.ts';

export const POWERS = ['mint', 'leak', 'limit'] as const;
export type Power = (typeof POWERS)[number];

/** A way in which code gives a power. */
export type Reason =
  | 'mintedByPrivileged'
  | 'mintedByAnyone'
  | 'mintedForPayment'
  | 'mintedForDeposit'
  | 'mintedAsClaim'
  | 'mintedOncePerAccount'
  | 'mintedOnce'
  | 'mintedElsewhere'
  | 'creditedByPrivileged'
  | 'takenByPrivileged'
  | 'takenByAnyone'
  | 'takenBySignature'
  | 'allowedForOthers'
  | 'contractTokensGiven'
  | 'knownAccountTokensGiven'
  | 'custodyWithdrawn'
  | 'strayWithdrawn'
  | 'custodyPaidOut'
  | 'coinPaidOut'
  | 'destroyed'
  | 'callsAnything'
  | 'runsWhatIsSet'
  | 'closedByPrivileged'
  | 'openedByPrivileged'
  | 'boundedByPrivileged'
  | 'onlyKnownMove'
  | 'onlyEnteredSpend'
  | 'recipientRefused'
  | 'refusedElsewhere'
  | 'setAsideByPrivileged'
  | 'exitClosedByPrivileged';

export interface Finding {
  readonly reason: Reason;
  /** The function that has it. */
  readonly selector: string;
  /** The function by which a condition of it is changed. */
  readonly by?: string | undefined;
  /** Who can call it; none where everyone can, or that is not known. */
  readonly holders: readonly Holder[];
}

/** What the powers are read from. */
export interface ReadContract extends Privileges {
  readonly functions: readonly ContractFunction[];
  readonly storage: TokenStorage;
  /** Whether others' coins or tokens come in, against something that the contract notes down. */
  readonly isCustody: boolean;
  /** Whether holders can give up tokens for coins. */
  readonly isRedeemable: boolean;
  /** Whether tokens have numbers and one owner each (ERC-721): permissions are then given token by token. */
  readonly isCollectible: boolean;
}
