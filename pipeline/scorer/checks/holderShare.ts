import type { Check } from '../../../shared/messages/verdictDoc.ts';

/**
 * Weight of a power by the kind of account that holds it, a judgement: the data contain no fraud that a contract
 * controls. What a contract says about itself can be a lie, so no weight is removed completely.
 */
const SHARES: Readonly<Partial<Record<NonNullable<Check['held_by']>, number>>> = {
  contract: 0.5,
  multisig: 0.5,
  timelock: 0.25,
  governance: 0.25,
};

/** The fraction of a weight, 0 to 1, that counts for a power of this account. */
export const holderShare = ({ held_by }: Pick<Check, 'held_by'>): number =>
  SHARES[held_by ?? 'wallet'] ?? 1;
