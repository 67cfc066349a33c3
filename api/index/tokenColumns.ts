import type { Hex } from '../../shared/chain/block.ts';
import { RISK_LEVELS, RISK_LEVELS_FROM } from '../../shared/rules/riskLevel.ts';
import type { Traits } from '../search/search.ts';
import {
  type SortValues,
  VERDICT_SORTS,
  type VerdictFilter,
  type VerdictPage,
  type VerdictSort,
} from '../tokens/verdictPage.ts';
import { createRowOrder, type RowOrder, type Stretch } from './rowOrder.ts';
import { createSortColumns, FIRST_TOKEN, LAST_TOKEN } from './sortColumns.ts';

// What filters and orders ask of a token, in arrays: counting 300,000 rows takes half a millisecond, in a b-tree twenty to thirty.

/** What the columns know of a token. */
export interface Filterable extends SortValues {
  readonly isScam: number;
  /** Confidence in whole percents. */
  readonly percent: number;
  /** In hundredths. */
  readonly risk: number;
  readonly failed: readonly string[];
}

/** Tokens that filters by prediction, confidence, level and failed checks do not tell apart. */
interface Kind {
  readonly isScam: boolean;
  readonly percent: number;
  readonly level: number;
  readonly failed: readonly string[];
  /** How many there are now. */
  tokens: number;
  /** Lowest and highest risk that any had, in hundredths. */
  riskMin: number;
  riskMax: number;
}

/** Lowest and highest value. */
type Bounds = readonly [from: number, to: number];

/** What a filter leaves. */
export interface Selection {
  readonly accepts: (row: number) => boolean;
  /** Those of rows that were named which are accepted; undefined where all are looked at. */
  readonly named: Uint32Array | undefined;
  readonly total: number;
  /** Every accepted token is within: risk in hundredths, confidence in percents, creation in Unix seconds. */
  readonly bounds: { readonly risk: Bounds; readonly percent: Bounds; readonly created: Bounds };
}

const isWithin = (value: number, from = value, to = value): boolean => value >= from && value <= to;

const kindTest = (
  filter: VerdictFilter,
  { all = [], any = [], none = [] }: Traits['checks'] = {},
) => {
  const { prediction, minConfidence, maxConfidence } = filter;
  const levels = filter.riskLevels?.map((level) => RISK_LEVELS.indexOf(level));
  return ({ tokens, isScam, percent, level, failed }: Kind): boolean =>
    tokens > 0 &&
    (prediction === undefined || (prediction === 'SCAM') === isScam) &&
    isWithin(percent, minConfidence, maxConfidence) &&
    (levels?.includes(level) ?? true) &&
    all.every((id) => failed.includes(id)) &&
    (any.length === 0 || any.some((id) => failed.includes(id))) &&
    !none.some((id) => failed.includes(id));
};

/** The number of rows that are no token. */
const NO_KIND = 0;

