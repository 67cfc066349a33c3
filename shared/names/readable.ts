import { CONFUSABLES } from './artifacts/confusables.ts';

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(CONFUSABLES).flatMap(([latin, others]) =>
    Array.from(others, (other) => [other, latin] as const),
  ),
);

/** The ASCII letter or digit that a character looks like; undefined if there is none. */
export const looksLike = (letter: string): string | undefined => LATIN_OF.get(letter);

/** Zero-width characters: joiners, direction marks, fillers. */
const INVISIBLE = /[\p{Cf}\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180f/gu;
/** Emoji are composed with joiners, which hide nothing there. */
const EMOJI = /\p{Extended_Pictographic}[\ufe0f\u200d\p{Extended_Pictographic}]*/gu;
/** Dots other than the full stop: they hide a domain from filters. */
const DOTS = /\u0325|[\u00b7\u02d1\u02f3\u0702\u06d4\u2024\u2027\u2219\u22c5\u3002\ua4f8]/gu;

/**
 * A text as people read it, in lower case: without invisible characters, accents and letters of other alphabets.
 * Words and signs are kept.
 */
export const readable = (text: string): string =>
  Array.from(
    text.replace(INVISIBLE, '').replace(DOTS, '.').normalize('NFKC'),
    (letter) => LATIN_OF.get(letter) ?? letter,
  )
    .join('')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim();

/** The letters and digits of a text as people read it. */
export const readableLetters = (text: string): string =>
  readable(text).replace(/[^\p{L}\p{N}]/gu, '');

/** The first invisible character. */
export const firstInvisible = (text: string): string | undefined =>
  text.replace(EMOJI, '').match(INVISIBLE)?.[0];
