import type questionsJson from '../../shared/locales/en/questions.json';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';

/** What checks are about, in the order in which a buyer asks. */
export const TOPICS = ['selling', 'powers', 'liquidity', 'holders', 'creator', 'name'] as const;
export type Topic = (typeof TOPICS)[number];

/** A check as a question with yes or no for an answer. */
export interface Question {
  readonly topic: Topic;
  /** The answer where the check passed. */
  readonly whenPassed: 'yes' | 'no';
}

const question = (topic: Topic, whenPassed: Question['whenPassed']): Question => ({
  topic,
  whenPassed,
});

/** The question that each check answers, by its id; those of a topic in the order in which they are shown. */
export const QUESTIONS = {
  trading_closed: question('selling', 'yes'),
  tokens_delivered: question('selling', 'yes'),
  sell_simulation: question('selling', 'yes'),
  sell_later: question('selling', 'yes'),
  trade_tax: question('selling', 'no'),
  transfer_tax: question('selling', 'no'),
  hook_tax: question('selling', 'no'),
  pool_fee: question('selling', 'no'),
  trade_limits: question('selling', 'no'),
  sale_gas: question('selling', 'no'),
  mint_power: question('powers', 'no'),
  confiscation_power: question('powers', 'no'),
  blacklist_power: question('powers', 'no'),
  freeze_power: question('powers', 'no'),
  pause_power: question('powers', 'no'),
  trading_gate: question('powers', 'no'),
  transfer_limits: question('powers', 'no'),
  fee_power: question('powers', 'no'),
  hook_power: question('powers', 'no'),
  hidden_owner: question('powers', 'no'),
  owner_renounced: question('powers', 'yes'),
  proxy: question('powers', 'no'),
  delegatecall: question('powers', 'no'),
  self_destruct: question('powers', 'no'),
  liquidity_drained: question('liquidity', 'no'),
  fake_lock: question('liquidity', 'no'),
  market_pattern: question('liquidity', 'no'),
  holder_concentration: question('holders', 'no'),
  launch_snipe: question('holders', 'no'),
  sent_unasked: question('holders', 'no'),
  known_scam_code: question('creator', 'no'),
  look_alike: question('name', 'no'),
  name_spam: question('name', 'no'),
  listed: question('name', 'yes'),
  erc20_surface: question('name', 'yes'),
} as const satisfies Readonly<Record<string, Question>>;

type QuestionKey = keyof typeof questionsJson;
const TEXTS: Messages<QuestionKey> = readMessages('questions');

/** Whether a check is asked as a question. */
export const isAsked = (id: string): id is keyof typeof QUESTIONS => Object.hasOwn(QUESTIONS, id);

/** What is asked, in a language: of a check by its id, of the creator, or the title of a topic. */
export const questionText = (key: QuestionKey, language: Language): string =>
  TEXTS.say(language, key);
