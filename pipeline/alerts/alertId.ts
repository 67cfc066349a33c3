import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import type { Alert, AlertMessage } from '../../shared/messages/alertMessage.ts';
import type { Identity } from './raise/candidate.ts';

const HASH_BITS = 22;
const HASH_RANGE = 2 ** HASH_BITS;
const TIME_RANGE_S = 2 ** 31;

/**
 * An integer of at most 2^53 − 1 that is always the same for the same alert, and grows with chain time: 31 bits of
 * seconds, then 22 bits of a hash. `attempt` gives alternatives in case another alert of the family has the first id.
 */
export const alertId = (identity: Identity, timestampS: number, attempt: number): number => {
  const { chainId, blockHash, logIndex, watchId, type } = identity;
  const hash = createHash('sha256')
    .update([chainId, blockHash, logIndex, watchId, type, attempt].join(':'))
    .digest();
  return firstIdOf(timestampS) + (hash.readUInt32BE(0) % HASH_RANGE);
};

/** The lowest id of a second of chain time. */
export const firstIdOf = (timestampS: number): number =>
  (Math.max(0, timestampS) % TIME_RANGE_S) * HASH_RANGE;

/** The second of chain time encoded in an id. */
export const timeOfId = (id: number): number => Math.floor(id / HASH_RANGE);

/** Crockford's base 32, five bits per digit. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const HASH_DIGITS = 16;

/**
 * Id of one event of an alert: `msg_` and a ULID of the alert's time and a hash of the event's content. Repetitions
 * have the same id; every raise and withdrawal has a different one because each has its own epoch.
 */
export const eventIdOf = (alert: Alert, state: AlertMessage['state'], epoch: number): string => {
  const { family, id, chainId, createdAtMs } = alert;
  const hash = createHash('sha256').update([family, id, chainId, state, epoch].join(':')).digest();
  const digits = [...hash.subarray(0, HASH_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]);
  return `msg_${encodeTime(createdAtMs, TIME_DIGITS)}${digits.join('')}`;
};
