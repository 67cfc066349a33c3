import { setTimeout as sleep } from 'node:timers/promises';
import type { paths } from './schema.ts';

/** How a client reaches the API. */
export interface ClientOptions {
  /** Address of the API, as `https://api.example`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Repetitions of a request that was refused for a while, or whose connection broke. */
  readonly retriesMax?: number;
  /** Milliseconds for one attempt. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Makes it safe to repeat an operation that writes. */
  readonly idempotencyKey?: string;
}

type Operation<P extends keyof paths, M extends keyof paths[P]> = paths[P][M];
/** A part of a request, where there is one; nothing to add to the input otherwise. */
type Part<T, Name extends string> = Name extends keyof T
  ? [NonNullable<T[Name]>] extends [never]
    ? unknown
    : NonNullable<T[Name]>
  : unknown;
type Body<T> =
  Part<T, 'requestBody'> extends { content: { 'application/json': infer B } } ? B : unknown;
type Json<T> = T extends { content: { 'application/json': infer R } } ? R : never;
type Parameters<T> = T extends { parameters: infer P } ? P : never;

/** What an operation takes: fields of its path, query and body together. */
export type Input<P extends keyof paths, M extends keyof paths[P]> = Part<
  Parameters<Operation<P, M>>,
  'path'
> &
  Part<Parameters<Operation<P, M>>, 'query'> &
  Body<Operation<P, M>>;

/** What an operation answers. */
export type Answer<P extends keyof paths, M extends keyof paths[P]> =
  Operation<P, M> extends { responses: infer R } ? Json<R[Extract<keyof R, 200 | 201>]> : never;

/** An operation as a method: its input may be left out where no field is needed, and is no argument where there is none. */
export type Call<P extends keyof paths, M extends keyof paths[P]> = (
  ...args: unknown extends Input<P, M>
    ? [options?: CallOptions]
    : object extends Input<P, M>
      ? [input?: Input<P, M>, options?: CallOptions]
      : [input: Input<P, M>, options?: CallOptions]
) => Promise<Answer<P, M>>;

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

/** A refusal of the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Stable code, as `RES_001`. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Fields that are wrong, with what is allowed. */
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, body: ErrorBody) {
    super(`${status}: ${body.message ?? 'no message'}`);
    this.status = status;
    this.code = body.code;
    this.requestId = body.request_id;
    this.details = body.details ?? [];
  }
}

const RETRIES_MAX = 4;
const TIMEOUT_MS = 40_000;
const BACKOFF_MS = 500;
/** Whoever is asked to wait longer, as when the quota of the day is used up, gets the error at once. */
const WAIT_MS_MAX = 60_000;
const TOO_MANY_REQUESTS = 429;
/** Part of the service was away: what writes may have been done all the same. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Milliseconds until the next attempt: as the API asks, else twice as long each time. */
const waitMs = (response: Response | undefined, attempt: number): number => {
  const asked = Number(response?.headers.get('Retry-After')) * 1_000;
  return asked > 0 ? asked : Math.min(WAIT_MS_MAX, BACKOFF_MS * 2 ** attempt);
};

/** Sends requests: splits what was given into path, query and body, repeats what was refused for a while. */
export class BaseClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/$/, '') };
  }

  /** @param queryNames fields of the input that go into the query; absent where the operation takes no input. */
  protected operation<P extends keyof paths, M extends keyof paths[P] & string>(
    method: M,
    path: P,
    queryNames?: readonly string[],
  ): Call<P, M> {
    const call = (input: unknown = {}, options?: CallOptions) =>
      this.#call<Answer<P, M>>(method, path, queryNames ?? [], input, options);
    return (...args: readonly unknown[]) =>
      queryNames ? call(...args) : call({}, args[0] as CallOptions | undefined);
  }

  /** @throws ApiError for an answer from 400 on; the error of `fetch` where none came. */
  async #call<R>(
    method: string,
    path: string,
    queryNames: readonly string[],
    input: unknown,
    options: CallOptions = {},
  ): Promise<R> {
    const given = Object.entries(input as object).filter(([, value]) => value !== undefined);
    const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
    const values = new Map(given);
    const query = new URLSearchParams();
    for (const name of queryNames) {
      if (values.has(name)) query.set(name, String(values.get(name)));
    }
    const body = given.filter(([name]) => !inPath.has(name) && !queryNames.includes(name));
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values.get(name))),
    );
    const hasBody = method === 'post' || method === 'patch';
    const response = await this.send(`${target}${query.size > 0 ? `?${query.toString()}` : ''}`, {
      method: method.toUpperCase(),
      ...(hasBody ? { body: JSON.stringify(Object.fromEntries(body)) } : {}),
      headers: {
        ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        ...(options.idempotencyKey === undefined
          ? {}
          : { 'Idempotency-Key': options.idempotencyKey }),
      },
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
    return (isJson ? await response.json() : await response.text()) as R;
  }

  /**
   * A request of the API with its key, repeated while it is refused for a while.
   * @param isStream whether the time for an attempt ends with the head of the answer: its body may take any time
   */
  protected async send(path: string, init: RequestInit, isStream = false): Promise<Response> {
    const { baseUrl, apiKey, retriesMax = RETRIES_MAX, timeoutMs = TIMEOUT_MS } = this.#options;
    const isSafe = init.method === 'GET' || new Headers(init.headers).has('Idempotency-Key');
    for (let attempt = 0; ; attempt += 1) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error('no answer in time')), timeoutMs).unref();
      let response: Response | undefined;
      try {
        response = await fetch(`${baseUrl}${path}`, {
          ...init,
          headers: { ...(init.headers as Record<string, string>), 'X-API-Key': apiKey },
          signal: AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])]),
        });
        if (isStream) clearTimeout(timer);
        if (response.ok) return response;
      } catch (error) {
        // Whether the request arrived is not known: only one that may arrive twice is sent again.
        if (init.signal?.aborted || !isSafe || attempt >= retriesMax) throw error;
      }
      const isRefusedForNow =
        response?.status === TOO_MANY_REQUESTS ||
        (isSafe &&
          (AWAY_STATUSES.has(response?.status ?? 0) || response?.headers.has('Retry-After')));
      const pauseMs = waitMs(response, attempt);
      if (response && (!isRefusedForNow || attempt >= retriesMax || pauseMs > WAIT_MS_MAX)) {
        throw new ApiError(response.status, (await response.json().catch(() => ({}))) as ErrorBody);
      }
      await response?.body?.cancel();
      await sleep(pauseMs, undefined, init.signal ? { signal: init.signal } : {});
    }
  }
}
