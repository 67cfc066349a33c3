import { createHash } from 'node:crypto';
import { headers as createHeaders, DeliverPolicy, type NatsConnection, NatsError } from 'nats';
import {
  type DeadLetter,
  deadLetterSchema,
  originalSubject,
  REPLAY_OF_HEADER,
} from '../../shared/messages/deadLetter.ts';
import { DEAD_LETTER_STREAM } from '../../shared/messages/subjects.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import { JETSTREAM_TIMEOUT_MS } from '../../shared/platform/nats.ts';

/** A letter with its place in the stream. */
export interface FiledLetter extends DeadLetter {
  /** Its number: what operators name it by. */
  readonly id: number;
  /** Subject of the message it holds. */
  readonly subject: string;
  readonly atMs: number;
  /** Bytes of the message it holds. */
  readonly bytes: number;
}

/** The dead letters, for a person to look at. All reject with RetryableError while NATS is away. */
export interface DeadLetters {
  /** From a number on, oldest first. */
  list(fromId: number, limit: number): Promise<FiledLetter[]>;
  find(id: number): Promise<FiledLetter | undefined>;
  /**
   * Publishes the message again where it came from and removes the letter once that is on disk. A replay
   * that was cut off in between publishes nothing twice.
   */
  replay(letter: FiledLetter): Promise<void>;
}

const NANOS_PER_MS = 1_000_000;
/** Milliseconds reading a page may take. */
const PAGE_MS_MAX = 5_000;

const isNotFound = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error?.code === 404;

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

/** Whatever lies there is shown: a letter that is none holds itself. */
const readLetter = (data: Uint8Array): DeadLetter => {
  const text = Buffer.from(data);
  try {
    return deadLetterSchema.parse(JSON.parse(text.toString()));
  } catch {
    return { reason: 'not a letter of this service', data: text.toString('base64') };
  }
};

/** Some letters from a number on, through a consumer that lives only for it. */
const readPage = async (
  connection: NatsConnection,
  fromId: number,
  limit: number,
): Promise<FiledLetter[]> => {
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  const consumer = await jetstream.consumers.get(DEAD_LETTER_STREAM, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: fromId,
  });
  const { num_pending: waiting } = await consumer.info();
  if (waiting === 0) return [];
  const letters: FiledLetter[] = [];
  const page = { max_messages: Math.min(waiting, limit), expires: PAGE_MS_MAX };
  for await (const { seq, subject, data, info } of await consumer.fetch(page)) {
    const atMs = Math.floor(info.timestampNanos / NANOS_PER_MS);
    letters.push(filed({ seq, subject, data, atMs }));
  }
  return letters;
};

const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new RetryableError(`dead letters: ${errorMessage(error)}`, { cause: error });
  }
};

/** Nobody may be listening where a message came from: its stream has gone, or never was. */
const publishAgain = async (connection: NatsConnection, letter: FiledLetter): Promise<void> => {
  const headers = createHeaders();
  if (letter.messageId !== undefined) headers.set(REPLAY_OF_HEADER, letter.messageId);
  // Its first id would be taken for a repetition and swallowed. A number alone may come again after a loss.
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
export const createDeadLetters = (connection: NatsConnection): DeadLetters => {
  const manager = () =>
    connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
  return {
    list: (fromId, limit) => guarded(() => readPage(connection, Math.max(1, fromId), limit)),
    find: (id) =>
      guarded(async () => {
        try {
          const { streams } = await manager();
          const found = await streams.getMessage(DEAD_LETTER_STREAM, { seq: id });
          return filed({
            seq: found.seq,
            subject: found.subject,
            data: found.data,
            atMs: found.time.getTime(),
          });
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      }),
    replay: (letter) =>
      guarded(async () => {
        await publishAgain(connection, letter);
        await (await manager()).streams.deleteMessage(DEAD_LETTER_STREAM, letter.id, false);
      }),
  };
};
