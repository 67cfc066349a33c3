import type checksJson from '../locales/en/checks.json';
import { type Messages, readGroups } from './messages.ts';

type Words = typeof checksJson;
/** Key of what a check is called, and of what it answers on pages; all other words are sentences. */
type Title = 'name' | 'question';

/** What can be said of a check. */
export type SentenceCode = Exclude<{ [Id in keyof Words]: keyof Words[Id] }[keyof Words], Title>;

/** Sentences of checks and of their evidence. Those that begin with a small letter continue another sentence. */
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

/** What checks are called, by their ids. */
export const CHECK_NAMES = titles('name');
/** The questions that checks answer, by their ids, in the order in which they are asked. */
export const QUESTIONS = titles('question');
