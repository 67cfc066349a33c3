import { z } from 'zod';

/** A message that a reader could not process, as stored in the dead-letter stream. */
export const deadLetterSchema = z.object({
  /** Why it could not be processed. */
  reason: z.string(),
  /** The original message, base64. */
  data: z.string(),
  /** The role that could not process it. */
  reader: z.string().optional(),
  /** The id that its publisher gave it. */
  messageId: z.string().optional(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const PREFIX = 'dlq.';
/** The subject of the dead letter for a message with this subject. */
export const deadLetterSubject = (subject: string): string => `${PREFIX}${subject}`;
/** The subject of the message in a dead letter. */
export const originalSubject = (subject: string): string => subject.slice(PREFIX.length);

/** Header of a replayed message: its original id, by which readers recognise it. */
export const REPLAY_OF_HEADER = 'Replay-Of';
