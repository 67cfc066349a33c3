/**
 * Logs one answer should hold: some 3 to 5 MB of JSON. Larger ones save few calls and live long enough
 * in memory to cost more: measured with 10,000, 20 MB and 8 % of the watcher's time more.
 */
const LOGS_PER_RANGE_TARGET = 5_000;
/** Blocks of one range, at the most. */
const RANGE_BLOCKS_MAX = 20_000;
/** Blocks of the first range, before the density of logs is known. */
const RANGE_BLOCKS_FIRST = 50;
/** A range grows by this factor at the most, from one answer to the next. */
const GROWTH_MAX = 4;
/** Good answers after which a limit learned from a refusal is tried a little higher. */
const ANSWERS_TO_RAISE = 20;
const RAISE_FACTOR = 1.25;
/** Weight of the newest answer in the density. */
const WEIGHT = 0.3;

/** How many blocks to ask for at once, learned from answers and refusals. */
export interface RangeSize {
  /** Blocks of the next range. */
  readonly blocks: number;
  /** Blocks above which a node refused; Infinity while none did. */
  readonly limit: number;
  readonly logsPerBlock: number;
  readonly answersSinceRefusal: number;
}

/** The size to begin with. */
export const initialRangeSize = (blocksMax = RANGE_BLOCKS_MAX): RangeSize => ({
  blocks: Math.min(RANGE_BLOCKS_FIRST, blocksMax),
  limit: blocksMax,
  logsPerBlock: 0,
  answersSinceRefusal: 0,
});

/** After an answer: follow the density of logs, within the limit, growing step by step. */
export const grown = (
  size: RangeSize,
  blocksRead: number,
  logs: number,
  blocksMax = RANGE_BLOCKS_MAX,
): RangeSize => {
  const density = logs / blocksRead;
  const known = size.logsPerBlock > 0;
  const logsPerBlock = known ? size.logsPerBlock + WEIGHT * (density - size.logsPerBlock) : density;
  const answers = size.answersSinceRefusal + 1;
  const raise = answers % ANSWERS_TO_RAISE === 0;
  const raised = raise
    ? Math.max(size.limit + 1, Math.floor(size.limit * RAISE_FACTOR))
    : size.limit;
  const limit = Math.min(raised, blocksMax);
  const byDensity = logsPerBlock > 0 ? Math.floor(LOGS_PER_RANGE_TARGET / logsPerBlock) : blocksMax;
  const blocks = Math.max(1, Math.min(byDensity, size.blocks * GROWTH_MAX, limit));
  return { blocks, limit, logsPerBlock, answersSinceRefusal: answers };
};

/** After a refusal of `blocksAsked`: what the node allows, else half of it. */
export const shrunk = (size: RangeSize, blocksAsked: number, allowed?: number): RangeSize => {
  const limit = Math.max(1, allowed ?? Math.floor(blocksAsked / 2));
  const lower = Math.min(limit, size.limit);
  return { ...size, blocks: Math.min(size.blocks, lower), limit: lower, answersSinceRefusal: 0 };
};
