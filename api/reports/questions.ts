import type questionsJson from '../../shared/locales/en/questions.json';
import { CHECK_QUESTIONS } from '../../shared/rules/artifacts/checkQuestions.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';

/** What checks are about, in the order in which a buyer asks. */
export const TOPICS = ['selling', 'powers', 'liquidity', 'holders', 'creator', 'name'] as const;
export type Topic = (typeof TOPICS)[number];

type QuestionKey = keyof typeof questionsJson;
const TEXTS: Messages<QuestionKey> = readMessages('questions');

/** Ids of checks in the order in which they are asked. */
export const ASKED: readonly string[] = TEXTS.keys;

/** Whether a check is asked as a question. */
export const isAsked = (id: string): id is keyof typeof CHECK_QUESTIONS =>
  Object.hasOwn(CHECK_QUESTIONS, id);

/** What is asked, in a language: of a check by its id, of the creator, or the title of a topic. */
export const questionText = (key: QuestionKey, language: Language): string =>
  TEXTS.say(language, key);
