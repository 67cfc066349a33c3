import type { JsMsg, NatsConnection } from 'nats';
import { type DeadLetter, deadLetterSubject, REPLAY_OF_HEADER } from '../messages/deadLetter.ts';
import { JETSTREAM_TIMEOUT_MS, onNats } from './nats.ts';

/**
 * Sends a message as JSON; resolves when the server has stored it on disk. A repetition under the same id within ten
 * minutes has no effect. @throws RetryableError
 */
export type Publish = (subject: string, message: unknown, id?: string) => Promise<void>;

/** Publishes to the stream that stores the subject. */
export const createPublish = (
  connection: NatsConnection,
  timeoutMs = JETSTREAM_TIMEOUT_MS,
): Publish => {
  const jetstream = connection.jetstream({ timeout: timeoutMs });
  return async (subject, message, id) => {
    const options = id === undefined ? {} : { msgID: id };
    const sending = () => jetstream.publish(subject, JSON.stringify(message), options);
    await onNats(`${subject} not sent`, sending);
  };
};

/** A message that no retry can process. */
interface PoisonMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly messageId: string | undefined;
  /** Its position in the stream that delivered it. */
  readonly seq: number;
}

/** Counts dead letters. */
export interface DeadLetterMeter {
  /** @param kind first part of the message's subject, which has few values */
  count(kind: string): void;
}

/** Stores a message that no retry can process in the dead-letter stream. @throws RetryableError */
export type PublishDeadLetter = (message: PoisonMessage, reason: string) => Promise<void>;

/**
 * Publishes the dead letters of one reader. A message becomes one letter, however often it is delivered. A replayed
 * message has another position in the stream, and becomes a new letter.
 */
export const createPublishDeadLetter =
  (publish: Publish, reader: string, meter?: DeadLetterMeter): PublishDeadLetter =>
  async ({ subject, data, messageId, seq }, reason) => {
    const letter: DeadLetter = {
      reason,
      data: Buffer.from(data).toString('base64'),
      reader,
      ...(messageId === undefined ? {} : { messageId }),
    };
    const id = `dlq:${reader}:${seq}:${messageId ?? ''}`;
    await publish(deadLetterSubject(subject), letter, id);
    meter?.count(subject.split('.')[0] ?? '');
  };

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';

/** Whether a message is a replayed dead letter. */
export const isReplay = ({ headers }: Pick<JsMsg, 'headers'>): boolean =>
  headers?.has(REPLAY_OF_HEADER) ?? false;

/** The id that a publisher gave a message; for a replayed dead letter its original id. */
export const messageIdOf = ({ headers }: Pick<JsMsg, 'headers'>): string | undefined =>
  headers?.get(REPLAY_OF_HEADER) || headers?.get(MESSAGE_ID_HEADER) || undefined;
