import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import {
  type Database,
  VERDICT_COLUMNS,
  type VerdictSummary,
  verdictRow,
  verdictSummaryOf,
} from './verdict.ts';

export const VERDICT_SORTS = ['created_at', 'confidence', 'risk_score'] as const;
export type VerdictSort = (typeof VERDICT_SORTS)[number];

/** Which verdicts a list holds. */
export interface VerdictFilter {
  readonly prediction?: 'SCAM' | 'LEGIT' | undefined;
  /** Whole percent, as lists show it. */
  readonly minConfidence?: number | undefined;
}

/** The place after which a page begins: the sort value and the address of the last entry before. */
export interface VerdictPosition {
  readonly value: number;
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

/** Sort values as numbers that survive a trip through JSON unchanged. */
const SORT_VALUES: Record<VerdictSort, string> = {
  created_at: 'toFloat64(toUnixTimestamp(created_at))',
  confidence: 'confidence',
  risk_score: 'risk_score',
};

/** The value an entry is sorted by. */
export const sortValue = (verdict: VerdictSummary, sort: VerdictSort): number => {
  if (sort === 'created_at') return verdict.createdAtS;
  return sort === 'confidence' ? verdict.confidence : verdict.riskScore;
};

const where = (filter: VerdictFilter): string => {
  const conditions = ['chain_id = {chainId:UInt64}'];
  if (filter.prediction) conditions.push('prediction = {prediction:String}');
  if (filter.minConfidence !== undefined) {
    // Half a percent rounds up, as in the presented value.
    conditions.push('floor(confidence * 100 + 0.5) >= {minConfidence:UInt8}');
  }
  return conditions.join(' AND ');
};

/** The entries of one page; equal sort values are ordered by address, so pages are stable. */
export const listVerdicts = async (
  database: Database,
  chainId: number,
  page: VerdictPage,
): Promise<VerdictSummary[]> => {
  const value = SORT_VALUES[page.sort];
  const direction = page.order === 'asc' ? 'ASC' : 'DESC';
  const after = page.after
    ? `AND (${value}, token) ${page.order === 'asc' ? '>' : '<'}
       ({afterValue:Float64}, toFixedString(unhex({afterToken:String}), 20))`
    : '';
  const rows = await database.query(
    `SELECT ${VERDICT_COLUMNS} FROM token_verdicts FINAL
     WHERE ${where(page)} ${after}
     ORDER BY ${value} ${direction}, token ${direction}
     LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
    {
      chainId,
      prediction: page.prediction ?? '',
      minConfidence: page.minConfidence ?? 0,
      afterValue: page.after?.value ?? 0,
      afterToken: page.after?.token.slice(2) ?? '',
      limit: page.limit,
      offset: page.after ? 0 : page.offset,
    },
    verdictRow,
  );
  return rows.map(verdictSummaryOf);
};

/** How many verdicts a filter leaves. */
export const countVerdicts = async (
  database: Database,
  chainId: number,
  filter: VerdictFilter,
): Promise<number> => {
  const rows = await database.query(
    `SELECT count() AS total FROM token_verdicts FINAL WHERE ${where(filter)}`,
    { chainId, prediction: filter.prediction ?? '', minConfidence: filter.minConfidence ?? 0 },
    z.object({ total: countSchema }),
  );
  return rows[0]?.total ?? 0;
};
