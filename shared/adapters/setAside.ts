import { type DeadLetter, deadLetterSubject } from '../messages/deadLetter.ts';
import type { Publish } from './publish.ts';

/** A message that can never succeed. */
export interface HopelessMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly messageId?: string | undefined;
}

/** Where the numbers of dead letters go. */
export interface DeadLetterMeter {
  /** @param kind first part of the message's subject: few */
  setAside(kind: string): void;
}

/** Keeps a message that can never succeed for a person to look at. @throws RetryableError */
export type SetAside = (message: HopelessMessage, reason: string) => Promise<void>;

/** Sets aside for one reader; the same message is kept once, however often it is delivered. */
export const createSetAside =
  (publish: Publish, reader: string, meter?: DeadLetterMeter): SetAside =>
  async ({ subject, data, messageId }, reason) => {
    const letter: DeadLetter = {
      reason,
      data: Buffer.from(data).toString('base64'),
      reader,
      ...(messageId === undefined ? {} : { messageId }),
    };
    const id = messageId === undefined ? undefined : `dlq:${reader}:${messageId}`;
    await publish(deadLetterSubject(subject), letter, id);
    meter?.setAside(subject.split('.')[0] ?? '');
  };
