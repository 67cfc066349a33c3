import { INSIDE_LENGTH_MIN } from '../search/search.ts';
import { type IndexReader, phrase } from './indexReader.ts';

/** Rows, the oldest, in which letters are counted: a sample of all. */
const SAMPLE_ROWS = 10_000;
/** Trigrams whose counts are kept, at most. */
const KEPT_MAX = 20_000;
/** Trigrams that rows are looked for by, at most. */
const RAREST = 4;
/** Those that so many times as many rows have as have the rarest are left out: few rows less are not worth the steps through theirs. */
const COMMON = 8;
/** What it costs to compare a row with the text, in steps through the rows of a trigram. */
const COMPARED_COST = 250;

/** A question to the full text. */
export interface TextMatch {
  readonly match: string;
  /** Whether all that match hold the text; else they have to be compared with it. */
  readonly isExact: boolean;
}

const COUNTED = `SELECT CAST(count(*) AS TEXT) FROM parts WHERE parts MATCH ? AND rowid <= ${SAMPLE_ROWS}`;

const countOf = (reader: IndexReader, match: string): number =>
  Number(reader.read(COUNTED, [match]));

/** Rows of the sample that hold a trigram. Names change slowly, so a count is kept. */
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
 * How names that hold a text are found: by its rarest trigrams, or by the phrase, for which FTS5 steps through the rows of all its trigrams, where
 * these are fewer than what is left to compare costs.
 * @param text folded, three letters or more
 * @param compared how many of so many rows that are found have to be compared
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
  return COMPARED_COST * compared(found) > spared ? whole : { match, isExact: false };
};
