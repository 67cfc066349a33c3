import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import { countVerdicts, estimateSides } from './countVerdicts.ts';
import {
  filterParams,
  placeCondition,
  rangeCondition,
  sidesOf,
  type VerdictFilter,
} from './tokenFilter.ts';
import {
  type Database,
  VERDICT_COLUMNS,
  type VerdictSummary,
  verdictRow,
  verdictSummaryOf,
} from './verdict.ts';

export const VERDICT_SORTS = [
  'created_at',
  'confidence',
  'risk_score',
  'analyzed_at',
  'symbol',
] as const;
export type VerdictSort = (typeof VERDICT_SORTS)[number];

/** The place after which a page begins: the sort value and the address of the last entry before. */
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

/** The value an entry is sorted by. */
export const sortValue = (verdict: VerdictSummary, sort: VerdictSort): number | string => {
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

/** A row of `token_order`: the sort value (20 digits, so that texts sort like numbers), text, token. */
type Place = readonly [value: string, text: string, token: string];

const FLOAT_SORTS: ReadonlySet<VerdictSort> = new Set(['confidence', 'risk_score']);
const VALUE_DIGITS = 20;

/** The bits of a float that is not negative sort like the float itself. */
const floatBits = (value: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
};

const placeAt = (sort: VerdictSort, { value, token }: VerdictPosition): Place => {
  if (typeof value === 'string') return ['0'.repeat(VALUE_DIGITS), value, token.slice(2)];
  const bits = FLOAT_SORTS.has(sort) ? floatBits(value) : BigInt(Math.trunc(value));
  return [String(bits).padStart(VALUE_DIGITS, '0'), '', token.slice(2)];
};

const compareText = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));
const comparePlaces = (a: Place, b: Place): number =>
  compareText(a[0], b[0]) || compareText(a[1], b[1]) || compareText(a[2], b[2]);

const placeSchema = z.tuple([z.string(), z.string(), z.string()]);
const sideRow = z.object({ raw: countSchema, edge: placeSchema, places: z.array(placeSchema) });

/**
 * Places of one prediction, read in the order of the table's key and no further than `rawMax` rows.
 * Rows of a place that was left or rewritten are there until parts merge: the newest one counts.
 */
const sideSql = (page: VerdictPage, isScam: 0 | 1): string => {
  const { sort, order, after } = page;
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const beyond = after
    ? `AND (value, text, token) ${order === 'asc' ? '>' : '<'}
       ({afterValue:UInt64}, {afterText:String}, toFixedString(unhex({afterToken:String}), 20))`
    : '';
  const place = `(leftPad(toString(value), ${VALUE_DIGITS}, '0'), text, lower(hex(token)))`;
  return `SELECT sum(rows) AS raw, ${order === 'asc' ? 'max' : 'min'}(place) AS edge,
      arraySlice(${order === 'asc' ? 'arraySort' : 'arrayReverseSort'}(
        groupArrayIf(place, gone = 0 AND ${placeCondition(page)})), 1, {placesMax:UInt32}) AS places
    FROM (
      SELECT ${place} AS place, count() AS rows, argMax(is_deleted, seq) AS gone,
        argMax(newest.1, seq) AS percent, argMax(newest.2, seq) AS risk,
        argMax(newest.3, seq) AS created_at
      FROM (
        SELECT value, text, token, seq, is_deleted, (percent, risk, created_at) AS newest
        FROM token_order
        WHERE chain_id = {chainId:UInt64} AND sort = '${sort}' AND is_scam = ${isScam}
          AND ${rangeCondition(sort, page)} ${beyond}
        ORDER BY value ${direction}, text ${direction}, token ${direction}
        LIMIT {rawMax:UInt64}
      ) GROUP BY value, text, token
    )`;
};

/** Rows read for each place wanted, and beside them: places left behind are some of the rows. */
const RAW_FACTOR = 1.25;
const RAW_EXTRA = 200;
/** How much further each next attempt reads, and how often before it reads to the end. */
const RETRY_FACTOR = 8;
const ATTEMPTS_MAX = 4;
const RAW_MAX = 1e12;

/** The first `wanted` places of one prediction after the page's start, in order. */
const readSide = async (
  database: Database,
  chainId: number,
  page: VerdictPage,
  options: Reach & { isScam: 0 | 1; wanted: number },
): Promise<readonly Place[]> => {
  const { isScam, wanted, attemptsMax } = options;
  const [afterValue, afterText, afterToken] = page.after
    ? placeAt(page.sort, page.after)
    : ['0', '', ''];
  let { rawMax } = options;
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1 && attempt === attemptsMax) rawMax = RAW_MAX;
    const params = { ...filterParams(page), chainId, placesMax: wanted, rawMax };
    const [side] = await database.query(
      sideSql(page, isScam),
      { ...params, afterValue: BigInt(afterValue).toString(), afterText, afterToken },
      sideRow,
    );
    if (!side) return [];
    if (side.raw < rawMax) return side.places;
    // The place at the edge may have newer rows beyond it.
    const places = side.places.filter((place) => comparePlaces(place, side.edge) !== 0);
    if (places.length >= wanted || attempt === attemptsMax) return places;
    rawMax *= RETRY_FACTOR;
  }
};

const confidenceFilter = ({ minConfidence, maxConfidence }: VerdictFilter): VerdictFilter => ({
  minConfidence,
  maxConfidence,
});
const riskFilter = ({ riskLevels, minRisk, maxRisk }: VerdictFilter): VerdictFilter => ({
  riskLevels,
  minRisk,
  maxRisk,
});
const createdFilter = ({ createdFromS, createdToS }: VerdictFilter): VerdictFilter => ({
  createdFromS,
  createdToS,
});

