import { z } from 'zod';
import { ADDRESS_RULE, ADDRESS_TEXT } from '../../../shared/chain/address.ts';
import { faultIn } from '../faults.ts';
import type { FieldErrors, Visit } from '../page.ts';

const NAME_LENGTH_MAX = 100;

/** A name that a user gives to something. */
export const nameField = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX, `must have at most ${NAME_LENGTH_MAX} characters`)
  .regex(/^[^\p{C}]+$/u, 'must not contain control characters');

/** An address on the chain. */
export const addressField = z
  .string()
  .trim()
  .regex(ADDRESS_TEXT, ADDRESS_RULE)
  .transform((text) => text.toLowerCase() as `0x${string}`);

/** The first error of each field. */
export const fieldErrors = (
  error: z.ZodError,
  { language }: Pick<Visit, 'language'>,
): FieldErrors => {
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) {
    const field = String(path[0] ?? 'form');
    errors[field] ??= faultIn(language, message);
  }
  return errors;
};
