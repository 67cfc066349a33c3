import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { z } from 'zod';

const LENGTH_MIN = 8;
/** A longer password only costs time. */
const LENGTH_MAX = 128;
/** Argon2id by the first choice of the OWASP password storage cheat sheet: 19 MiB, 2 passes, 1 lane. */
const HASH_OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes computed at the same time: each takes a core and 19 MiB. */
const HASHES_AT_ONCE_MAX = 2;

/** A password that meets the specification: at least 8 characters, of all four kinds. */
export const passwordField = z
  .string()
  .min(LENGTH_MIN, `must have at least ${LENGTH_MIN} characters`)
  .max(LENGTH_MAX, `must have at most ${LENGTH_MAX} characters`)
  .regex(/\p{Lu}/u, 'must contain an uppercase letter')
  .regex(/\p{Ll}/u, 'must contain a lowercase letter')
  .regex(/\d/, 'must contain a digit')
  .regex(/[^\p{L}\d\s]/u, 'must contain a special character');

/** Passwords by Argon2id. */
export const createPasswords = () => {
  const limit = pLimit(HASHES_AT_ONCE_MAX);
  const ofNoAccount = limit(() => hash('no account has this one', HASH_OPTIONS));
  return {
    hash: (password: string): Promise<string> =>
      limit(() => hash(password.normalize('NFKC'), HASH_OPTIONS)),
    /**
     * Takes as long for an absent hash as for a wrong password, so that timing does not reveal which of the two it
     * was.
     */
    isRight: async (password: string, stored: string | undefined): Promise<boolean> => {
      const against = stored ?? (await ofNoAccount);
      const text = password.slice(0, LENGTH_MAX).normalize('NFKC');
      const isEqual = await limit(() => verify(against, text));
      return isEqual && stored !== undefined;
    },
  };
};
/** Hashes and checks passwords, a few at a time. */
export type Passwords = ReturnType<typeof createPasswords>;
