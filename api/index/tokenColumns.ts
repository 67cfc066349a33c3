import { RISK_LEVELS, RISK_LEVELS_FROM } from '../../shared/rules/riskLevel.ts';
import type { Traits } from '../search/search.ts';
import type { SortValues, VerdictFilter, VerdictSort } from '../tokens/verdictPage.ts';
import type { Ranges } from './listOrders.ts';
import { enlarged, ROWS_MIN } from './rowArrays.ts';
import { type Bits, bitAt } from './rowBits.ts';
import { type Bounds, boundsOf, createRowKinds, NO_KIND } from './rowKinds.ts';
import { findRows, type Selection } from './selection.ts';
import { createTokenTotals, type TotalTraits } from './tokenTotals.ts';

// Filterable properties of tokens in arrays: counting 300,000 rows takes half a millisecond, compared with twenty to
// thirty in a B-tree.

/** The columns of a token. */
export interface Filterable extends SortValues {
  readonly isScam: number;
  /** Confidence in whole percents. */
  readonly percent: number;
  /** In hundredths. */
  readonly risk: number;
  readonly failed: readonly string[];
}

/** Properties that filters by prediction, confidence, level and failed checks distinguish. */
interface KindTraits extends TotalTraits {
  readonly failed: readonly string[];
}

/** A filter: risk in hundredths, confidence in percent, creation in Unix seconds. */
export type TokenSelection = Selection<{
  readonly risk: Bounds;
  readonly percent: Bounds;
  readonly created: Bounds;
}>;

