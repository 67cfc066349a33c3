import { ZodError } from 'zod';

/** Something outside failed for now: the catcher waits and tries the same work again. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
}

/** This piece of input can never succeed: the catcher sets it aside, counts it, and goes on. */
export class PoisonMessageError extends Error {
  override readonly name = 'PoisonMessageError';
}

/** Going on would damage data or hide a fault: the catcher stops the process with this message. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** The text of anything thrown, for a log line or a cause: of input that does not fit its schema, each field with its rule. */
export const errorMessage = (error: unknown): string => {
  if (error instanceof ZodError) {
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};
