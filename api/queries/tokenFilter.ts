import type { QueryParams } from '../../shared/adapters/clickhouse.ts';

/** Levels of risk as `token_counts` numbers them. */
export const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** Hundredths of a risk score at which each level begins. */
const LEVEL_FROM = [0, 2_500, 5_000, 7_500] as const;
const RISK_MAX = 10_000;

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
  /** Unix seconds when the token was made. */
  readonly createdFromS?: number | undefined;
  readonly createdToS?: number | undefined;
}

const DAY_S = 86_400;

/** Values for the placeholders of all conditions below. */
export const filterParams = (filter: VerdictFilter): QueryParams => ({
  minPercent: filter.minConfidence ?? 0,
  maxPercent: filter.maxConfidence ?? 100,
  levels: (filter.riskLevels ?? RISK_LEVELS).map((level) => RISK_LEVELS.indexOf(level)),
  minRisk: Math.round((filter.minRisk ?? 0) * 100),
  maxRisk: Math.round((filter.maxRisk ?? 100) * 100),
  createdFrom: filter.createdFromS ?? 0,
  createdTo: filter.createdToS ?? 4_294_967_295,
  wholeDayFrom: Math.ceil((filter.createdFromS ?? 0) / DAY_S),
  wholeDayTo: Math.floor(((filter.createdToS ?? 4_294_967_295) + 1) / DAY_S),
});

/** Level of a risk in hundredths, as `token_counts` numbers it. */
const LEVEL_OF_RISK = `toUInt8((risk >= ${LEVEL_FROM[1]}) + (risk >= ${LEVEL_FROM[2]}) + (risk >= ${LEVEL_FROM[3]}))`;

const confidenceConditions = (filter: VerdictFilter): string[] => [
  ...(filter.minConfidence === undefined ? [] : ['percent >= {minPercent:UInt8}']),
  ...(filter.maxConfidence === undefined ? [] : ['percent <= {maxPercent:UInt8}']),
];

const createdConditions = (filter: VerdictFilter): string[] => [
  ...(filter.createdFromS === undefined
    ? []
    : ['toUnixTimestamp(created_at) >= {createdFrom:UInt32}']),
  ...(filter.createdToS === undefined ? [] : ['toUnixTimestamp(created_at) <= {createdTo:UInt32}']),
];

/** What a place of `token_order` must satisfy beside its prediction, in SQL. */
export const placeCondition = (filter: VerdictFilter): string =>
  [
    '1',
    ...confidenceConditions(filter),
    ...(filter.riskLevels ? [`${LEVEL_OF_RISK} IN {levels:Array(UInt8)}`] : []),
    ...(filter.minRisk === undefined ? [] : ['risk >= {minRisk:UInt16}']),
    ...(filter.maxRisk === undefined ? [] : ['risk <= {maxRisk:UInt16}']),
    ...createdConditions(filter),
  ].join(' AND ');

/** What a row of `token_counts` must satisfy beside prediction and day, in SQL. */
export const countCondition = (filter: VerdictFilter): string =>
  [
    '1',
    ...confidenceConditions(filter),
    ...(filter.riskLevels ? ['level IN {levels:Array(UInt8)}'] : []),
  ].join(' AND ');

/** Values of `is_scam` the filter leaves. */
export const sidesOf = ({ prediction }: VerdictFilter): readonly (0 | 1)[] => {
  if (prediction === undefined) return [0, 1];
  return prediction === 'SCAM' ? [1] : [0];
};

/** Whether counts by level, percent and whole day cannot tell how many there are. */
export const needsRiskCount = ({ minRisk, maxRisk }: VerdictFilter): boolean =>
  minRisk !== undefined || maxRisk !== undefined;

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
  const lowest = LEVEL_FROM[Math.min(...levels)] ?? 0;
  const highest = LEVEL_FROM[Math.max(...levels) + 1] ?? RISK_MAX;
  return [
    Math.max(lowest, Math.round((filter.minRisk ?? 0) * 100)),
    Math.min(highest, Math.round((filter.maxRisk ?? 100) * 100)),
  ];
};
