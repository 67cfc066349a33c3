import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { onRedis } from '../../shared/platform/redis.ts';
import { digestToken, isToken, newToken } from './secretToken.ts';

const MINUTE_S = 60;

/** Purposes of one-time tokens, and for how many seconds each is valid. */
const LIFE_S = {
  /** The link mailed to somebody who wants an account. */
  'sign-up': 24 * 60 * MINUTE_S,
  /** The link mailed to somebody who forgot the password. */
  reset: 60 * MINUTE_S,
  /** The link that the operator's `make key ACCOUNT=…` prints. */
  enter: 24 * 60 * MINUTE_S,
  /** The link mailed to an address that is to receive alerts. */
  'alert-mail': 24 * 60 * MINUTE_S,
  /** Between password and second factor. */
  'second-factor': 5 * MINUTE_S,
  /** Between this service and the identity provider. */
  oidc: 10 * MINUTE_S,
} as const;
export type Purpose = keyof typeof LIFE_S;

const keyOf = (purpose: Purpose, token: string): string =>
  `one-time:${purpose}:${digestToken(token)}`;

/** One-time values in Redis. */
export const createOneTimeStore = (redis: Redis) => {
  const parsed = <S extends z.ZodTypeAny>(
    text: string | null,
    schema: S,
  ): z.output<S> | undefined => (text === null ? undefined : schema.parse(JSON.parse(text)));
  return {
    /** The token; it exists only in this return value. */
    put: async (purpose: Purpose, value: unknown): Promise<string> => {
      const token = newToken();
      const text = JSON.stringify(value);
      await onRedis(() => redis.set(keyOf(purpose, token), text, 'EX', LIFE_S[purpose]));
      return token;
    },
    /** The value, which stays stored. */
    peek: async <S extends z.ZodTypeAny>(
      purpose: Purpose,
      token: string | undefined,
      schema: S,
    ): Promise<z.output<S> | undefined> =>
      isToken(token)
        ? parsed(await onRedis(() => redis.get(keyOf(purpose, token))), schema)
        : undefined,
    /** The value, which is deleted: of two callers only one gets it. */
    take: async <S extends z.ZodTypeAny>(
      purpose: Purpose,
      token: string | undefined,
      schema: S,
    ): Promise<z.output<S> | undefined> =>
      isToken(token)
        ? parsed(await onRedis(() => redis.getdel(keyOf(purpose, token))), schema)
        : undefined,
  };
};
/** Values that can be found by a token, for a limited time and one purpose. */
export type OneTimeStore = ReturnType<typeof createOneTimeStore>;
