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

// Loops by number: `for … of`, functions within them and methods of arrays of numbers take three to ten times as long.

/** The `nth` least of some keys, from 0: first its upper half, then its lower one. The highest key there can be where there are no more. */
const nthKey = (keys: Uint32Array, nth: number): number => {
  if (nth >= keys.length) return KEY_MAX;
  const counts = new Uint32Array(HALVES);
  for (let i = 0; i < keys.length; i += 1) {
    const upper = (keys[i] ?? 0) >>> HALF_BITS;
    counts[upper] = (counts[upper] ?? 0) + 1;
  }
  const [upper, before] = placeOf(counts, nth);
  counts.fill(0);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    if (key >>> HALF_BITS !== upper) continue;
    const lower = key & (HALVES - 1);
    counts[lower] = (counts[lower] ?? 0) + 1;
  }
  const [lower] = placeOf(counts, nth - before);
  return upper * HALVES + lower;
};

/** What turns keys into such as rise in an order, by XOR. */
const flipOf = (order: VerdictPage['order']): number => (order === 'asc' ? 0 : KEY_MAX);

/** Keys of some rows, rising in an order. */
const keysInOrder = (
  rows: Uint32Array,
  keys: ArrayLike<number>,
  order: VerdictPage['order'],
): Uint32Array => {
  const flip = flipOf(order);
  const placed = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) placed[i] = (keys[rows[i] ?? 0] ?? 0) ^ flip;
  return placed;
};

/** How many keys are no higher than one. */
const countUpTo = (keys: Uint32Array, key: number): number => {
  let count = 0;
  for (let i = 0; i < keys.length; i += 1) count += Number((keys[i] ?? 0) <= key);
  return count;
};

/** Where in a list the keys from one to another are. */
const placesWithin = (keys: Uint32Array, from: number, to: number): number[] => {
  const places: number[] = [];
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    if (key >= from && key <= to) places.push(i);
  }
  return places;
};

/** Rows among which a page is, and how many of them lie before it. */
interface PageRows {
  readonly rows: readonly number[];
  readonly skipped: number;
}

/**
 * Those of some rows that a page is among: it, and all with the keys of its first and its last, for these have to be sorted.
 * @param keys by row
 */
export const rowsOfPage = (
  rows: Uint32Array,
  keys: ArrayLike<number>,
  { sort, order, limit, offset, after }: Omit<VerdictPage, keyof VerdictFilter>,
): PageRows => {
  const placed = keysInOrder(rows, keys, order);
  const rowAt = (place: number): number => rows[place] ?? 0;
  if (after) {
    const from = (SORT_KEYS[sort](after.value) ^ flipOf(order)) >>> 0;
    // Some of those with the key of the cursor lie behind it.
    const last = nthKey(placed, countUpTo(placed, from) + limit - 1);
    return { rows: placesWithin(placed, from, last).map(rowAt), skipped: 0 };
  }
  const upToLast = placesWithin(placed, 0, nthKey(placed, offset + limit - 1));
  const sorted = Uint32Array.from(upToLast, (place) => placed[place] ?? 0).sort();
  const first = sorted[offset];
  if (first === undefined) return { rows: [], skipped: 0 };
  const page = upToLast.filter((place) => (placed[place] ?? 0) >= first);
  return { rows: page.map(rowAt), skipped: offset - sorted.indexOf(first) };
};