const createKinds = () => {
  const kinds: Kind[] = [
    { isScam: false, percent: 0, level: 0, failed: [], tokens: 0, riskMin: 0, riskMax: 0 },
  ];
  const numbers = new Map<string, number>();
  const numberOf = ({ isScam, percent, risk, failed }: Filterable): number => {
    const level = RISK_LEVELS_FROM.findLastIndex((from) => risk >= from);
    const key = JSON.stringify([isScam, percent, level, failed]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const own = { percent, level, failed, tokens: 0, riskMin: risk, riskMax: risk };
    const number = kinds.push({ isScam: isScam === 1, ...own }) - 1;
    numbers.set(key, number);
    return number;
  };
  return {
    leave: (number: number): void => {
      const kind = kinds[number];
      if (kind && number !== NO_KIND) kind.tokens -= 1;
    },
    /** Counts a token; returns the number of its kind. */
    enter: (verdict: Filterable): number => {
      const number = numberOf(verdict);
      const kind = kinds[number];
      if (kind) {
        kind.tokens += 1;
        kind.riskMin = Math.min(kind.riskMin, verdict.risk);
        kind.riskMax = Math.max(kind.riskMax, verdict.risk);
      }
      return number;
    },
    /** Which kinds a test accepts, by number, and what is known of their tokens together. */
    select: (test: (kind: Kind) => boolean) => {
      const accepted = new Uint8Array(kinds.length);
      let tokens = 0;
      let risk: Bounds = [Number.POSITIVE_INFINITY, 0];
      let percent: Bounds = [Number.POSITIVE_INFINITY, 0];
      for (const [number, kind] of kinds.entries()) {
        if (!test(kind)) continue;
        accepted[number] = 1;
        tokens += kind.tokens;
        risk = [Math.min(risk[0], kind.riskMin), Math.max(risk[1], kind.riskMax)];
        percent = [Math.min(percent[0], kind.percent), Math.max(percent[1], kind.percent)];
      }
      return { accepted, tokens, risk, percent };
    },
  };
};

/** Rows that the arrays begin with, and the factor by which they grow. */
const ROWS_MIN = 1_024;
const GROWTH = 1.25;

/** What filters ask of rows, by their number. */
interface Tested {
  readonly kind: Uint32Array;
  /** In hundredths. */
  readonly risk: Uint16Array;
  /** Unix seconds. */
  readonly created: Float64Array;
}

/** Which rows are accepted: those of accepted kinds, within bounds. */
interface RowTest {
  readonly accepted: Uint8Array;
  readonly risk: Bounds;
  readonly created: Bounds;
}

/** Tells whether a row is accepted. */
const createRowTest = (
  { kind, risk: risks, created: times }: Tested,
  { accepted, risk: [riskFrom, riskTo], created: [from, to] }: RowTest,
) => {
  return (row: number): boolean => {
    const at = times[row] ?? 0;
    if (at < from || at > to || !accepted[kind[row] ?? NO_KIND]) return false;
    const risk = risks[row] ?? 0;
    return risk >= riskFrom && risk <= riskTo;
  };
};

/**
 * How many of the rows below `end` are accepted: without branches or calls, for rows lie in no order, a processor would guess every other one wrong,
 * and this would take three times as long.
 */
const countRows = (
  { kind, risk: risks, created: times }: Tested,
  { accepted, risk: [riskFrom, riskTo], created: [from, to] }: RowTest,
  end: number,
): number => {
  let total = 0;
  for (let row = 0; row < end; row += 1) {
    const at = times[row] ?? 0;
    const risk = risks[row] ?? 0;
    const isOfTime = Number(at >= from) & Number(at <= to);
    const isOfRisk = Number(risk >= riskFrom) & Number(risk <= riskTo);
    total += (accepted[kind[row] ?? NO_KIND] ?? 0) & isOfTime & isOfRisk;
  }
  return total;
};

/** Those of the rows below `end` that pass a test. */
const findRows = (end: number, test: (row: number) => boolean): Uint32Array => {
  const found: number[] = [];
  for (let row = 1; row < end; row += 1) if (test(row)) found.push(row);
  return Uint32Array.from(found);
};

/** Between which values of an order all that is accepted lies; undefined where that is not known. Risk and confidence are rounded in bounds. */
const rangeOf = (
  sort: VerdictSort,
  { created, percent, risk }: Selection['bounds'],
): Bounds | undefined => {
  switch (sort) {
    case 'created_at':
      return created;
    case 'confidence':
      return [(percent[0] - 1) / 100, (percent[1] + 1) / 100];
    case 'risk_score':
      return [(risk[0] - 1) / 100, (risk[1] + 1) / 100];
    default:
      return undefined;
  }
};

/** Rows that are left for each that a page ends after, up to which they are sorted instead of looked for along the order. */
const SORTED_MAX = 2;

/** Columns of tokens by the number of their row, which is at least 1. */
export const createTokenColumns = () => {
  const kinds = createKinds();
  const values = createSortColumns(ROWS_MIN);
  let [kind, risk] = [new Uint32Array(ROWS_MIN), new Uint16Array(ROWS_MIN)];
  let end = 1;
  const reserve = (rows: number): void => {
    if (rows <= kind.length) return;
    const old = { kind, risk };
    const room = Math.ceil(rows * GROWTH);
    [kind, risk] = [new Uint32Array(room), new Uint16Array(room)];
    kind.set(old.kind);
    risk.set(old.risk);
    values.reserve(room);
  };
  const isToken = (row: number): boolean => kind[row] !== NO_KIND;

  const orderOf = (sort: VerdictSort, rows: Uint32Array): RowOrder => {
    const order = createRowOrder(values.comparing(sort));
    order.fill(rows);
    return order;
  };
  /** Of all rows, once they were sealed. */
  const orders = new Map<VerdictSort, RowOrder>();

  const remove = (row: number): void => {
    if (!isToken(row)) return;
    for (const order of orders.values()) order.remove(row);
    kinds.leave(kind[row] ?? NO_KIND);
    kind[row] = NO_KIND;
  };
  /** Where in an order the tokens are that a page is looked for among. */
  const stretchOf = (
    order: RowOrder,
    { bounds }: Selection,
    { sort, order: direction, after }: VerdictPage,
  ): Stretch => {
    const [least, most] = rangeOf(sort, bounds) ?? [];
    let { from, to } = order.all();
    if (least !== undefined) from = order.placeOf(values.place(sort, least, FIRST_TOKEN));
    if (most !== undefined) to = order.placeOf(values.place(sort, most, LAST_TOKEN), true);
    if (!after) return { from, to };
    const place = values.place(sort, after.value, after.token);
    return direction === 'asc'
      ? { from: order.placeOf(place, true), to }
      : { from, to: order.placeOf(place) };
  };
  return {
    /** One more than the highest number of a row. */
    end: (): number => end,
    set: (row: number, token: Hex, verdict: Filterable): void => {
      reserve(row + 1);
      end = Math.max(end, row + 1);
      remove(row);
      kind[row] = kinds.enter(verdict);
      risk[row] = verdict.risk;
      values.set(row, token, verdict);
      for (const order of orders.values()) order.insert(row);
    },
    remove,
    /** Puts all rows in order; from then on each that is set takes its place. */
    seal: (): void => {
      const rows = findRows(end, isToken);
      for (const sort of VERDICT_SORTS) orders.set(sort, orderOf(sort, rows));
    },
    /** Share of all rows that a filter leaves, whatever bounds of risk and time it has: quickly told. */
    shareOf: (filter: VerdictFilter, checks: Traits['checks']): number =>
      kinds.select(kindTest(filter, checks)).tokens / end,
    /** @param only the rows that may be accepted; undefined for all. */
    select: (filter: VerdictFilter, checks: Traits['checks'], only?: Uint32Array): Selection => {
      const { minRisk, maxRisk, createdFromS, createdToS } = filter;
      const created = [createdFromS ?? 0, createdToS ?? Number.MAX_SAFE_INTEGER] as const;
      const asked = [Math.round((minRisk ?? 0) * 100), Math.round((maxRisk ?? 100) * 100)] as const;
      const { accepted, tokens, risk: ofKinds, percent } = kinds.select(kindTest(filter, checks));
      const risks = [Math.max(ofKinds[0], asked[0]), Math.min(ofKinds[1], asked[1])] as const;
      const bounds = { risk: risks, percent, created };
      const tested = { kind, risk, created: values.createdAt() };
      const test = { accepted, risk: risks, created };
      const accepts = createRowTest(tested, test);
      if (only) {
        const named = only.filter(accepts);
        return { accepts, named, total: named.length, bounds };
      }
      const isBounded = [minRisk, maxRisk, createdFromS, createdToS].some(
        (bound) => bound !== undefined,
      );
      const total = isBounded ? countRows(tested, test, end) : tokens;
      return { accepts, named: undefined, total, bounds };
    },
    /** Rows of a page in its order; equal sort values are ordered by address. */
    page: (selection: Selection, asked: VerdictPage): number[] => {
      const { sort, limit, after } = asked;
      const { accepts, total, named } = selection;
      let skipped = after ? 0 : asked.offset;
      const isFew = total <= SORTED_MAX * (skipped + limit);
      const some = named ?? (isFew ? findRows(end, accepts) : undefined);
      const whole = some ? undefined : orders.get(sort);
      const order = whole ?? orderOf(sort, some ?? findRows(end, accepts));
      const rows: number[] = [];
      order.walk(stretchOf(order, selection, asked), asked.order === 'asc', (row) => {
        if (!accepts(row)) return true;
        if (skipped > 0) skipped -= 1;
        else rows.push(row);
        return rows.length < limit;
      });
      return rows;
    },
  };
};

export type TokenColumns = ReturnType<typeof createTokenColumns>;
