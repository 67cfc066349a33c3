import type { Tier } from '../../shared/families/tier.ts';

/** How much a request takes from the two quotas of its key family. */
export interface Units {
  readonly day: number;
  readonly minute: number;
}

/** The two quotas after a request was admitted or refused. */
export interface QuotaState {
  readonly tier: Tier;
  readonly dayLimit: number;
  readonly dayRemaining: number;
  /** Unix seconds of the next 00:00 UTC. */
  readonly dayResetS: number;
  readonly minuteLimit: number;
  readonly minuteRemaining: number;
  /**
   * Seconds until the minute quota is full again; if it refused the request, until the request may be repeated.
   * `Retry-After` is not earlier.
   */
  readonly minuteResetS: number;
  /** Unix seconds by the clock of the server that counts the quotas. */
  readonly nowS: number;
}

/** Who is calling. */
export interface Caller {
  readonly keyId: string;
  readonly family: string;
  readonly tier: Tier;
}

/** The answer to a presented key. */
export type Admission =
  | { kind: 'admitted'; caller: Caller; quota: QuotaState }
  | { kind: 'limited'; policy: 'day' | 'minute'; retryAfterS: number; quota: QuotaState }
  | { kind: 'unknown' }
  | { kind: 'expired' };

/** Outcome of taking further day units. */
export interface Charge {
  readonly isTaken: boolean;
  /** The quotas after the call. */
  readonly quota: QuotaState;
}

/** Checks keys and counts their usage. */
export interface Gatekeeper {
  /** Checks the key and takes the units, in one step: a key revoked before this call is refused. */
  admit(key: string, units: Units): Promise<Admission>;
  /** A ticket that admits its bearer once, within a minute, with the key that requested it. */
  issueTicket(caller: Caller): Promise<{ ticket: string; expiresAtMs: number }>;
  /** The same as `admit`, for a ticket, which is used up by the call. */
  admitTicket(ticket: string, units: Units): Promise<Admission>;
  /** Takes further day units for a request already admitted, all or none. */
  charge(caller: Caller, dayUnits: number, quota: QuotaState): Promise<Charge>;
  /** Gives day units back to the day from which they were taken. */
  refund(family: string, units: number, quota: QuotaState): Promise<void>;
}