/** The part of a filter that a sort turns into a range of its values. */
const rangeFilter = (page: VerdictPage): VerdictFilter => {
  if (page.sort === 'created_at') return createdFilter(page);
  if (page.sort === 'confidence') return confidenceFilter(page);
  return page.sort === 'risk_score' ? riskFilter(page) : {};
};

/** The rest of it, without the prediction: the table keeps predictions apart. */
const otherFilter = (page: VerdictPage): VerdictFilter => ({
  ...confidenceFilter(page),
  ...riskFilter(page),
  ...createdFilter(page),
});

/** How far to read for one prediction: rows at first, and how often further. */
interface Reach {
  readonly rawMax: number;
  readonly attemptsMax: number;
}

/** More rows where the filter leaves few of many; where it leaves none, a look is enough. */
const reachOf = async (
  database: Database,
  chainId: number,
  page: VerdictPage,
  wanted: number,
): Promise<(isScam: 0 | 1) => Reach> => {
  const rows = Math.ceil(wanted * RAW_FACTOR) + RAW_EXTRA;
  const range = rangeFilter(page);
  const filter = { ...range, ...otherFilter(page) };
  if (placeCondition(filter) === placeCondition(range)) {
    return () => ({ rawMax: rows, attemptsMax: ATTEMPTS_MAX });
  }
  const sides = await estimateSides(database, chainId, filter, range);
  return (isScam) => {
    const { matching = 0, inRange = 0 } = sides.get(isScam) ?? {};
    if (matching <= 0) return { rawMax: rows, attemptsMax: 1 };
    const rawMax = Math.min(RAW_MAX, Math.ceil((rows * Math.max(1, inRange)) / matching));
    return { rawMax, attemptsMax: ATTEMPTS_MAX };
  };
};

const verdictsOf = async (
  database: Database,
  chainId: number,
  tokens: readonly string[],
): Promise<Map<string, VerdictSummary>> => {
  if (tokens.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${VERDICT_COLUMNS} FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN (SELECT toFixedString(unhex(arrayJoin({tokens:Array(String)})), 20))`,
    { chainId, tokens },
    verdictRow,
  );
  return new Map(rows.map((row) => [row.token_hex.slice(2), verdictSummaryOf(row)]));
};

/** The verdicts in force of several tokens, in any order; tokens without one are left out. */
export const findVerdicts = async (
  database: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<VerdictSummary[]> => {
  const plain = tokens.map((token) => token.slice(2));
  return [...(await verdictsOf(database, chainId, plain)).values()];
};

/** So few tokens of a span of time are read and sorted rather than looked for in another order. */
const SORTED_HERE_MAX = 300;

/** A page of the few tokens that were made in a span of time, by any sort. */
const sortHere = async (
  database: Database,
  chainId: number,
  page: VerdictPage,
): Promise<VerdictSummary[]> => {
  const { sort, order, after, limit } = page;
  const sign = order === 'asc' ? 1 : -1;
  const all = await listVerdicts(database, chainId, {
    ...page,
    sort: 'created_at',
    after: undefined,
    offset: 0,
    // Some may have been made since they were counted.
    limit: 2 * SORTED_HERE_MAX,
  });
  const placeOf = (verdict: VerdictSummary): Place =>
    placeAt(sort, { value: sortValue(verdict, sort), token: verdict.token });
  const start = after && placeAt(sort, after);
  const sorted = all
    .map((verdict) => ({ verdict, place: placeOf(verdict) }))
    .filter(({ place }) => !start || sign * comparePlaces(place, start) > 0)
    .toSorted((a, b) => sign * comparePlaces(a.place, b.place))
    .map(({ verdict }) => verdict);
  const offset = after ? 0 : page.offset;
  return sorted.slice(offset, offset + limit);
};

/**
 * The entries of one page; equal sort values are ordered by address, so pages are stable. Reads
 * about as many rows of the order as entries are wanted, then those verdicts by their key.
 */
export const listVerdicts = async (
  database: Database,
  chainId: number,
  page: VerdictPage,
): Promise<VerdictSummary[]> => {
  const offset = page.after ? 0 : page.offset;
  const wanted = offset + page.limit;
  const isRecent = page.createdFromS !== undefined && page.sort !== 'created_at';
  if (isRecent && (await countVerdicts(database, chainId, page)) <= SORTED_HERE_MAX) {
    return sortHere(database, chainId, page);
  }
  const reach = await reachOf(database, chainId, page, wanted);
  const sides = await Promise.all(
    sidesOf(page).map((isScam) =>
      readSide(database, chainId, page, { isScam, wanted, ...reach(isScam) }),
    ),
  );
  const sign = page.order === 'asc' ? 1 : -1;
  const places = sides
    .flat()
    .toSorted((a, b) => sign * comparePlaces(a, b))
    .slice(offset, wanted);
  const verdicts = await verdictsOf(
    database,
    chainId,
    places.map(([, , token]) => token),
  );
  return places.flatMap((place) => {
    const verdict = verdicts.get(place[2]);
    // A verdict that has changed since its place was read belongs elsewhere by now.
    if (!verdict) return [];
    const { token } = verdict;
    const now = placeAt(page.sort, { value: sortValue(verdict, page.sort), token });
    return comparePlaces(now, place) === 0 ? [verdict] : [];
  });
};
