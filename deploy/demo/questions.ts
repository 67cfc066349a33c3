import { readFileSync } from 'node:fs';
import { questionsOf } from '../clickhouse/sqlDocs.ts';
import type { RingPlay } from './ring.ts';
import { pollUntil } from './verdictWatch.ts';

// Runs the questions of QUESTIONS.md on the demo's data. Times, amounts of wei and weights of the model differ from
// run to run; what is compared here does not.

/** Returns the rows of a query, tab-separated, below their column names. */
type Ask = (sql: string) => Promise<string>;

const ANSWER_TIMEOUT_MS = 5_000;

/** The distinct rows of an answer, in these columns. */
interface Expected {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** There may be other rows too. */
  readonly areSome?: true;
}

const RINGS = ['RING1', 'RING2', 'RING3'];
const RUGS = ['RAT', 'MOLE', ...RINGS];
const SCAMS = [...RUGS, 'TRAP', 'TOAD'];
const FRAUDS = ['MOLE', 'RAT', 'TOAD'];

/** By the title of the question, wallets by what they do in the ring. */
const ANSWERS: Readonly<Record<string, Expected>> = {
  'What is new, and what was found?': {
    columns: ['symbol', 'prediction'],
    rows: [...SCAMS.map((symbol) => `${symbol} SCAM`), 'HEN LEGIT', 'DUSD LEGIT', 'WETH LEGIT'],
  },
  "Which share of each day's tokens are scams?": { columns: [], rows: [''] },
  'Who makes scams one after the other?': { columns: ['tokens', 'scams'], rows: ['1 1'] },
  'What weighed most in the verdicts on scams?': {
    columns: ['feature', 'tokens'],
    rows: [
      'check:liquidity_drained 5',
      'check:mint_power 1',
      'check:trade_tax 1',
      'check:fee_power 1',
    ],
    areSome: true,
  },
  'How does each check turn out?': {
    columns: ['check_id', 'failed'],
    rows: [
      'owner_renounced 7',
      'liquidity_drained 5',
      'sell_simulation 1',
      'mint_power 1',
      'trade_tax 1',
      'fee_power 1',
      'freeze_power 1',
      'proxy 0',
    ],
    areSome: true,
  },
  'Of which tokens can one wallet make more?': {
    columns: ['symbol', 'shown_by'],
    rows: ['MOLE simulation'],
  },
  'Which verdicts turned?': { columns: ['symbol'], rows: [], areSome: true },
  'How often was the verdict right?': { columns: ['tokens'], rows: [] },
  'Which tokens were rugged, and how long after their creation?': {
    columns: ['symbol', 'shown_by'],
    rows: RUGS.map((symbol) => `${symbol} ['withdrawal']`),
  },
  'How many minutes before the rug was the first verdict SCAM?': {
    columns: ['symbol'],
    rows: RUGS,
  },
  'What did holders lose with tokens that the verdict calls scams?': {
    columns: ['symbol', 'victims', 'prediction'],
    rows: ['RAT 14 SCAM', 'MOLE 14 SCAM', ...RINGS.map((symbol) => `${symbol} 1 SCAM`)],
  },
  'Who bought tokens that turned out to be scams, and for how much?': {
    columns: ['trader', 'trades', 'native'],
    rows: ['puppet 1 3 1.5', 'puppet 2 3 1.5'],
    areSome: true,
  },
  'What did a token cost, hour by hour?': {
    columns: ['symbol', 'quote_symbol', 'trades'],
    rows: ['RING1 WETH 3'],
  },
  'What did a token keep of each of its trades, of what the trader sold or the market paid?': {
    columns: ['side', 'tax'],
    rows: ['buy 0'],
  },
  'What changed hands on each day, in US dollars?': {
    columns: ['symbol'],
    rows: [...SCAMS, 'HEN'],
  },
  'Which markets were busiest on the last day?': {
    columns: ['pair', 'trades'],
    rows: [
      'HEN/WETH 103',
      ...FRAUDS.map((symbol) => `${symbol}/WETH 18`),
      'TRAP/WETH 15',
      ...RINGS.map((symbol) => `${symbol}/WETH 3`),
      'DUSD/WETH 2',
    ],
  },
  'Who holds most of a token?': {
    columns: ['holder'],
    rows: ['puppet 1', 'puppet 2'],
    areSome: true,
  },
  'Which liquidity is locked, until when, and is that believed?': { columns: ['symbol'], rows: [] },
  'Who gave creators of tokens their first native currency?': {
    columns: ['creator', 'funder'],
    rows: ['creator 1 funder 1', 'creator 2 funder 2', 'creator 3 funder 1'],
  },
  'Which rings are there, with their wallets and what they took?': {
    columns: ['scams'],
    rows: ['3'],
  },
  'Whom did a wallet deal with, and who is that?': {
    columns: ['direction', 'kind', 'other', 'role'],
    rows: ['in funded funder 1 funder', 'out transferred master master'],
    areSome: true,
  },
};

