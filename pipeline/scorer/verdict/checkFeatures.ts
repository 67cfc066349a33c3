import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { CHECKS } from '../checks/checks.ts';
import { holderShare } from '../checks/holderShare.ts';

/** Findings of failed checks with a fitted weight, by name, with the log-odds from which the fit starts. */
export const EXPECTED_LOG_ODDS: ReadonlyMap<string, number> = new Map(
  [...CHECKS.values()].flatMap(({ id, expected }) => [
    ...(expected ? [[id, expected.failed] as const] : []),
    ...(expected?.byCode === undefined ? [] : [[`${id}:code`, expected.byCode] as const]),
  ]),
);

/** A finding that is present. */
export interface FoundFeature {
  readonly feature: string;
  /** Factor of the weight, by the holder of the power. */
  readonly share: number;
}

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
    return [{ feature, share: holderShare(check) }];
  });
