import { z } from 'zod';

/** A message that a reader could not handle, as stored in the stream of dead letters. */
export const deadLetterSchema = z.object({
  /** Why it could not be handled. */
  reason: z.string(),
  /** The message as it was, base64. */
  data: z.string(),
  /** The role that could not handle it. */
  reader: z.string().optional(),
  /** The id its publisher gave it. */
  messageId: z.string().optional(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const PREFIX = 'dlq.';
/** The subject of the letter of a message of this subject. */
export const deadLetterSubject = (subject: string): string => `${PREFIX}${subject}`;
/** The subject of the message in a letter. */
export const originalSubject = (subject: string): string => subject.slice(PREFIX.length);

/** Header of a replayed message: its original id, by which readers recognise it. */
export const REPLAY_OF_HEADER = 'Replay-Of';
