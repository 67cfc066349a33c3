import type { Caller, QuotaState } from '../../accounts/admission.ts';

/** What the middleware learn of a request, in `ctx.state`. */
export interface RequestState {
  /** Set by the first middleware. */
  requestId: string;
  /** Whether the path needs no key: probes and documentation. */
  isPublic?: boolean;
  /** Whether the body would be the same for every caller: nothing of an account is in it. */
  isForAll?: boolean;
  caller?: Caller;
  /** Name of the operation the request is for. */
  operation?: string;
  quota?: QuotaState;
  /** Day units this request has taken, to be given back when it turns out to be free. */
  dayUnitsTaken?: number;
  /** A signal that aborts when the client has gone or the time of the request is over; made when asked for. */
  signal?: () => AbortSignal;
}