/** Risk and confidence are rounded in bounds. */
export const TOKEN_RANGES: Ranges<VerdictSort, TokenSelection['bounds']> = {
  created_at: ({ created }) => created,
  confidence: ({ percent: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
  risk_score: ({ risk: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
};

const isWithin = (value: number, from = value, to = value): boolean => value >= from && value <= to;

/** Used if the filter does not mention failed checks. */
const NO_FAILED: readonly string[] = [];

const hasChecks = ({ all = [], any = [], none = [] }: Traits['checks'] = {}): boolean =>
  all.length + any.length + none.length > 0;

const kindTest = (
  filter: VerdictFilter,
  { all = [], any = [], none = [] }: Traits['checks'] = {},
) => {
  const { prediction, minConfidence, maxConfidence } = filter;
  const levels = filter.riskLevels?.map((level) => RISK_LEVELS.indexOf(level));
  return ({
    isScam,
    percent,
    level,
    failed = NO_FAILED,
  }: TotalTraits & Partial<KindTraits>): boolean =>
    (prediction === undefined || (prediction === 'SCAM') === isScam) &&
    isWithin(percent, minConfidence, maxConfidence) &&
    (levels?.includes(level) ?? true) &&
    all.every((id) => failed.includes(id)) &&
    (any.length === 0 || any.some((id) => failed.includes(id))) &&
    !none.some((id) => failed.includes(id));
};

const kindOf = ({ isScam, percent, risk, failed }: Filterable): KindTraits => ({
  isScam: isScam === 1,
  percent,
  level: RISK_LEVELS_FROM.findLastIndex((from) => risk >= from),
  failed,
});

/** Filterable columns by row number: risk in hundredths, creation in Unix seconds. */
const createArrays = (rows: number) => ({
  kind: new Uint32Array(rows),
  risk: new Uint16Array(rows),
  created: new Uint32Array(rows),
});
type Arrays = ReturnType<typeof createArrays>;

/** Which rows are accepted: those of accepted kinds, within bounds. */
interface RowTest {
  readonly accepted: Uint8Array;
  /** By row: whether it may be accepted; undefined for all. */
  readonly passed: Bits | undefined;
  readonly risk: Bounds;
  readonly created: Bounds;
}

/** Returns a test of whether a row is accepted. */
const createRowTest = (
  { kind, risk: risks, created: times }: Arrays,
  { accepted, passed, risk: [riskFrom, riskTo], created: [from, to] }: RowTest,
) => {
  return (row: number): boolean => {
    if (passed && !bitAt(passed, row)) return false;
    const at = times[row] ?? 0;
    if (at < from || at > to || !accepted[kind[row] ?? NO_KIND]) return false;
    const risk = risks[row] ?? 0;
    return risk >= riskFrom && risk <= riskTo;
  };
};

/**
 * How many of the rows below `end` are accepted. Without branches or calls: rows are in no order, so a processor
 * would mispredict every other branch and take three times as long.
 */
const countRows = (
  { kind, risk: risks, created: times }: Arrays,
  { accepted, passed, risk: [riskFrom, riskTo], created: [from, to] }: RowTest,
  end: number,
): number => {
  let total = 0;
  for (let row = 0; row < end; row += 1) {
    const at = times[row] ?? 0;
    const risk = risks[row] ?? 0;
    const isOfTime = Number(at >= from) & Number(at <= to);
    const isOfRisk = Number(risk >= riskFrom) & Number(risk <= riskTo);
    const isPassed = passed ? bitAt(passed, row) : 1;
    total += (accepted[kind[row] ?? NO_KIND] ?? 0) & isOfTime & isOfRisk & isPassed;
  }
  return total;
};

/** How many rows created between two times (Unix seconds) pass a test. */
type CountCreated = (bounds: Bounds, test: (row: number) => boolean) => number;

/** Counts of rows by kind. */
interface Counted {
  readonly arrays: Arrays;
  readonly end: number;
  readonly totals: ReturnType<typeof createTokenTotals>;
  readonly countCreated: CountCreated;
}

/**
 * How many rows a filter with bounds accepts, if the counts alone can answer; undefined if it has no bounds.
 */
const countBounded = (
  { arrays, end, totals, countCreated }: Counted,
  { minRisk, maxRisk, createdFromS, createdToS }: VerdictFilter,
  checks: Traits['checks'],
  test: RowTest & { readonly acceptsKind: ReturnType<typeof kindTest> },
): number | undefined => {
  const { passed, risk, created, acceptsKind } = test;
  const isOfRisk = minRisk !== undefined || maxRisk !== undefined;
  const isOfTime = createdFromS !== undefined || createdToS !== undefined;
  if (!passed && !isOfRisk && !isOfTime) return undefined;
  if (passed || (isOfRisk && isOfTime) || hasChecks(checks)) return countRows(arrays, test, end);
  if (isOfRisk) return totals.withRisk(acceptsKind, risk);
  const accepts = createRowTest(arrays, test);
  return totals.withTime(acceptsKind, created, (...span) => countCreated(span, accepts));
};

/** Columns of tokens by row number, which is at least 1. */
export const createTokenColumns = (countCreated: CountCreated) => {
  const kinds = createRowKinds<KindTraits>({ isScam: false, percent: 0, level: 0, failed: [] });
  const totals = createTokenTotals();
  let arrays = createArrays(ROWS_MIN);
  let end = 1;
  const reserve = (rows: number): void => {
    if (rows > arrays.kind.length) arrays = enlarged(arrays, rows, createArrays);
  };
  const remove = (row: number): void => {
    const { [row]: kind = NO_KIND } = arrays.kind;
    if (kind === NO_KIND) return;
    const [risk = 0, createdAtS = 0] = [arrays.risk[row], arrays.created[row]];
    totals.change(-1, kinds.traitsOf(kind), risk, createdAtS);
    kinds.leave(kind);
    arrays.kind[row] = NO_KIND;
  };
  return {
    reserve,
    /** One more than the highest row number. */
    end: (): number => end,
    set: (row: number, verdict: Filterable): void => {
      reserve(row + 1);
      end = Math.max(end, row + 1);
      remove(row);
      const traits = kindOf(verdict);
      arrays.kind[row] = kinds.enter(traits, verdict.risk);
      arrays.risk[row] = verdict.risk;
      arrays.created[row] = verdict.createdAtS;
      const { risk, createdAtS } = verdict;
      totals.change(1, traits, risk, createdAtS);
    },
    remove,
    /** Estimated share of rows that a filter accepts, ignoring bounds of risk and time: cheap to compute. */
    shareOf: (filter: VerdictFilter, checks: Traits['checks']): number =>
      kinds.select(kindTest(filter, checks)).rows / end,
    /**
     * @param passed by row: whether it may be accepted; undefined for all
     * @param only the rows that may be accepted; undefined for all
     */
    select: (
      filter: VerdictFilter,
      checks: Traits['checks'],
      passed: Bits | undefined,
      only?: Uint32Array,
    ): TokenSelection => {
      const { minRisk, maxRisk, createdFromS, createdToS } = filter;
      const created = [createdFromS ?? 0, createdToS ?? Number.MAX_SAFE_INTEGER] as const;
      const asked = [Math.round((minRisk ?? 0) * 100), Math.round((maxRisk ?? 100) * 100)] as const;
      const acceptsKind = kindTest(filter, checks);
      const found = kinds.select(acceptsKind);
      const { accepted, values: ofKinds } = found;
      const percent = boundsOf(found.traits.map((traits) => traits.percent));
      const risk = [Math.max(ofKinds[0], asked[0]), Math.min(ofKinds[1], asked[1])] as const;
      const bounds = { risk, percent, created };
      const test = { accepted, passed, risk, created };
      const accepts = createRowTest(arrays, test);
      if (only) {
        const named = only.filter(accepts);
        return { accepts, isNamed: true, rows: () => named, total: named.length, bounds };
      }
      const rows = (): Uint32Array => findRows(end, accepts);
      const counted = { arrays, end, totals, countCreated };
      const total = countBounded(counted, filter, checks, { ...test, acceptsKind }) ?? found.rows;
      return { accepts, isNamed: false, rows, total, bounds };
    },
  };
};

export type TokenColumns = ReturnType<typeof createTokenColumns>;
