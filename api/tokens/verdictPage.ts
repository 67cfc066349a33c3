import type { RiskLevel } from '../../shared/rules/riskLevel.ts';
import type { VerdictSummary } from './verdict.ts';

/** Filters of a list of verdicts; absent ones do not filter. Bounds are inclusive. */
export interface VerdictFilter {
  readonly prediction?: 'SCAM' | 'LEGIT' | undefined;
  /** Whole percents, as lists show them. */
  readonly minConfidence?: number | undefined;
  readonly maxConfidence?: number | undefined;
  readonly riskLevels?: readonly RiskLevel[] | undefined;
  /** 0 to 100 with two decimals, as lists show it. */
  readonly minRisk?: number | undefined;
  readonly maxRisk?: number | undefined;
  /** Unix seconds when the token was created. */
  readonly createdFromS?: number | undefined;
  readonly createdToS?: number | undefined;
}

export const VERDICT_SORTS = [
  'created_at',
  'confidence',
  'risk_score',
  'analyzed_at',
  'symbol',
] as const;
export type VerdictSort = (typeof VERDICT_SORTS)[number];

/** The position after which a page begins: sort value and address of the last entry before it. */
export interface VerdictPosition {
  readonly value: number | string;
  readonly token: string;
}

/** One page of a list. */
export interface VerdictPage extends VerdictFilter {
  readonly sort: VerdictSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  readonly after?: VerdictPosition | undefined;
}

/** Sort value of entries. */
export type SortValues = Pick<
  VerdictSummary,
  'createdAtS' | 'confidence' | 'riskScore' | 'analyzedAtMs' | 'symbol'
>;

/** The sort value of an entry. */
export const sortValue = (verdict: SortValues, sort: VerdictSort): number | string => {
  switch (sort) {
    case 'created_at':
      return verdict.createdAtS;
    case 'confidence':
      return verdict.confidence;
    case 'risk_score':
      return verdict.riskScore;
    case 'analyzed_at':
      return verdict.analyzedAtMs;
    case 'symbol':
      return verdict.symbol;
  }
};
