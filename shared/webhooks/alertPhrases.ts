import type alertsJson from '../locales/en/alerts.json';
import type { Language } from '../sentences/language.ts';
import { type Messages, readGroups } from '../sentences/messages.ts';

/** Texts of messages to people. */
export type AlertPhrase = keyof (typeof alertsJson)['messages'];
const PHRASES: Messages<AlertPhrase> = readGroups('alerts', ({ messages = {} }) => messages);

/** Whether there is such a phrase: unknown names from a newer release of another role are shown unchanged. */
export const isAlertPhrase = PHRASES.has;

/** A phrase in a language. @throws Error if a value is missing: a bug. */
export const alertPhrase = (
  language: Language,
  phrase: AlertPhrase,
  values: Readonly<Record<string, string | number>> = {},
): string => PHRASES.say(language, phrase, values);
