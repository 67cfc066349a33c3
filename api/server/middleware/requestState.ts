import type { Caller, QuotaState } from '../../accounts/admission.ts';

/** What middleware store about a request, in `ctx.state`. */
export interface RequestState {
  /** Set by the first middleware. */
  requestId: string;
  /** Whether the path needs no key: probes and documentation. */
  isPublic?: boolean;
  /** Whether the body is the same for every caller: it contains no account data. */
  isForAll?: boolean;
  caller?: Caller;
  /** Name of the requested operation. */
  operation?: string;
  quota?: QuotaState;
  /** Day units that this request has taken, refunded if it turns out to be free. */
  dayUnitsTaken?: number;
  /** A signal that aborts when the client disconnects or the request times out; created on first use. */
  signal?: () => AbortSignal;
}
