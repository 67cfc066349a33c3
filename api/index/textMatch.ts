import { INSIDE_LENGTH_MIN } from '../search/search.ts';
import { type IndexReader, phrase } from './indexReader.ts';

/** Rows, the oldest, in which letters are counted: a sample of all. */
const SAMPLE_ROWS = 10_000;
/** Trigrams whose counts are kept, at most. */
const KEPT_MAX = 20_000;
/** Trigrams that rows are looked for by. */
const RAREST = 4;
/** Rows with all of them, as the sample has it, up to which comparing them with the text costs less than to step through every trigram of it. */
const COMPARED_MAX = 1_000;

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
 * How names that hold a text are found: by its rarest trigrams where few have them. A phrase has FTS5 step through the rows of all its trigrams:
 * 27 instead of 5 ms among 300,000 tokens for a text of two words of which each is in one name of a hundred.
 * @param text folded, three letters or more
 */
export const textMatch = (reader: IndexReader, text: string): TextMatch => {
  const letters = Array.from(text);
  const starts = letters.length - INSIDE_LENGTH_MIN + 1;
  const trigrams = new Set(
    Array.from({ length: starts }, (_, i) => letters.slice(i, i + INSIDE_LENGTH_MIN).join('')),
  );
  if (trigrams.size === 1) return { match: phrase(text), isExact: true };
  const rarest = [...trigrams]
    .map((trigram) => ({ trigram, count: countOfTrigram(reader, trigram) }))
    .toSorted((a, b) => a.count - b.count)
    .slice(0, RAREST);
  const match = rarest.map(({ trigram }) => phrase(trigram)).join(' AND ');
  const rows = reader.columns.end();
  const held = (countOf(reader, match) / Math.min(SAMPLE_ROWS, rows)) * rows;
  return held > COMPARED_MAX ? { match: phrase(text), isExact: true } : { match, isExact: false };
};
