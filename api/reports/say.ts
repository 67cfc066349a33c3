import type reportsJson from '../../shared/locales/en/reports.json';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';

/** Texts of reports. */
export type PhraseKey = keyof typeof reportsJson;

const PHRASES: Messages<PhraseKey> = readMessages('reports');

/** Whether there is a phrase with this name. */
export const isPhrase = PHRASES.has;

/**
 * One sentence.
 * @throws Error if a value is missing: a bug.
 */
export const say = (
  language: Language,
  key: PhraseKey,
  values: Readonly<Record<string, string | number>> = {},
): string => PHRASES.say(language, key, values);
