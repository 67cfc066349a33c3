import type { VerdictFilter, VerdictPage, VerdictSort } from '../tokens/verdictPage.ts';

/** Levels of confidence that are told apart. */
const CONFIDENCES = 65_535;
const MS_PER_S = 1_000;

/**
 * Whole numbers of at most 32 bits, 16 of confidence and risk, that never fall where values of an order rise: they order tokens roughly, in little memory.
 * Symbols by their first four bytes, as SQLite compares them.
 */
export const SORT_KEYS: Readonly<Record<VerdictSort, (value: number | string) => number>> = {
  created_at: Number,
  analyzed_at: (ms) => Math.floor(Number(ms) / MS_PER_S),
  confidence: (confidence) => Math.floor(Number(confidence) * CONFIDENCES),
  risk_score: (percent) => Math.floor(Number(percent) * 100 + 0.5),
  symbol: (symbol) => {
    const [a = 0, b = 0, c = 0, d = 0] = Buffer.from(String(symbol));
    return ((a * 256 + b) * 256 + c) * 256 + d;
  },
};

const HALF_BITS = 16;
const HALVES = 1 << HALF_BITS;
const KEY_MAX = 2 ** 32 - 1;

/** In which of the counts the `nth` lies, from 0, and how many lie before that. */
const placeOf = (counts: Uint32Array, nth: number): readonly [half: number, before: number] => {
  let [half, before] = [0, 0];
  while (half < counts.length && before + (counts[half] ?? 0) <= nth) before += counts[half++] ?? 0;
  return [half, before];
};

/** The `nth` least of some keys, from 0, and how many are less: first its upper half, then its lower one. Undefined where there are no more. */
const nthKey = (
  keys: Uint32Array,
  nth: number,
): { readonly key: number; readonly before: number } | undefined => {
  if (nth >= keys.length) return undefined;
  const counts = new Uint32Array(HALVES);
  for (const key of keys) counts[key >>> HALF_BITS] = (counts[key >>> HALF_BITS] ?? 0) + 1;
  const [upper, before] = placeOf(counts, nth);
  counts.fill(0);
  for (const key of keys) {
    if (key >>> HALF_BITS !== upper) continue;
    const lower = key & (HALVES - 1);
    counts[lower] = (counts[lower] ?? 0) + 1;
  }
  const [lower, beforeInHalf] = placeOf(counts, nth - before);
  return { key: upper * HALVES + lower, before: before + beforeInHalf };
};

/** Rows among which a page is, and how many of them lie before it. */
interface PageRows {
  readonly rows: readonly number[];
  readonly skipped: number;
}

/**
 * Those of some rows that a page is among: it, and all with the keys of its first and its last, for these have to be sorted. Loops, because
 * `from` and `filter` of arrays of numbers take ten times as long.
 * @param keys by row
 */
export const rowsOfPage = (
  rows: Uint32Array,
  keys: ArrayLike<number>,
  { sort, order, limit, offset, after }: Omit<VerdictPage, keyof VerdictFilter>,
): PageRows => {
  const placed = (key: number): number => (order === 'asc' ? key : KEY_MAX - key);
  const beyondKey = after ? placed(SORT_KEYS[sort](after.value)) : 0;
  const beyond = new Uint32Array(rows.length);
  let [found, tied] = [0, 0];
  for (const row of rows) {
    const key = placed(keys[row] ?? 0);
    if (key < beyondKey) continue;
    beyond[found++] = key;
    if (key === beyondKey) tied += 1;
  }
  const candidates = beyond.subarray(0, found);
  // Some of those with the key of the place lie before it.
  const passed = after ? tied : offset;
  const last = nthKey(candidates, passed + limit - 1)?.key ?? KEY_MAX;
  const isFirst = after !== undefined || offset === 0;
  const first = isFirst ? { key: beyondKey, before: 0 } : nthKey(candidates, offset);
  if (!first) return { rows: [], skipped: 0 };
  const page: number[] = [];
  for (const row of rows) {
    const key = placed(keys[row] ?? 0);
    if (key >= first.key && key <= last) page.push(row);
  }
  return { rows: page, skipped: after ? 0 : offset - first.before };
};
