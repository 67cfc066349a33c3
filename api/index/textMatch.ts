import { INSIDE_LENGTH_MIN } from '../search/search.ts';
import { type IndexReader, phrase } from './indexReader.ts';

/** Rows, the oldest ones, in which trigrams are counted as a sample. */
const SAMPLE_ROWS = 10_000;
/** Trigrams whose counts are cached, at most. */
const KEPT_MAX = 20_000;
/** Trigrams used to find rows, at most. */
const RAREST = 4;
/**
 * Trigrams that are this many times as frequent as the rarest are left out: they exclude too few rows for the cost of
 * scanning theirs.
 */
const COMMON = 8;
/** Cost of comparing a row with the text, relative to one step through a trigram's rows. */
const COMPARED_COST = 250;

/** A query for full-text search. */
export interface TextMatch {
  readonly match: string;
  /** Whether all matches contain the text; otherwise they must be compared with it. */
  readonly isExact: boolean;
  /** Roughly how many rows match; undefined if none were counted. */
  readonly found?: number;
}

const COUNTED = `SELECT CAST(count(*) AS TEXT) FROM parts WHERE parts MATCH ? AND rowid <= ${SAMPLE_ROWS}`;

const countOf = (reader: IndexReader, match: string): number =>
  Number(reader.read(COUNTED, [match]));

/** Sample rows that contain a trigram. Names change slowly, so a count is cached. */
const countOfTrigram = (reader: IndexReader, trigram: string): number => {
  const { trigrams } = reader;
  const known = trigrams.get(trigram);
  if (known !== undefined) return known;
  const count = countOf(reader, phrase(trigram));
  if (trigrams.size >= KEPT_MAX) trigrams.clear();
  trigrams.set(trigram, count);
  return count;
};

/**
 * How to find names that contain a text: by its rarest trigrams, or by the phrase, for which FTS5 scans the rows of
 * all its trigrams. The phrase is used if that costs less than comparing the candidates.
 * @param text folded, three letters or more
 * @param compared how many of a number of found rows must be compared
 */
export const textMatch = (
  reader: IndexReader,
  text: string,
  compared: (found: number) => number,
): TextMatch => {
  const letters = Array.from(text);
  const starts = letters.length - INSIDE_LENGTH_MIN + 1;
  const trigrams = new Set(
    Array.from({ length: starts }, (_, i) => letters.slice(i, i + INSIDE_LENGTH_MIN).join('')),
  );
  const whole = { match: phrase(text), isExact: true };
  if (trigrams.size === 1) return whole;
  const counted = [...trigrams]
    .map((trigram) => ({ trigram, count: countOfTrigram(reader, trigram) }))
    .toSorted((a, b) => a.count - b.count);
  const countMax = COMMON * (counted[0]?.count ?? 0);
  const rare = counted.slice(0, RAREST).filter(({ count }) => count <= countMax);
  const match = rare.map(({ trigram }) => phrase(trigram)).join(' AND ');
  const sumOf = (some: typeof counted): number => some.reduce((sum, { count }) => sum + count, 0);
  const perSampled = Math.max(1, reader.columns.end() / SAMPLE_ROWS);
  const spared = (sumOf(counted) - sumOf(rare)) * perSampled;
  const found = countOf(reader, match) * perSampled;
  return COMPARED_COST * compared(found) > spared ? whole : { match, isExact: false, found };
};
