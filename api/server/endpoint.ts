import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Tier } from '../../shared/families/tier.ts';
import type { Caller, QuotaState } from '../accounts/admission.ts';
import { nothing, type z } from './schema.ts';

/** The two surfaces: the detailed reference, and the overview under `/api`. */
export type Style = 'A' | 'B';
export type Method = 'get' | 'post' | 'patch' | 'delete';
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** A checked request, as a handler sees it. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  /** The quotas after this request was admitted. */
  readonly quota: QuotaState;
  /** Unix milliseconds when the request was admitted. */
  readonly nowMs: number;
  /**
   * Takes further day units.
   * @throws ApiError 429 where the quota does not hold as many; nothing is taken then.
   */
  readonly charge: (dayUnits: number) => Promise<void>;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Whether the client wants to speak another protocol from here on. */
  readonly isUpgrade: boolean;
  /** A signal that aborts when the client has gone or the time of the request is over; made when asked for. */
  readonly signal: () => AbortSignal;
}

/** A body that is not JSON: sent as it is. */
export interface TextBody {
  readonly contentType: string;
  readonly text: string;
}

/** An answer that goes on: events as they come, a file, or a WebSocket. */
export type Opening =
  | { readonly kind: 'events'; readonly stream: Readable }
  | {
      readonly kind: 'file';
      readonly stream: Readable;
      readonly contentType: string;
      readonly name: string;
    }
  | { readonly kind: 'socket'; readonly accept: (socket: WebSocket) => void };

interface ReplyHead {
  readonly status?: 200 | 201 | 503;
  readonly headers?: Readonly<Record<string, string>>;
  /** Version of the served object: becomes a weak ETag. */
  readonly version?: string;
}

/** An answer whose body is checked by the schema of the operation. */
export interface BodyReply<R> extends ReplyHead {
  readonly body: R;
  /** Sent instead of `body`, which then only has to match its schema. */
  readonly text?: TextBody;
}

/** An answer that goes on after its head. */
interface OpeningReply extends ReplyHead {
  readonly opening: Opening;
}

/**
 * An answer as JSON text whose parts were checked by the schema when they were made: see `renderOnce`.
 * It would be the same for every caller: compressed, it is kept for a while.
 */
export interface RenderedReply extends ReplyHead {
  readonly json: string;
}

/** What a handler answers. */
export type Reply<R> = BodyReply<R> | RenderedReply | OpeningReply;

/** One operation: everything that validates, documents and answers it. */
export interface EndpointSpec<
  P extends z.ZodTypeAny,
  Q extends z.ZodTypeAny,
  B extends z.ZodTypeAny,
  R extends z.ZodTypeAny,
> {
  readonly method: Method;
  /** With parameters in braces: `/tokens/{address}`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Any key will do where absent. */
  readonly lowestTier?: Tier;
  /** Units taken from the day quota; 1 where absent. */
  readonly dayUnits?: 0 | 1;
  /** Whether it needs much memory or time of ClickHouse: few run at once, see `Concurrency.runHeavy`. What the index answers is not. */
  readonly isHeavy?: boolean;
  /** Of a heavy one: whether those that run at once share their queries, see `joinLists`. */
  readonly sharesQueries?: boolean;
  /** Whether `Idempotency-Key` is honoured. */
  readonly isIdempotent?: boolean;
  /** Absent where the path has none. */
  readonly params?: P;
  /** Absent where there are none. */
  readonly query?: Q;
  /** Whether it opens a WebSocket: the key may then come as a protocol or as a ticket. */
  readonly isSocket?: boolean;
  /** Whether a success is none of JSON but a stream of one of `otherTypes`. */
  readonly isStream?: boolean;
  /** Absent for operations that take no body. */
  readonly body?: B;
  /** Whether an absent body counts as `{}`. */
  readonly isBodyOptional?: boolean;
  /** The whole body of a success. */
  readonly response: R;
  /** Success statuses and when they occur. */
  readonly successes: Readonly<Partial<Record<101 | 200 | 201 | 426 | 503, string>>>;
  /** Refusals beside those that follow from the rest: see `errorsOf`. */
  readonly errors?: readonly ErrorStatus[];
  /** Other media types of a success, with what they hold. */
  readonly otherTypes?: Readonly<Record<string, string>>;
  readonly handle: (
    call: Call<z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<Reply<z.input<R>>>;
}

type AnySpec = EndpointSpec<z.ZodTypeAny, z.ZodTypeAny, z.ZodTypeAny, z.ZodTypeAny>;
type Derived = 'isHeavy' | 'lowestTier' | 'params' | 'query' | 'errors';

/** An operation whose types are known to its own handler only. */
export interface Endpoint
  extends Omit<AnySpec, Derived | 'handle'>,
    Required<Pick<AnySpec, Derived>> {
  readonly style: Style;
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<Reply<unknown>>;
}

/** Every refusal of an operation that is none of its successes. */
const errorsOf = (spec: Omit<AnySpec, 'handle'>): ErrorStatus[] => {
  const all = new Set<ErrorStatus>([400, 401, 429, 500, 503, ...(spec.errors ?? [])]);
  if ((spec.lowestTier ?? 'free') !== 'free') all.add(403);
  if (spec.body) all.add(413).add(415);
  if (spec.isIdempotent) all.add(409).add(422);
  return [...all].filter((status) => !(status in spec.successes)).toSorted((a, b) => a - b);
};

/** Checks that schemas and handler agree, then forgets their types. */
export const defineEndpoint = <
  P extends z.ZodTypeAny,
  Q extends z.ZodTypeAny,
  B extends z.ZodTypeAny,
  R extends z.ZodTypeAny,
>(
  spec: EndpointSpec<P, Q, B, R>,
): Endpoint => ({
  ...spec,
  style: spec.path.startsWith('/api/') ? 'B' : 'A',
  isHeavy: spec.isHeavy ?? false,
  lowestTier: spec.lowestTier ?? 'free',
  params: spec.params ?? nothing,
  query: spec.query ?? nothing,
  errors: errorsOf(spec),
  // The router hands over exactly what these schemas have parsed.
  handle: (call) => spec.handle(call as Call<z.output<P>, z.output<Q>, z.output<B>>),
});

/** What several operations, or pages, need together: each takes an object of what it needs. */
export type PortsOf<Parts> = (
  Parts extends (ports: infer Ports) => unknown
    ? (ports: Ports) => void
    : never
) extends (ports: infer All) => void
  ? All
  : never;
