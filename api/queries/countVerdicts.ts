import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import {
  countCondition,
  filterParams,
  needsRiskCount,
  placeCondition,
  rangeCondition,
  sidesOf,
  type VerdictFilter,
} from './tokenFilter.ts';
import type { Database } from './verdict.ts';

const totalRow = z.object({ total: z.number().int() });

/** Live places of one sort within a part of its values, one a token. */
const livePlaces = (sort: string, range: string, condition: string): string =>
  `SELECT count() FROM (
     SELECT argMax(is_deleted, seq) AS gone, argMax(percent, seq) AS percent,
       argMax(risk, seq) AS risk, argMax(created_at, seq) AS created_at
     FROM (
       SELECT is_scam, value, text, token, seq, is_deleted, percent, risk, created_at
       FROM token_order
       WHERE chain_id = {chainId:UInt64} AND sort = '${sort}' AND is_scam IN {sides:Array(UInt8)}
         AND ${range}
     ) GROUP BY is_scam, value, text, token
   ) WHERE gone = 0 AND ${condition}`;

/** Tokens made on the days a filter begins and ends in, which counts by day cannot split. */
const splitDays = (filter: VerdictFilter): string => {
  const inDay = `((value >= {createdFrom:UInt32} AND value < {wholeDayFrom:UInt32} * 86400)
    OR (value <= {createdTo:UInt32} AND value >= {wholeDayTo:UInt32} * 86400))
    AND value BETWEEN {createdFrom:UInt32} AND {createdTo:UInt32}`;
  return livePlaces('created_at', inDay, placeCondition(filter));
};

/**
 * How many verdicts a filter leaves: sums of counters, and for days cut by the filter a scan of those.
 * A filter by risk score reads the range of the scores it leaves.
 */
export const countVerdicts = async (
  database: Database,
  chainId: number,
  filter: VerdictFilter,
): Promise<number> => {
  const hasTimes = filter.createdFromS !== undefined || filter.createdToS !== undefined;
  const counters = `SELECT sum(tokens) FROM token_counts
    WHERE chain_id = {chainId:UInt64} AND is_scam IN {sides:Array(UInt8)}
      AND ${countCondition(filter)}
      ${hasTimes ? 'AND toUInt32(toUInt16(day)) >= {wholeDayFrom:UInt32} AND toUInt32(toUInt16(day)) < {wholeDayTo:UInt32}' : ''}`;
  const sql = needsRiskCount(filter)
    ? `SELECT (${livePlaces('risk_score', rangeCondition('risk_score', filter), placeCondition(filter))}) AS total`
    : `SELECT toInt64((${counters})) ${hasTimes ? `+ toInt64((${splitDays(filter)}))` : ''} AS total`;
  const params = { ...filterParams(filter), chainId, sides: sidesOf(filter) };
  const rows = await database.query(sql, params, totalRow);
  return countSchema.parse(Math.max(0, rows[0]?.total ?? 0));
};

/** How many tokens of one prediction a filter leaves, of how many in the range of the sort. */
export interface SideEstimate {
  readonly matching: number;
  readonly inRange: number;
}

const sideRow = z.object({
  side: z.union([z.literal(0), z.literal(1)]),
  matching: z.number().int(),
  in_range: z.number().int(),
});

/** Whole days that hold any moment of the filter. */
const dayCondition = (filter: VerdictFilter): string =>
  [
    '1',
    ...(filter.createdFromS === undefined
      ? []
      : ['toUInt32(toUInt16(day)) >= intDiv({createdFrom:UInt32}, 86400)']),
    ...(filter.createdToS === undefined
      ? []
      : ['toUInt32(toUInt16(day)) <= intDiv({createdTo:UInt32}, 86400)']),
  ].join(' AND ');

/**
 * By prediction, about how many tokens a filter leaves: days are taken whole, and risk scores count by
 * level only.
 * @param range the part of the filter that the sort turns into a range of its values.
 */
export const estimateSides = async (
  database: Database,
  chainId: number,
  filter: VerdictFilter,
  range: VerdictFilter,
): Promise<ReadonlyMap<0 | 1, SideEstimate>> => {
  const condition = (part: VerdictFilter): string =>
    `${countCondition(part)} AND ${dayCondition(part)}`;
  const rows = await database.query(
    `SELECT is_scam AS side, sumIf(tokens, ${condition(filter)}) AS matching,
       sumIf(tokens, ${condition(range)}) AS in_range
     FROM token_counts WHERE chain_id = {chainId:UInt64} GROUP BY is_scam`,
    { ...filterParams(filter), chainId },
    sideRow,
  );
  return new Map(rows.map((row) => [row.side, { matching: row.matching, inRange: row.in_range }]));
};
