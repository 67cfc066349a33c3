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
  /** Seconds until the minute quota is full again; where it refused a request, until that may come: `Retry-After` is not earlier. */
  readonly minuteResetS: number;
  /** Unix seconds by the clock that counts the quotas. */
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

/** What became of further day units. */
export interface Charge {
  readonly isTaken: boolean;
  /** The quotas afterwards. */
  readonly quota: QuotaState;
}

/** Checks keys and counts what they use. */
export interface Gatekeeper {
  /** Checks the key and takes the units, in one step: a key revoked before this call is refused. */
  admit(key: string, units: Units): Promise<Admission>;
  /** A ticket that lets its bearer in once, within a minute, with the key it was asked with. */
  issueTicket(caller: Caller): Promise<{ ticket: string; expiresAtMs: number }>;
  /** The same as `admit` for a ticket, which is good for nothing afterwards. */
  admitTicket(ticket: string, units: Units): Promise<Admission>;
  /** Takes further day units for a request already admitted, all or none. */
  charge(caller: Caller, dayUnits: number, quota: QuotaState): Promise<Charge>;
  /** Gives day units back, of the day they were taken from. */
  refund(family: string, units: number, quota: QuotaState): Promise<void>;
}
