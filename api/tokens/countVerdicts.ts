import { z } from 'zod';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import type { Share } from '../server/sharedReads.ts';
import {
  countWithin,
  END_OF_TIME_S,
  filterParams,
  hasRiskBounds,
  hasTimes,
  placeCondition,
  rangeCondition,
  type TokenCount,
  type VerdictFilter,
} from './tokenFilter.ts';

/** What queries about lists of tokens read from. */
export interface TokenReader {
  readonly database: Database;
  readonly chainId: number;
  readonly share: Share;
}

const totalRow = z.object({ total: z.number().int() });
/** What `tokenCount` reads of `token_totals AS t`. */
export const COUNTED =
  't.is_scam AS isScam, t.level AS level, t.percent AS percent, sum(t.tokens) AS tokens';
export const tokenCount = z.object({
  isScam: z.number(),
  level: z.number(),
  percent: z.number(),
  tokens: z.number().int(),
}) satisfies z.ZodType<TokenCount>;

/** Sums of counters by what lists filter by. There are 816 of them at the most. */
const countsSql = (condition: string): string =>
  `SELECT ${COUNTED} FROM token_totals AS t
   WHERE chain_id = {chainId:UInt64} AND ${condition}
   GROUP BY is_scam, level, percent ${POINT_READ}`;

/** All tokens by what lists filter by. */
export const readCounts = ({ database, chainId, share }: TokenReader): Promise<TokenCount[]> =>
  share('counts', () => database.query(countsSql(`span = 'all'`), { chainId }, tokenCount));

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1_000;

/** Days since 1970: from the first up to, and without, the last. */
interface Days {
  readonly from: number;
  readonly to: number;
}

const wholeDays = ({ createdFromS = 0, createdToS = END_OF_TIME_S }: VerdictFilter): Days => ({
  from: Math.ceil(createdFromS / DAY_S),
  to: Math.floor((createdToS + 1) / DAY_S),
});

/** The first day of the month that is `months` after the one of this day. */
const monthStart = (day: number, months: number): number => {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS;
};

/** The whole months within some days; none where they hold none. */
const wholeMonths = ({ from, to }: Days): Days => {
  const first = monthStart(from, 0) === from ? from : monthStart(from, 1);
  const last = monthStart(to, 0);
  return first < last ? { from: first, to: last } : { from: to, to };
};

const CREATED_CONDITION = `(
  (span = 'month' AND start >= toDate({monthFrom:UInt16}) AND start < toDate({monthTo:UInt16})) OR
  (span = 'day' AND start >= toDate({dayFrom:UInt16}) AND start < toDate({monthFrom:UInt16})) OR
  (span = 'day' AND start >= toDate({monthTo:UInt16}) AND start < toDate({dayTo:UInt16})))`;

/** Tokens made on the whole days of a filter, by what else lists filter by: sums over months and single days. */
export const readCreationCounts = async (
  { database, chainId, share }: TokenReader,
  filter: VerdictFilter,
): Promise<TokenCount[]> => {
  const days = wholeDays(filter);
  if (days.from >= days.to) return [];
  const months = wholeMonths(days);
  const params = {
    chainId,
    dayFrom: days.from,
    dayTo: days.to,
    monthFrom: months.from,
    monthTo: months.to,
  };
  return share(`creations ${days.from} ${days.to}`, () =>
    database.query(countsSql(CREATED_CONDITION), params, tokenCount),
  );
};

/**
 * Tokens a filter leaves, counted one by one in a range of an order.
 * @param range condition on the order's values, in SQL.
 */
const countPlaces = async (
  { database, chainId }: TokenReader,
  filter: VerdictFilter,
  { sort, range }: { sort: 'created_at' | 'risk_score'; range: string },
): Promise<number> => {
  const rows = await database.query(
    `SELECT count() AS total FROM token_sort_index FINAL
     WHERE chain_id = {chainId:UInt64} AND sort = '${sort}' AND ${range}
       AND ${placeCondition(filter)} ${POINT_READ}`,
    { ...filterParams(filter), chainId },
    totalRow,
  );
  return rows[0]?.total ?? 0;
};

/** Tokens made on the days that a filter begins and ends in, where it cuts them. */
const countCutDays = async (reader: TokenReader, filter: VerdictFilter): Promise<number> => {
  const { createdFromS = 0, createdToS = END_OF_TIME_S, ...rest } = filter;
  const { from, to } = wholeDays(filter);
  // Without an end the last day is not cut, and with no whole day there is one part.
  const parts: readonly (readonly [number, number])[] =
    from < to
      ? [
          [createdFromS, from * DAY_S - 1],
          [to * DAY_S, filter.createdToS ?? 0],
        ]
      : [[createdFromS, createdToS]];
  const cut = parts
    .filter(([fromS, toS]) => fromS <= toS)
    .map(([fromS, toS]) => `value BETWEEN ${fromS} AND ${toS}`);
  if (cut.length === 0) return 0;
  return countPlaces(reader, rest, { sort: 'created_at', range: `(${cut.join(' OR ')})` });
};

/** Tokens by the hundredths of their risk. */
const countByRisk = async (
  { database, chainId }: TokenReader,
  filter: VerdictFilter,
): Promise<number> => {
  const rows = await database.query(
    `SELECT sum(tokens) AS total FROM token_totals
     WHERE chain_id = {chainId:UInt64} AND span = 'risk' AND start = toDate(0)
       AND risk BETWEEN {minRisk:UInt16} AND {maxRisk:UInt16} AND ${placeCondition(filter)}
     ${POINT_READ}`,
    { ...filterParams(filter), chainId },
    totalRow,
  );
  return rows[0]?.total ?? 0;
};

/** Both bounds at once are not counted anywhere: reads the shorter of the two ranges. */
const countByRiskAndCreation = async (
  reader: TokenReader,
  filter: VerdictFilter,
): Promise<number> => {
  const [counts, creations] = await Promise.all([
    readCounts(reader),
    readCreationCounts(reader, filter),
  ]);
  const { riskLevels, minRisk, maxRisk } = filter;
  const sort =
    countWithin(counts, { riskLevels, minRisk, maxRisk }) < countWithin(creations, {})
      ? 'risk_score'
      : 'created_at';
  return countPlaces(reader, filter, { sort, range: rangeCondition(sort, filter) });
};

/** How many verdicts a filter leaves: sums of counters; tokens of the days a filter cuts are counted one by one. */
export const countVerdicts = async (
  reader: TokenReader,
  filter: VerdictFilter,
): Promise<number> => {
  if (hasRiskBounds(filter)) {
    return Math.max(
      0,
      hasTimes(filter)
        ? await countByRiskAndCreation(reader, filter)
        : await countByRisk(reader, filter),
    );
  }
  if (!hasTimes(filter)) return countWithin(await readCounts(reader), filter);
  const [creations, cut] = await Promise.all([
    readCreationCounts(reader, filter),
    countCutDays(reader, filter),
  ]);
  return countWithin(creations, filter) + cut;
};
