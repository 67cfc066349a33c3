import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import type { Alert, AlertMessage } from '../../shared/messages/alertMessage.ts';

/** Crockford's base 32, five bits a digit. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const HASH_DIGITS = 16;

/**
 * Names one event of an alert: `msg_` and a ULID of the alert's time and a hash of what the event is.
 * The same at every repetition; another for every raise and withdrawal, since each has its epoch.
 */
export const eventIdOf = (alert: Alert, state: AlertMessage['state'], epoch: number): string => {
  const { family, id, chainId, createdAtMs } = alert;
  const hash = createHash('sha256').update([family, id, chainId, state, epoch].join(':')).digest();
  const digits = [...hash.subarray(0, HASH_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]);
  return `msg_${encodeTime(createdAtMs, TIME_DIGITS)}${digits.join('')}`;
};
