import type checksJson from '../locales/en/checks.json';
import { type Messages, readGroups } from './messages.ts';

type Words = typeof checksJson;
/** Keys of a check's name and page answers; all other texts are sentences. */
type Title = 'name' | 'question';

/** Texts of a check. */
export type SentenceCode = Exclude<{ [Id in keyof Words]: keyof Words[Id] }[keyof Words], Title>;

/** Sentences of checks and of their evidence. Those in lower case continue another sentence. */
export const SENTENCES: Messages<SentenceCode> = readGroups('checks', (groups) =>
  Object.fromEntries(
    Object.values(groups).flatMap((words) =>
      Object.entries(words).filter(([code]) => code !== 'name' && code !== 'question'),
    ),
  ),
);

const titles = (key: Title): Messages<string> =>
  readGroups('checks', (groups) =>
    Object.fromEntries(
      Object.entries(groups).flatMap(([id, words]) => {
        const title = words[key];
        return title === undefined ? [] : [[id, title]];
      }),
    ),
  );

/** Names of checks, by id. */
export const CHECK_NAMES = titles('name');
/** The questions that checks answer, by id, in the order in which they are asked. */
export const QUESTIONS = titles('question');
