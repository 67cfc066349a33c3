import type { Check } from '../../../shared/messages/verdictDoc.ts';

/**
 * How much of what one account can do to buyers counts, by what kind of account it is, a judgement: the data hold no fraud that a contract
 * rules. What a contract says of itself can be a lie, so nothing is taken off whole.
 */
const SHARES: Readonly<Partial<Record<NonNullable<Check['held_by']>, number>>> = {
  contract: 0.5,
  multisig: 0.5,
  timelock: 0.25,
  governance: 0.25,
};

/** The part of a weight, 0 to 1, that counts for what this account holds. */
export const holderShare = ({ held_by }: Pick<Check, 'held_by'>): number =>
  SHARES[held_by ?? 'wallet'] ?? 1;
