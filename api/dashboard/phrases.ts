import type accountJson from '../../shared/locales/en/pages.account.json';
import type detailJson from '../../shared/locales/en/pages.detail.json';
import type frontJson from '../../shared/locales/en/pages.front.json';
import type networkJson from '../../shared/locales/en/pages.network.json';
import type tokenJson from '../../shared/locales/en/pages.token.json';
import type watchJson from '../../shared/locales/en/pages.watch.json';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';

/** What pages say beside the sentences of reports: a file of messages for each group of pages. */
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

/** All phrases, with the group that each is in. */
const PHRASES: ReadonlyMap<string, Messages<Phrase>> = new Map(
  SUBJECTS.flatMap((messages) => messages.keys.map((key) => [key, messages] as const)),
);

/** Whether there is a phrase of this name. */
export const isPhrase = (name: string): name is Phrase => PHRASES.has(name);

/** Says phrases in a language. @throws Error where a value is missing: a bug. */
export const phrasesIn =
  (language: Language) =>
  (phrase: Phrase, values: Readonly<Record<string, string | number>> = {}): string => {
    const messages = PHRASES.get(phrase);
    if (!messages) throw new Error(`pages have no phrase ${phrase}`);
    return messages.say(language, phrase, values);
  };

/** The phrases whose names begin so, by the rest of their names, for a script of the page, which puts values in itself. */
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
