import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { CHECKS } from '../checks/checks.ts';

/** Findings of failed checks that have a fitted weight, by name, with the log-odds that the fit starts from. */
export const EXPECTED_LOG_ODDS: ReadonlyMap<string, number> = new Map(
  [...CHECKS.values()].flatMap(({ id, expected }) => [
    ...(expected ? [[id, expected.failed] as const] : []),
    ...(expected?.byCode === undefined ? [] : [[`${id}:code`, expected.byCode] as const]),
  ]),
);

/** A feature that is there. */
export interface FoundFeature {
  readonly feature: string;
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

const featureOf = ({ id, shown_by }: Pick<Check, 'id' | 'shown_by'>): string =>
  shown_by === 'code' ? `${id}:code` : id;

/** The findings of failed checks. */
export const checkFeatures = (checks: readonly Check[]): FoundFeature[] =>
  checks.filter(isFailed).flatMap((check): FoundFeature[] => {
    const feature = featureOf(check);
    if (!EXPECTED_LOG_ODDS.has(feature)) return [];
    return [{ feature, share: SHARES[check.held_by ?? 'wallet'] ?? 1 }];
  });
