import { z } from 'zod';

/** A message that a reader could make nothing of, as it lies in the stream of dead letters. */
export const deadLetterSchema = z.object({
  /** Why it was set aside. */
  reason: z.string(),
  /** The message as it was, base64. */
  data: z.string(),
  /** Who set it aside; absent from letters of before this was noted. */
  reader: z.string().optional(),
  /** The id its publisher gave it. */
  messageId: z.string().optional(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const PREFIX = 'dlq.';
/** Where the letter of a message of this subject goes. */
export const deadLetterSubject = (subject: string): string => `${PREFIX}${subject}`;
/** The subject of the message in a letter. */
export const originalSubject = (subject: string): string => subject.slice(PREFIX.length);

/** Header of a message that is published again: the id it had at first, by which it is recognised. */
export const REPLAY_OF_HEADER = 'Replay-Of';
