import { RISK_LEVELS, RISK_LEVELS_FROM } from '../../shared/rules/riskLevel.ts';
import type { Traits } from '../search/search.ts';
import type { SortValues, VerdictFilter, VerdictSort } from '../tokens/verdictPage.ts';
import {
  type AskedOfBlock,
  type BlockSummary,
  checkBits,
  mayHave,
  predictionBit,
} from './blockSummary.ts';
import type { Ranges } from './listOrders.ts';
import { enlarged, ROWS_MIN } from './rowArrays.ts';
import { type Bits, bitAt } from './rowBits.ts';
import { type Bounds, boundsOf, createRowKinds, NO_KIND } from './rowKinds.ts';
import type { BlockTest, RowBlock } from './rowOrder.ts';
import { namedSelection, type Selection } from './selection.ts';
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

/** Which bounds a filter sets. */
interface AskedBounds {
  readonly hasRisk: boolean;
  readonly hasTime: boolean;
}

const boundsAsked = (filter: VerdictFilter): AskedBounds => ({
  hasRisk: filter.minRisk !== undefined || filter.maxRisk !== undefined,
  hasTime: filter.createdFromS !== undefined || filter.createdToS !== undefined,
});

/** Returns a test of whether a row is accepted. If rows are far apart, each array that is read costs as much as everything else. */
const createRowTest = (
  { kind, risk: risks, created: times }: Arrays,
  { accepted, passed, risk: [riskFrom, riskTo], created: [from, to] }: RowTest,
  { hasRisk, hasTime }: AskedBounds,
) => {
  return (row: number): boolean => {
    if (!accepted[kind[row] ?? NO_KIND]) return false;
    if (passed && !bitAt(passed, row)) return false;
    const at = hasTime ? (times[row] ?? 0) : from;
    const risk = hasRisk ? (risks[row] ?? 0) : riskFrom;
    return at >= from && at <= to && risk >= riskFrom && risk <= riskTo;
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

/** Counts rows along orders. */
interface RowCounts {
  /** How many rows created between two times (Unix seconds) pass a test. */
  created(bounds: Bounds, test: (row: number) => boolean): number;
  /** How many rows a selection accepts; undefined if testing all rows is faster. */
  few(selection: TokenSelection): number | undefined;
}

/** Counts of rows by kind. */
interface Counted {
  readonly arrays: Arrays;
  readonly end: number;
  readonly totals: ReturnType<typeof createTokenTotals>;
  readonly counts: RowCounts;
}

/**
 * How many rows a filter with bounds accepts, if the counts alone can answer; undefined if it has no bounds.
 */
const countBounded = (
  { arrays, end, totals, counts }: Counted,
  { hasRisk, hasTime }: AskedBounds,
  checks: Traits['checks'],
  test: RowTest & { readonly acceptsKind: ReturnType<typeof kindTest> },
  selection: TokenSelection,
): number | undefined => {
  const { passed, risk, created, acceptsKind } = test;
  if (!passed && !hasRisk && !hasTime) return undefined;
  if (passed || (hasRisk && hasTime) || hasChecks(checks)) {
    return counts.few(selection) ?? countRows(arrays, test, end);
  }
  if (hasRisk) return totals.withRisk(acceptsKind, risk);
  return totals.withTime(acceptsKind, created, (...span) =>
    counts.created(span, selection.accepts),
  );
};

type TokenKinds = ReturnType<typeof createRowKinds<KindTraits>>;

/** Returns a function that summarises blocks. @param traitsOf the traits of a kind */
const createSummaries = (traitsOf: (kind: number) => KindTraits) => {
  /** By kind: the last block that contained it. */
  let lastBlocks = new Uint32Array(ROWS_MIN);
  let blocks = 0;
  return (
    rows: Uint32Array,
    { kind: kinds, risk: risks, created: times }: Arrays,
    kindsEnd: number,
  ): BlockSummary => {
    if (kindsEnd > lastBlocks.length) lastBlocks = new Uint32Array(2 * kindsEnd);
    blocks += 1;
    let [from, to, least, most] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, 0];
    const traits: KindTraits[] = [];
    for (const row of rows) {
      const [at = 0, risk = 0, kind = NO_KIND] = [times[row], risks[row], kinds[row]];
      if (at < from) from = at;
      if (at > to) to = at;
      if (risk < least) least = risk;
      if (risk > most) most = risk;
      if (lastBlocks[kind] === blocks) continue;
      lastBlocks[kind] = blocks;
      traits.push(traitsOf(kind));
    }
    return {
      created: [from, to],
      risk: [least, most],
      percent: boundsOf(traits.map(({ percent }) => percent)),
      predictions: traits.reduce((bits, { isScam }) => bits | predictionBit(isScam), 0),
      failed: traits.reduce((bits, { failed }) => bits | checkBits(failed), 0),
    };
  };
};

/** What a filter requires, and the traits of all kinds that it accepts. */
interface AskedTraits extends Pick<AskedOfBlock, 'created' | 'risk' | 'percent'> {
  readonly traits: readonly KindTraits[];
  readonly checks: Traits['checks'];
}

/** Tests of whether blocks of an order may hold accepted tokens. @param arraysNow the arrays, which are replaced when they grow */
const createBlockTests = (kinds: Pick<TokenKinds, 'traitsOf' | 'end'>, arraysNow: () => Arrays) => {
  const summaryOf = createSummaries(kinds.traitsOf);
  /** The summary of a block, computed if it has none yet. */
  const summarize = (block: RowBlock): BlockSummary => {
    block.summary ??= summaryOf(block.rows, arraysNow(), kinds.end());
    return block.summary;
  };
  return {
    summarize,
    testFor: ({ traits, checks = {}, ...bounds }: AskedTraits): BlockTest => {
      const predictions = traits.reduce((bits, { isScam }) => bits | predictionBit(isScam), 0);
      const { all: allIds = [], any: anyIds = [], none = [] } = checks;
      const all = checkBits(allIds);
      // Accepted tokens have none of `none`, though most blocks may.
      const any = checkBits(anyIds.filter((id) => !none.includes(id)));
      const asked = { ...bounds, predictions, all, any };
      return (block) => mayHave(summarize(block), asked);
    },
  };
};

/** Columns of tokens by row number, which is at least 1. */
export const createTokenColumns = (counts: RowCounts) => {
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
    totals.change(-1, kinds.traitsOf(kind), arrays.risk[row] ?? 0, arrays.created[row] ?? 0);
    kinds.leave(kind);
    arrays.kind[row] = NO_KIND;
  };
  const blocks = createBlockTests(kinds, () => arrays);
  return {
    reserve,
    summarize: blocks.summarize,
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
      totals.change(1, traits, verdict.risk, verdict.createdAtS);
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
      const { accepted, traits, values } = found;
      const percent = boundsOf(traits.map((one) => one.percent));
      const risk = [Math.max(values[0], asked[0]), Math.min(values[1], asked[1])] as const;
      const bounds = { risk, percent, created };
      const test = { accepted, passed, risk, created };
      const hasBounds = boundsAsked(filter);
      const accepts = createRowTest(arrays, test, hasBounds);
      const mayHold = blocks.testFor({ ...bounds, traits, checks });
      const selection = { accepts, mayHold, end, bounds, total: found.rows };
      if (only) return namedSelection(selection, only.filter(accepts));
      const counted = { arrays, end, totals, counts };
      const total = countBounded(counted, hasBounds, checks, { ...test, acceptsKind }, selection);
      return total === undefined ? selection : { ...selection, total };
    },
  };
};

export type TokenColumns = ReturnType<typeof createTokenColumns>;
