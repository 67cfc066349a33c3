import type { Language } from '../../shared/sentences/language.ts';
import { readMessages } from '../../shared/sentences/messages.ts';

/**
 * What can be wrong with a field of a form, by what the rules of the API say of it in English, where `#` stands for a number.
 * A page shows it after the name of the field.
 */
const FAULTS = readMessages('faults');

const NUMBER = /(?<![\w:-])\d+(?![\w:])/g;

/** What is wrong, in a language; as it is where only the rules of the API know it. */
export const faultIn = (language: Language, fault: string): string =>
  FAULTS.find(language, fault) ??
  FAULTS.find(
    language,
    fault.replace(NUMBER, '#'),
    Object.fromEntries((fault.match(NUMBER) ?? []).entries()),
  ) ??
  fault;
