import type { Language } from '../../shared/sentences/language.ts';
import { readMessages } from '../../shared/sentences/messages.ts';

/**
 * Possible errors of a form field, keyed by the API's English message, where `#` stands for a number. A page shows
 * the error after the name of the field.
 */
const FAULTS = readMessages('faults');

const NUMBER = /(?<![\w:-])\d+(?![\w:])/g;

/** The error in a language, or the API's own message if there is no translation. */
export const faultIn = (language: Language, fault: string): string =>
  FAULTS.find(language, fault) ??
  FAULTS.find(
    language,
    fault.replace(NUMBER, '#'),
    Object.fromEntries((fault.match(NUMBER) ?? []).entries()),
  ) ??
  fault;