/** Placeholders in the document for a token and its creator. */
const SAMPLE_TOKEN = `0x${'a1'.repeat(20)}`;
const SAMPLE_CREATOR = `0x${'c1'.repeat(20)}`;
const NAMES = [
  'master',
  'funder 1',
  'funder 2',
  'creator 1',
  'creator 2',
  'creator 3',
  'puppet 1',
  'puppet 2',
];

/** The distinct rows of tab-separated text, in some of its columns. */
const rowsOf = (text: string, columns: readonly string[]): string[] => {
  const [names = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const places = columns.map((column) => names.indexOf(column));
  if (places.includes(-1))
    throw new Error(`${columns.join(', ')} are not among ${names.join(', ')}`);
  return [...new Set(rows.map((row) => places.map((place) => row[place]).join(' ')))].toSorted();
};

/** Runs one question on the demo's tables. Throws an error if the answer is not as expected. */
const askOne = async (
  { title, sql }: { title: string; sql: string },
  { wallets, tokens }: RingPlay,
  ask: Ask,
): Promise<void> => {
  const expected = ANSWERS[title];
  if (!expected) throw new Error('no answer is expected here');
  const own = sql
    .replaceAll(SAMPLE_TOKEN, tokens[0]?.address ?? SAMPLE_TOKEN)
    .replaceAll(SAMPLE_CREATOR, wallets[NAMES.indexOf('creator 1')] ?? SAMPLE_CREATOR);
  const answer = wallets.reduce(
    (text, wallet, i) => text.replaceAll(wallet.toLowerCase(), NAMES[i] ?? wallet),
    await ask(own),
  );
  const found = rowsOf(answer, expected.columns);
  const missing = expected.rows.filter((row) => !found.includes(row));
  const others = expected.areSome ? [] : found.filter((row) => !expected.rows.includes(row));
  if (missing.length + others.length === 0) return;
  throw new Error(
    `missing: ${missing.join('; ') || 'nothing'}; beside: ${others.join('; ') || 'nothing'}`,
  );
};

/** Whether nothing has been played yet: the answers below are those of a single demo. */
export const isUntouched = async (ask: Ask): Promise<boolean> =>
  (await ask('SELECT count() FROM verdicts')).trim().split('\n').at(-1) === '0';

/**
 * Runs the questions on the demo's tables, waiting for data that arrives shortly after the ring.
 * @returns how many were answered, and the errors of the others
 */
export const askQuestions = async (
  play: RingPlay,
  ask: Ask,
): Promise<{ answered: number; problems: string[] }> => {
  const document = readFileSync(new URL('../clickhouse/QUESTIONS.md', import.meta.url), 'utf8');
  const questions = questionsOf(document);
  const problems: string[] = [];
  for (const question of questions) {
    const look = async () => ({ value: await askOne(question, play, ask) });
    const answer = await pollUntil(look, ANSWER_TIMEOUT_MS);
    if (answer.kind === 'missing') problems.push(`${question.title} ${answer.lastSeen}`);
  }
  return { answered: questions.length - problems.length, problems };
};
