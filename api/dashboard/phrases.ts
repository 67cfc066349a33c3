import type accountJson from '../../shared/locales/en/pages.account.json';
import type detailJson from '../../shared/locales/en/pages.detail.json';
import type frontJson from '../../shared/locales/en/pages.front.json';
import type networkJson from '../../shared/locales/en/pages.network.json';
import type tokenJson from '../../shared/locales/en/pages.token.json';
import type watchJson from '../../shared/locales/en/pages.watch.json';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';

/** Texts of pages, beside the sentences of reports: one file of messages for each group of pages. */
export type Phrase = keyof (typeof accountJson &
  typeof detailJson &
  typeof frontJson &
  typeof networkJson &
  typeof tokenJson &
  typeof watchJson);

const SUBJECTS: readonly Messages<Phrase>[] = [
  'pages.account',
  'pages.detail',
  'pages.front',
  'pages.network',
  'pages.token',
  'pages.watch',
].map((subject) => readMessages(subject));

/** All phrases with their group. */
const PHRASES: ReadonlyMap<string, Messages<Phrase>> = new Map(
  SUBJECTS.flatMap((messages) => messages.keys.map((key) => [key, messages] as const)),
);

/** Whether there is a phrase with this name. */
export const isPhrase = (name: string): name is Phrase => PHRASES.has(name);

/** Formats phrases in a language. @throws Error if a value is missing: a bug. */
export const phrasesIn =
  (language: Language) =>
  (phrase: Phrase, values: Readonly<Record<string, string | number>> = {}): string => {
    const messages = PHRASES.get(phrase);
    if (!messages) throw new Error(`pages have no phrase ${phrase}`);
    return messages.say(language, phrase, values);
  };

/**
 * The phrases whose names have a prefix, keyed by the rest of the name, for a page's script that fills in the values
 * itself.
 */
export const wordsIn =
  (language: Language) =>
  (prefix: string): string =>
    JSON.stringify(
      Object.fromEntries(
        [...PHRASES]
          .filter(([name]) => name.startsWith(prefix))
          .map(([name, messages]) => [
            name.slice(prefix.length),
            messages.source(language, name as Phrase),
          ]),
      ),
    );
