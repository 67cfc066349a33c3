import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { createDeadLetters, type DeadLetters, type FiledLetter } from './deadLetterStore.ts';
import { formatTable } from './formats.ts';

/** Letters listed at once. */
const LETTERS_SHOWN_MAX = 100;
/** Letters read at once while all are published again. */
const LETTERS_PER_PAGE = 100;
const REASON_CHARS_MAX = 80;
const CONNECTION_NAME = 'dead-letters';

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs work on the dead letters of the NATS at `natsUrl`. */
export const withDeadLetters = async <T>(
  natsUrl: string,
  work: (letters: DeadLetters) => Promise<T>,
): Promise<T> => {
  const connection = await connectNats(natsUrl, CONNECTION_NAME);
  try {
    await ensureStreams(connection, []);
    return await work(createDeadLetters(connection));
  } finally {
    await connection.close();
  }
};

/** A positive whole number of the environment; undefined where it is absent. */
const numberOf = (environment: Environment, name: string): number | undefined => {
  const text = environment[name];
  if (!text) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error(`${name} must be the number of a letter`);
  return Number(text);
};

const isoTime = (atMs: number): string =>
  new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

/** Text of others in one line of a terminal: without control characters, and short. */
const shownReason = (reason: string): string =>
  reason.replace(/[\p{C}\s]+/gu, ' ').slice(0, REASON_CHARS_MAX);

/** A table of letters from `FROM` on, oldest first. */
export const listDeadLetters = async (
  letters: DeadLetters,
  environment: Environment,
): Promise<string> => {
  const fromId = numberOf(environment, 'FROM') ?? 1;
  const found = await letters.list(fromId, LETTERS_SHOWN_MAX);
  if (found.length === 0) return 'no dead letters';
  const rows = found.map(({ id, atMs, subject, reader = '-', bytes, reason }) => [
    String(id),
    isoTime(atMs),
    subject,
    reader,
    `${bytes} B`,
    shownReason(reason),
  ]);
  const table = formatTable([['id', 'since (UTC)', 'subject', 'by', 'size', 'reason'], ...rows]);
  const next = (found.at(-1)?.id ?? 0) + 1;
  return found.length < LETTERS_SHOWN_MAX ? table : `${table}\n\nmore with FROM=${next}`;
};

/** The message as text where it is text, else in hexadecimal digits. */
const shownMessage = (data: string): string => {
  const bytes = Buffer.from(data, 'base64');
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes) && !/[^\P{C}\n\t]/u.test(text);
  return isText ? text : bytes.toString('hex');
};

const findLetter = async (letters: DeadLetters, id: number): Promise<FiledLetter> => {
  const letter = await letters.find(id);
  if (!letter) throw new Error(`no dead letter ${id}; make dead-letters lists them`);
  return letter;
};

/** One letter in full. */
export const showDeadLetter = async (
  letters: DeadLetters,
  environment: Environment,
): Promise<string> => {
  const id = numberOf(environment, 'ID');
  if (id === undefined) throw new Error('give a letter: make dead-letter ID=7');
  const letter = await findLetter(letters, id);
  const lines = [
    ['subject', letter.subject],
    ['since', `${isoTime(letter.atMs)} UTC by ${letter.reader ?? 'an unknown reader'}`],
    ['message id', letter.messageId ?? 'none'],
    ['size', `${letter.bytes} B`],
    ['reason', letter.reason],
  ];
  return `${formatTable(lines)}\n\n${shownMessage(letter.data)}`;
};

const isOf = (letter: FiledLetter, subject: string | undefined): boolean =>
  !subject || letter.subject === subject || letter.subject.startsWith(`${subject}.`);

/**
 * Publishes letters again: the one of `ID`, those of `SUBJECT`, or all. What comes back while it works is
 * left for next time. @throws at the first that cannot be published; those before it are done.
 */
export const replayDeadLetters = async (
  letters: DeadLetters,
  environment: Environment,
  report: (line: string) => void,
): Promise<string> => {
  const id = numberOf(environment, 'ID');
  const subject = environment['SUBJECT'];
  if (id !== undefined && subject) throw new Error('give ID or SUBJECT, not both');
  let count = 0;
  const replay = async (letter: FiledLetter): Promise<void> => {
    await letters.replay(letter);
    count += 1;
    report(`${letter.id} published again to ${letter.subject}`);
  };
  if (id !== undefined) await replay(await findLetter(letters, id));
  else {
    const startedMs = Date.now();
    for (let fromId = 1; ; ) {
      const page = await letters.list(fromId, LETTERS_PER_PAGE);
      for (const letter of page) {
        if (letter.atMs <= startedMs && isOf(letter, subject)) await replay(letter);
      }
      const last = page.at(-1);
      if (!last || last.atMs > startedMs) break;
      fromId = last.id + 1;
    }
  }
  return count === 0 ? 'no dead letters' : `${count} published again`;
};
