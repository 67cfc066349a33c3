import type { QueryParams } from '../../shared/platform/clickhouse.ts';
import {
  RISK_LEVEL_SQL,
  RISK_LEVELS,
  RISK_LEVELS_FROM,
  type RiskLevel,
} from '../../shared/rules/riskLevel.ts';

const RISK_MAX = 10_000;
/** Unix seconds after every block there will be. */
export const END_OF_TIME_S = 4_294_967_295;

/** Which verdicts a list holds; what is absent does not matter. Bounds are inclusive. */
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

/** Values for the placeholders of all conditions below. */
export const filterParams = (filter: VerdictFilter): QueryParams => ({
  minPercent: filter.minConfidence ?? 0,
  maxPercent: filter.maxConfidence ?? 100,
  levels: (filter.riskLevels ?? RISK_LEVELS).map((level) => RISK_LEVELS.indexOf(level)),
  minRisk: Math.round((filter.minRisk ?? 0) * 100),
  maxRisk: Math.round((filter.maxRisk ?? 100) * 100),
  createdFrom: filter.createdFromS ?? 0,
  createdTo: filter.createdToS ?? END_OF_TIME_S,
});

const confidenceConditions = (filter: VerdictFilter): string[] => [
  ...(filter.minConfidence === undefined ? [] : ['percent >= {minPercent:UInt8}']),
  ...(filter.maxConfidence === undefined ? [] : ['percent <= {maxPercent:UInt8}']),
];

const createdConditions = (filter: VerdictFilter): string[] => [
  ...(filter.createdFromS === undefined ? [] : ['created_at >= toDateTime({createdFrom:UInt32})']),
  ...(filter.createdToS === undefined ? [] : ['created_at <= toDateTime({createdTo:UInt32})']),
];

/** What a place of `token_sort_index` must satisfy, in SQL: just the expressions that it has indices of. */
export const placeCondition = (filter: VerdictFilter): string =>
  [
    '1',
    ...(filter.prediction === undefined ? [] : [`is_scam = ${isScamOf(filter.prediction)}`]),
    ...confidenceConditions(filter),
    ...(filter.riskLevels ? [`${RISK_LEVEL_SQL} IN {levels:Array(UInt8)}`] : []),
    ...(filter.minRisk === undefined ? [] : ['risk >= {minRisk:UInt16}']),
    ...(filter.maxRisk === undefined ? [] : ['risk <= {maxRisk:UInt16}']),
    ...createdConditions(filter),
  ].join(' AND ');

/** A prediction as tables keep it. */
const isScamOf = (prediction: 'SCAM' | 'LEGIT'): 0 | 1 => (prediction === 'SCAM' ? 1 : 0);

/** Whether a risk is bounded beside or instead of whole levels. */
export const hasRiskBounds = ({ minRisk, maxRisk }: VerdictFilter): boolean =>
  minRisk !== undefined || maxRisk !== undefined;

/** Whether a filter leaves anything out. */
export const isFiltered = (filter: VerdictFilter): boolean =>
  filter.prediction !== undefined ||
  filter.minConfidence !== undefined ||
  filter.maxConfidence !== undefined ||
  filter.riskLevels !== undefined ||
  hasRiskBounds(filter) ||
  hasTimes(filter);

/** Whether the time a token was created at is bounded. */
export const hasTimes = ({ createdFromS, createdToS }: VerdictFilter): boolean =>
  createdFromS !== undefined || createdToS !== undefined;

/** How many tokens there are of one kind. */
export interface TokenCount {
  readonly isScam: number;
  /** Index of `RISK_LEVELS`. */
  readonly level: number;
  /** Confidence as lists show it. */
  readonly percent: number;
  readonly tokens: number;
}

/** Share of a level that lies within the bounds of the risk, were risks spread evenly. */
const levelShare = (level: number, filter: VerdictFilter): number => {
  if (!hasRiskBounds(filter)) return 1;
  const from = RISK_LEVELS_FROM[level] ?? 0;
  const to = RISK_LEVELS_FROM[level + 1] ?? RISK_MAX + 1;
  const { minRisk, maxRisk } = filterParams(filter) as { minRisk: number; maxRisk: number };
  const within = Math.min(to - 1, maxRisk) - Math.max(from, minRisk) + 1;
  return Math.max(0, within) / (to - from);
};

/** How many of the counted tokens a filter leaves, whenever they were created; with bounds of the risk about so many. */
export const countWithin = (counts: readonly TokenCount[], filter: VerdictFilter): number => {
  const { prediction, minConfidence = 0, maxConfidence = 100, riskLevels } = filter;
  const levels = riskLevels?.map((level) => RISK_LEVELS.indexOf(level));
  let total = 0;
  for (const { isScam, level, percent, tokens } of counts) {
    const isWithin =
      (prediction === undefined || isScam === isScamOf(prediction)) &&
      percent >= minConfidence &&
      percent <= maxConfidence &&
      (levels?.includes(level) ?? true);
    if (isWithin) total += tokens * levelShare(level, filter);
  }
  return Math.max(0, total);
};

/** Bounds of the sort value that follow from the filter, in SQL: they narrow what is read. */
export const rangeCondition = (sort: string, filter: VerdictFilter): string => {
  if (sort === 'created_at') {
    return [
      '1',
      ...(filter.createdFromS === undefined ? [] : ['value >= {createdFrom:UInt32}']),
      ...(filter.createdToS === undefined ? [] : ['value <= {createdTo:UInt32}']),
    ].join(' AND ');
  }
  if (sort === 'confidence') {
    return [
      '1',
      // Half a percent rounds up; a little less, as the product of floats may.
      ...(filter.minConfidence === undefined
        ? []
        : ['value >= reinterpretAsUInt64(greatest({minPercent:UInt8} / 100 - 0.0051, 0.))']),
      ...(filter.maxConfidence === undefined
        ? []
        : ['value <= reinterpretAsUInt64({maxPercent:UInt8} / 100 + 0.0051)']),
    ].join(' AND ');
  }
  if (sort !== 'risk_score') return '1';
  const [from, to] = riskBounds(filter);
  return [
    '1',
    ...(from > 0 ? [`value >= reinterpretAsUInt64(${Math.max(0, from - 1)} / 100)`] : []),
    ...(to < RISK_MAX ? [`value <= reinterpretAsUInt64(${to + 1} / 100)`] : []),
  ].join(' AND ');
};

/** The least and the greatest risk the filter leaves, in hundredths. */
const riskBounds = (filter: VerdictFilter): [number, number] => {
  const levels = (filter.riskLevels ?? RISK_LEVELS).map((level) => RISK_LEVELS.indexOf(level));
  const lowest = RISK_LEVELS_FROM[Math.min(...levels)] ?? 0;
  const highest = RISK_LEVELS_FROM[Math.max(...levels) + 1] ?? RISK_MAX;
  return [
    Math.max(lowest, Math.round((filter.minRisk ?? 0) * 100)),
    Math.min(highest, Math.round((filter.maxRisk ?? 100) * 100)),
  ];
};
