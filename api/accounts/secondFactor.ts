import { createHash, randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Secret, TOTP } from 'otpauth';
import { onRedis } from '../../shared/platform/redis.ts';
import type { SecretBox } from '../../shared/platform/secretBox.ts';

const ISSUER = 'Token Scam Detection';
/** RFC 6238 with the parameters that every authenticator app supports: SHA-1, 6 digits, 30 seconds. */
const PERIOD_S = 30;
/** Steps by which a clock may be off, in either direction. */
const WINDOW = 1;
const CODE = /^\d{6}$/;
const RECOVERY_CODES = 10;
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_LENGTH = 12;

const totpOf = (secret: string, email: string): TOTP =>
  new TOTP({ issuer: ISSUER, label: email, secret: Secret.fromBase32(secret), period: PERIOD_S });

/** A new shared secret, in base 32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** What an authenticator app reads from the QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** Codes that each replace the second factor once. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    Array.from(
      { length: RECOVERY_LENGTH },
      () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)],
    ).join(''),
  );

/**
 * What is stored instead of a recovery code, which has 59 random bits and can be tried only a few times an hour.
 */
export const digestRecoveryCode = (code: string): string =>
  createHash('sha256').update(code.toLowerCase().replace(/[\s-]/g, '')).digest('hex');

/** A code that a user typed, and what it is checked against. */
export interface TotpAttempt {
  readonly accountId: string;
  readonly email: string;
  /** In base 32. */
  readonly secret: string;
  readonly code: string;
  readonly nowMs: number;
}

const takeCode = async (redis: Redis, attempt: TotpAttempt): Promise<boolean> => {
  const { accountId, email, secret, code, nowMs } = attempt;
  const digits = code.replace(/\s/g, '');
  if (!CODE.test(digits)) return false;
  const delta = totpOf(secret, email).validate({ token: digits, timestamp: nowMs, window: WINDOW });
  if (delta === null) return false;
  const step = Math.floor(nowMs / 1000 / PERIOD_S) + delta;
  const keptS = PERIOD_S * (2 * WINDOW + 2);
  const isFirst = await onRedis(() =>
    redis.set(`totp-used:${accountId}:${step}`, '1', 'EX', keptS, 'NX'),
  );
  return isFirst === 'OK';
};

/** Second factors whose used codes are remembered in Redis. */
export const createSecondFactor = (redis: Redis, box: SecretBox) => ({
  /**
   * Whether a code is right now and was not used before. A code that somebody saw on the screen cannot be used a
   * second time (RFC 6238 section 5.2).
   */
  take: (attempt: TotpAttempt): Promise<boolean> => takeCode(redis, attempt),
  /** The secret as it is stored for an account. */
  seal: (secret: string, accountId: string): string => box.seal(secret, `totp:${accountId}`),
  /** @throws Error if the text was changed or belongs to another account. */
  open: (sealed: string, accountId: string): string => box.open(sealed, `totp:${accountId}`),
});
/** Codes of authenticator apps. */
export type SecondFactor = ReturnType<typeof createSecondFactor>;
