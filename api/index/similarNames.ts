import countMistakes from 'damerau-levenshtein';
import { INSIDE_LENGTH_MIN, lettersOf } from '../search/search.ts';
import {
  beginningWith,
  type Condition,
  condition,
  type IndexReader,
  joined,
  phrase,
} from './indexReader.ts';

/** Letters from which one typing mistake is tolerated, and from which two are. */
const ONE_MISTAKE_LENGTH_MIN = 4;
const TWO_MISTAKES_LENGTH_MIN = 9;
/** Tokens compared letter by letter per candidate range. */
const CANDIDATES_MAX = 300;
/** Names with the same beginning whose lengths are examined. */
const READ_MAX = 3_000;

/** A token whose symbol or name nearly matches the typed text. */
export interface SimilarName {
  readonly id: number;
  readonly match: 'symbol' | 'name';
  /** Letters that are missing, extra, replaced, or swapped with the next one (Damerau distance). */
  readonly mistakes: number;
}

const mistakesMax = (letters: number): number => {
  if (letters < ONE_MISTAKE_LENGTH_MIN) return 0;
  return letters < TWO_MISTAKES_LENGTH_MIN ? 1 : 2;
};

/** A text in parts of nearly equal length. */
const partsOf = (text: string, count: number): string[] => {
  const letters = Array.from(text);
  const end = (part: number): number => Math.round((part * letters.length) / count);
  return Array.from({ length: count }, (_, part) =>
    letters.slice(end(part), end(part + 1)).join(''),
  );
};

/**
 * Patterns for names with a number of mistakes: the text is split into one part more than mistakes, so at least one
 * part is intact. Not found are swaps across the end of a part, and mistakes in the first half of a four-letter word.
 */
const candidatesOf = (folded: string, mistakes: number): Condition => {
  const parts = partsOf(folded, mistakes + 1);
  const [first = ''] = parts;
  const indexed = parts.filter((part) => lettersOf(part) >= INSIDE_LENGTH_MIN);
  const letters = lettersOf(folded);
  const near = [letters - mistakes, letters + mistakes];
  const starting = (names: 'symbols' | 'names'): Condition =>
    condition(
      `SELECT * FROM (SELECT id FROM (SELECT id, term FROM ${names} WHERE term BETWEEN ? AND ? LIMIT ${READ_MAX})
         WHERE length(term) BETWEEN ? AND ? LIMIT ${CANDIDATES_MAX})`,
      ...beginningWith(first),
      ...near,
    );
  const holding = condition(
    `SELECT * FROM (SELECT rowid FROM parts WHERE parts MATCH ? LIMIT ${CANDIDATES_MAX})`,
    indexed.map(phrase).join(' OR '),
  );
  const places = [starting('symbols'), starting('names'), ...(indexed.length > 0 ? [holding] : [])];
  return joined(places, ' UNION ');
};

/**
 * Mistakes between a text and a name or its nearest word; infinite if the lengths alone differ by more than `most`.
 */
const mistakesIn = (folded: string, name: string, most: number): number =>
  [name, ...name.split(/\s+/)]
    .filter((text) => Math.abs(text.length - folded.length) <= most)
    .reduce(
      (least, text) => Math.min(least, countMistakes(folded, text).steps),
      Number.POSITIVE_INFINITY,
    );

/** Tokens whose symbol or name is a text except for typing mistakes. @param folded see `foldText` */
export const similarNames = (reader: IndexReader, folded: string): SimilarName[] => {
  const most = mistakesMax(lettersOf(folded));
  if (most === 0) return [];
  const { sql, values } = candidatesOf(folded, most);
  const named = reader.read(
    `SELECT json_group_array(json_array(id, symbol_term, name_term)) FROM tokens WHERE id IN (${sql})`,
    values,
  );
  return (JSON.parse(named) as [number, string, string][]).flatMap(([id, symbol, name]) => {
    const ofSymbol = mistakesIn(folded, symbol, most);
    const ofName = mistakesIn(folded, name, most);
    const mistakes = Math.min(ofSymbol, ofName);
    if (mistakes > most) return [];
    return [{ id, match: ofSymbol <= ofName ? 'symbol' : 'name', mistakes } as const];
  });
};
