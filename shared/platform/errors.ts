import { ZodError } from 'zod';

/** A temporary failure of something outside: the catcher waits and repeats the same work. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
}

/** This input can never succeed: the catcher sets it aside, counts it, and continues. */
export class PoisonMessageError extends Error {
  override readonly name = 'PoisonMessageError';
}

/** Continuing would damage data or hide a fault: the catcher stops the process with this message. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/**
 * The text of any thrown value, for a log line or a cause; for input that does not match its schema, each field with
 * its rule.
 */
export const errorMessage = (error: unknown): string => {
  if (error instanceof ZodError) {
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};
