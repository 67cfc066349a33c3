import type { Check } from '../../../shared/messages/verdictDoc.ts';

/** Log-odds of a failed check before any data were seen: judgements, which the fit starts from and is drawn to. */
export const EXPECTED_LOG_ODDS = {
  mint_power: 0.4,
  'mint_power:code': 0.4,
  confiscation_power: 0.8,
  'confiscation_power:code': 0.8,
  freeze_power: 0.8,
  'freeze_power:code': 0.8,
  fee_power: 0.8,
  blacklist_power: 0.5,
  transfer_limits: 0.4,
  trading_gate: 0.3,
  pause_power: 0.3,
  self_destruct: 0.7,
  delegatecall: 0.4,
} as const;

/** A finding of failed checks that has a weight of its own. */
export type CheckFeature = keyof typeof EXPECTED_LOG_ODDS;

/** A feature that is there. */
export interface FoundFeature {
  readonly feature: CheckFeature;
  /** Of the weight, by who holds the power. */
  readonly share: number;
}

/**
 * How much of a power counts by who has it, a judgement: the data hold no fraud that a contract rules. What a contract
 * says of itself can be a lie, so nothing is taken off whole.
 */
const SHARES: Readonly<Partial<Record<NonNullable<Check['held_by']>, number>>> = {
  contract: 0.5,
  multisig: 0.5,
  timelock: 0.25,
  governance: 0.25,
};

/** Whether a check failed with more than information. */
export const isFailed = ({ status, severity }: Pick<Check, 'status' | 'severity'>): boolean =>
  status === 'fail' && severity !== 'info';

const featureOf = ({ id, shown_by }: Pick<Check, 'id' | 'shown_by'>): CheckFeature | undefined => {
  const name = shown_by === 'code' ? `${id}:code` : id;
  return name in EXPECTED_LOG_ODDS ? (name as CheckFeature) : undefined;
};

/** The findings of failed checks. */
export const checkFeatures = (checks: readonly Check[]): FoundFeature[] =>
  checks.filter(isFailed).flatMap((check): FoundFeature[] => {
    const feature = featureOf(check);
    return feature ? [{ feature, share: SHARES[check.held_by ?? 'wallet'] ?? 1 }] : [];
  });
