import type { LookupFunction } from 'node:net';
import { Webhook as Signer } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { errorMessage } from '../platform/errors.ts';
import { type FindTarget, inTime, type Target, TargetRefusal } from './targetAddress.ts';

/** Milliseconds that an attempt may take, from name resolution to the head of the response. */
const ATTEMPT_MS_MAX = 15_000;
const HEADER_BYTES_MAX = 16 * 1024;
const ANSWER_BYTES_MAX = 16 * 1024;
const ERROR_LENGTH_MAX = 200;

/** One delivery attempt, as stored. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Milliseconds that the receiver asked to wait. */
  readonly retryAfterMs: number | null;
  /** Whether the receiver said that it no longer exists. */
  readonly isGone?: boolean;
}

/** The reason that a refusing receiver gives. */
export type Refusal = Pick<Attempt, 'error' | 'retryAfterMs' | 'isGone'>;

/** What to send, and where. */
export interface Outgoing {
  readonly url: string;
  readonly payload: string;
  /** Secrets for the signature in plain text, newest first; absent if the receiver checks no signature. */
  readonly signed?: { readonly eventId: string; readonly secrets: readonly string[] };
  /** Reads the response of a refusing receiver; if absent, no response is read. */
  readonly readRefusal?: (httpStatus: number, answer: string) => Refusal;
}

export type SendDelivery = (outgoing: Outgoing) => Promise<Attempt>;

/** Connects to the address that was checked, whatever the resolver says now. */
const pinned =
  ({ address, family }: Target): LookupFunction =>
  (_host, options, callback) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };

const headersOf = ({ payload, signed }: Outgoing, at: Date): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'TSD-Webhooks/1',
  ...(signed && {
    'webhook-id': signed.eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signed.secrets
      .map((secret) => new Signer(secret).sign(signed.eventId, at, payload))
      .join(' '),
  }),
});

/** Seconds or a date (RFC 9110 section 10.2.3), as milliseconds from now; null for neither. */
const retryAfterMs = (value: string | undefined, nowMs: number): number | null => {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
};

interface Answered {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  /** The beginning of its body; empty if not requested. */
  readonly text: string;
}

/** The beginning of a body; what does not arrive in time is left out. */
const readStart = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // A connection that ends early or too late: what arrived until then counts.
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8');
};

const isSuccess = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300;

/**
 * The head of the response and, for a refusal that is read, the beginning of its body; redirects are not followed.
 * Each attempt has an agent of its own: connections are not reused, so each attempt connects to the address checked
 * for it.
 */
const post = async (
  target: Target,
  outgoing: Outgoing,
  { at, signal }: { at: Date; signal: AbortSignal },
): Promise<Answered> => {
  const dispatcher = new Agent({
    connect: { lookup: pinned(target) },
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  try {
    const { statusCode, headers, body } = await request(target.url, {
      method: 'POST',
      headers: headersOf(outgoing, at),
      body: outgoing.payload,
      dispatcher,
      signal,
    });
    const isRead = outgoing.readRefusal !== undefined && !isSuccess(statusCode);
    const retryAfter = [headers['retry-after']].flat()[0];
    return { httpStatus: statusCode, retryAfter, text: isRead ? await readStart(body) : '' };
  } finally {
    void dispatcher.destroy();
  }
};

/** Sends a request, once. Never rejects because of the receiver. */
export const createSendDelivery =
  (args: {
    findTarget: FindTarget;
    now: () => number;
    /** Milliseconds that an attempt may take; 15 seconds if absent. */
    attemptMsMax?: number;
  }): SendDelivery =>
  async (outgoing) => {
    const startMs = args.now();
    const attemptMsMax = args.attemptMsMax ?? ATTEMPT_MS_MAX;
    const signal = AbortSignal.timeout(attemptMsMax);
    const ended = (result: Omit<Attempt, 'durationMs'>): Attempt => ({
      ...result,
      durationMs: Math.max(0, Math.round(args.now() - startMs)),
    });
    try {
      const target = await inTime(args.findTarget(outgoing.url), signal);
      const at = new Date(startMs);
      const { httpStatus, retryAfter, text } = await post(target, outgoing, { at, signal });
      if (isSuccess(httpStatus)) {
        return ended({ isDelivered: true, httpStatus, error: null, retryAfterMs: null });
      }
      const refusal = outgoing.readRefusal?.(httpStatus, text);
      const askedMs = retryAfterMs(retryAfter, args.now());
      return ended({
        isDelivered: false,
        httpStatus,
        error: 'non-2xx',
        ...refusal,
        retryAfterMs: refusal?.retryAfterMs ?? askedMs,
      });
    } catch (error) {
      const prefix = error instanceof TargetRefusal ? 'url ' : '';
      const text = signal.aborted
        ? `no answer in ${attemptMsMax / 1000} s`
        : `${prefix}${errorMessage(error)}`.slice(0, ERROR_LENGTH_MAX);
      return ended({ isDelivered: false, httpStatus: null, error: text, retryAfterMs: null });
    }
  };
