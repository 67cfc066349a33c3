import { createHash } from 'node:crypto';
import { headers as createHeaders, type NatsConnection, NatsError } from 'nats';
import {
  type DeadLetter,
  deadLetterSchema,
  originalSubject,
  REPLAY_OF_HEADER,
} from '../../shared/messages/deadLetter.ts';
import { DEAD_LETTER_STREAM } from '../../shared/messages/subjects.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import {
  connectNats,
  ensureStreams,
  ifThere,
  JETSTREAM_TIMEOUT_MS,
  jetStreamManager,
  onNats,
} from '../../shared/platform/nats.ts';
import { formatTable } from './formats.ts';

/** Letters listed at once. */
const LETTERS_SHOWN_MAX = 100;
/** Letters read at a time while all are published again. */
const LETTERS_PER_PAGE = 100;
const REASON_CHARS_MAX = 80;
const CONNECTION_NAME = 'dead-letters';

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs work on the dead letters of the NATS server at `natsUrl`. */
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

/** A positive whole number from the environment; undefined if absent. */
const numberOf = (environment: Environment, name: string): number | undefined => {
  const text = environment[name];
  if (!text) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error(`${name} must be the number of a letter`);
  return Number(text);
};

const isoTime = (atMs: number): string =>
  new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

/** Untrusted text on one line of a terminal: without control characters, and short. */
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

/** The message as text if it is text, else in hexadecimal. */
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

/** Common key of several readers' letters about one message. */
const messageKey = ({ subject, messageId, data }: FiledLetter): string =>
  createHash('sha256')
    .update(JSON.stringify([subject, messageId, data]))
    .digest('hex');

/** The letter of `ID`, those of `SUBJECT`, or all, oldest first. Letters that arrive meanwhile are left out. */
async function* chosenLetters(letters: DeadLetters, environment: Environment) {
  const id = numberOf(environment, 'ID');
  const subject = environment['SUBJECT'];
  if (id !== undefined && subject) throw new Error('give ID or SUBJECT, not both');
  if (id !== undefined) {
    yield await findLetter(letters, id);
    return;
  }
  const startedMs = Date.now();
  for (let fromId = 1; ; ) {
    const page = await letters.list(fromId, LETTERS_PER_PAGE);
    yield* page.filter((letter) => letter.atMs <= startedMs && isOf(letter, subject));
    const last = page.at(-1);
    if (!last || last.atMs > startedMs) return;
    fromId = last.id + 1;
  }
}

/**
 * Publishes the chosen letters again; a message that several readers could not process is published once for all of
 * them. @throws at the first that cannot be published; earlier ones are done.
 */
export const replayDeadLetters = async (
  letters: DeadLetters,
  environment: Environment,
  report: (line: string) => void,
): Promise<string> => {
  const published = new Map<string, number>();
  for await (const letter of chosenLetters(letters, environment)) {
    const key = messageKey(letter);
    const first = published.get(key);
    if (first === undefined) {
      await letters.replay(letter);
      published.set(key, letter.id);
      report(`${letter.id} published again to ${letter.subject}`);
    } else {
      await letters.remove(letter.id);
      report(`${letter.id} is the message of ${first}`);
    }
  }
  return published.size === 0 ? 'no dead letters' : `${published.size} published again`;
};

/**
 * Deletes the chosen letters, whose messages are stored nowhere else. Throws if none are chosen, because that would
 * mean all.
 */
export const deleteDeadLetters = async (
  letters: DeadLetters,
  environment: Environment,
): Promise<string> => {
  if (!environment['ID'] && !environment['SUBJECT']) {
    throw new Error('give letters: make delete-dead-letters ID=7, or SUBJECT=score');
  }
  let count = 0;
  for await (const letter of chosenLetters(letters, environment)) {
    await letters.remove(letter.id);
    count += 1;
  }
  return count === 0 ? 'no dead letters' : `${count} deleted`;
};

