import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Tier } from '../../shared/families/tier.ts';
import type { Caller, QuotaState } from '../accounts/admission.ts';
import { nothing, type z } from './schema.ts';

/** The two API styles: the detailed one, and the one under `/api`. */
export type Style = 'A' | 'B';
export type Method = 'get' | 'post' | 'patch' | 'delete';
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** A validated request, as a handler sees it. */
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
   * @throws ApiError 429 if the quota has fewer; then nothing is taken.
   */
  readonly charge: (dayUnits: number) => Promise<void>;
  /** A request header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Whether the client asks to switch to another protocol. */
  readonly isUpgrade: boolean;
  /** A signal that aborts when the client disconnects or the request times out; created on first use. */
  readonly signal: () => AbortSignal;
}

/** A body that is not JSON, sent unchanged. */
export interface TextBody {
  readonly contentType: string;
  readonly text: string;
}

/** A response that continues after its head: events, a file, or a WebSocket. */
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
  /** Version of the served object; becomes a weak ETag. */
  readonly version?: string;
}

/** A response whose body is validated by the schema of the operation. */
export interface BodyReply<R> extends ReplyHead {
  readonly body: R;
  /** Sent instead of `body`; then `body` is only validated by the schema. */
  readonly text?: TextBody;
}

/** A response that continues after its head. */
interface OpeningReply extends ReplyHead {
  readonly opening: Opening;
}

/**
 * A response as JSON text whose parts were validated when they were rendered (see `renderOnce`). It is the same for
 * every caller, so its compressed form is cached for a while.
 */
export interface RenderedReply extends ReplyHead {
  readonly json: string;
}

/** Results that a handler can return. */
export type Reply<R> = BodyReply<R> | RenderedReply | OpeningReply;

/** One operation: how it is validated, documented and answered. */
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
  /** If absent, any key is accepted. */
  readonly lowestTier?: Tier;
  /** Units taken from the day quota; 1 if absent. */
  readonly dayUnits?: 0 | 1;
  /**
   * Whether it needs much memory or ClickHouse time: few such requests run at once, see `Concurrency.runHeavy`. Reads
   * from the index do not count.
   */
  readonly isHeavy?: boolean;
  /** Of a heavy operation: whether concurrent requests share their queries, see `joinLists`. */
  readonly sharesQueries?: boolean;
  /** Whether `Idempotency-Key` is supported. */
  readonly isIdempotent?: boolean;
  /** Absent if the path has no parameters. */
  readonly params?: P;
  /** Absent if there are none. */
  readonly query?: Q;
  /** Whether it opens a WebSocket: the key may then be sent as a protocol or as a ticket. */
  readonly isSocket?: boolean;
  /** Whether a success is a stream of one of `otherTypes` instead of JSON. */
  readonly isStream?: boolean;
  /** Absent for operations without a body. */
  readonly body?: B;
  /** Whether an absent body counts as `{}`. */
  readonly isBodyOptional?: boolean;
  /** The whole body of a success. */
  readonly response: R;
  /** Success statuses and when they occur. */
  readonly successes: Readonly<Partial<Record<101 | 200 | 201 | 426 | 503, string>>>;
  /** Refusals besides those implied by the other properties: see `errorsOf`. */
  readonly errors?: readonly ErrorStatus[];
  /** Other media types of a success, with their content. */
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

/** Every possible refusal of an operation. */
const errorsOf = (spec: Omit<AnySpec, 'handle'>): ErrorStatus[] => {
  const all = new Set<ErrorStatus>([400, 401, 429, 500, 503, ...(spec.errors ?? [])]);
  if ((spec.lowestTier ?? 'free') !== 'free') all.add(403);
  if (spec.body) all.add(413).add(415);
  if (spec.isIdempotent) all.add(409).add(422);
  return [...all].filter((status) => !(status in spec.successes)).toSorted((a, b) => a - b);
};

/** Checks at compile time that schemas and handler agree, then erases their types. */
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
  // The router passes exactly what these schemas have parsed.
  handle: (call) => spec.handle(call as Call<z.output<P>, z.output<Q>, z.output<B>>),
});

/**
 * Intersection of the dependencies of several operations or pages: each takes one object with its dependencies.
 */
export type PortsOf<Parts> = (
  Parts extends (ports: infer Ports) => unknown
    ? (ports: Ports) => void
    : never
) extends (ports: infer All) => void
  ? All
  : never;