/** A letter with its position in the stream. */
export interface FiledLetter extends DeadLetter {
  /** Its number, by which operators refer to it. */
  readonly id: number;
  readonly subject: string;
  readonly atMs: number;
  /** Bytes of the message it holds. */
  readonly bytes: number;
}

const filed = (stored: {
  seq: number;
  subject: string;
  data: Uint8Array;
  atMs: number;
}): FiledLetter => {
  const { seq: id, subject, data, atMs } = stored;
  const letter = readLetter(data);
  const bytes = Buffer.byteLength(letter.data, 'base64');
  return { ...letter, id, subject: originalSubject(subject), atMs, bytes };
};

/** Shown whatever it contains: an invalid letter is shown as its own message. */
const readLetter = (data: Uint8Array): DeadLetter => {
  const text = Buffer.from(data);
  try {
    return deadLetterSchema.parse(JSON.parse(text.toString()));
  } catch {
    return { reason: 'not a letter of this service', data: text.toString('base64') };
  }
};

/** The first letter from a number on; undefined where there is none. */
const readNext = async (
  connection: NatsConnection,
  fromId: number,
): Promise<FiledLetter | undefined> => {
  const { streams } = await jetStreamManager(connection);
  const query = { seq: fromId, next_by_subj: '>' };
  const message = await ifThere(streams.getMessage(DEAD_LETTER_STREAM, query));
  if (!message) return undefined;
  const { seq, subject, data, time } = message;
  return filed({ seq, subject, data, atMs: time.getTime() });
};

const guarded = <T>(work: () => Promise<T>): Promise<T> => onNats('dead letters', work);

/** The stream a message came from may have been deleted. */
const publishAgain = async (connection: NatsConnection, letter: FiledLetter): Promise<void> => {
  const headers = createHeaders();
  if (letter.messageId !== undefined) headers.set(REPLAY_OF_HEADER, letter.messageId);
  // Its first id would be treated as a repetition and ignored. A number alone may be assigned again after a loss.
  const digest = createHash('sha256').update(letter.data).digest('hex');
  const msgID = `dlq:replay:${letter.id}:${digest}`;
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  try {
    await jetstream.publish(letter.subject, Buffer.from(letter.data, 'base64'), { headers, msgID });
  } catch (error) {
    const reason =
      error instanceof NatsError && error.code === '503'
        ? `no stream takes ${letter.subject}`
        : errorMessage(error);
    throw new Error(`letter ${letter.id} not published again: ${reason}`, { cause: error });
  }
};

/** The stream of dead letters. */
export const createDeadLetters = (connection: NatsConnection) => {
  const remove = async (id: number): Promise<void> => {
    const { streams } = await jetStreamManager(connection);
    await streams.deleteMessage(DEAD_LETTER_STREAM, id, false);
  };
  return {
    /** From a number on, oldest first. */
    list: (fromId: number, limit: number): Promise<FiledLetter[]> =>
      guarded(async () => {
        const letters: FiledLetter[] = [];
        let next = await readNext(connection, Math.max(1, fromId));
        while (next && letters.push(next) < limit) next = await readNext(connection, next.id + 1);
        return letters;
      }),
    find: (id: number): Promise<FiledLetter | undefined> =>
      guarded(async () => {
        const next = await readNext(connection, id);
        return next?.id === id ? next : undefined;
      }),
    /**
     * Publishes the message to its original subject and removes the letter once the message is on disk. A replay that
     * is interrupted in between publishes nothing twice.
     */
    replay: (letter: FiledLetter): Promise<void> =>
      guarded(async () => {
        await publishAgain(connection, letter);
        await remove(letter.id);
      }),
    remove: (id: number): Promise<void> => guarded(() => remove(id)),
  };
};
/**
 * The dead letters, for manual inspection. All methods reject with RetryableError while NATS is unavailable.
 */
export type DeadLetters = ReturnType<typeof createDeadLetters>;
