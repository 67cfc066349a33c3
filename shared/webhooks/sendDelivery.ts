import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook as Signer } from 'standardwebhooks';
import { errorMessage } from '../platform/errors.ts';
import { type FindTarget, type Target, TargetRefusal } from './targetAddress.ts';

/** Milliseconds an attempt may take, from the look-up of the name to the head of the answer. */
const ATTEMPT_MS_MAX = 15_000;
const HEADER_BYTES_MAX = 16 * 1024;
const ANSWER_BYTES_MAX = 16 * 1024;
const ERROR_LENGTH_MAX = 200;

/** One attempt to deliver, as it is stored. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Milliseconds the receiver asked to be left alone for. */
  readonly retryAfterMs: number | null;
  /** Whether the receiver said that nothing can be sent to it ever again. */
  readonly isGone?: boolean;
}

/** What a receiver says when it takes nothing. */
export type Refusal = Pick<Attempt, 'error' | 'retryAfterMs' | 'isGone'>;

/** What is sent where. */
export interface Outgoing {
  readonly url: string;
  readonly payload: string;
  /** What signs it, secrets in the clear, the newest first; absent where the receiver checks no signature. */
  readonly signed?: { readonly eventId: string; readonly secrets: readonly string[] };
  /** Reads the answer of a receiver that takes nothing; where absent, no answer is read. */
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
  'Content-Length': String(Buffer.byteLength(payload)),
  'User-Agent': 'TSD-Webhooks/1',
  ...(signed && {
    'webhook-id': signed.eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signed.secrets
      .map((secret) => new Signer(secret).sign(signed.eventId, at, payload))
      .join(' '),
  }),
});

/** Seconds or a date (RFC 9110 10.2.3), as milliseconds from now; null for neither. */
const retryAfterMs = (value: string | undefined, nowMs: number): number | null => {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
};

/** What of an answer counts. */
interface Answered {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  /** The beginning of its body; empty where it is not asked for. */
  readonly text: string;
}

/** The beginning of a body; what does not come in time is left out. */
const readStart = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // A connection that ends early, or too late: what came until then counts.
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8');
};

const isSuccess = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300;

/**
 * The head of the answer, and of a refusal that is read its beginning; redirects are not followed. Without an agent: a
 * connection is never used again, so that it always leads to the address checked for this attempt.
 */
const post = (
  target: Target,
  outgoing: Outgoing,
  { at, signal }: { at: Date; signal: AbortSignal },
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const send = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target.url, {
      method: 'POST',
      headers: headersOf(outgoing, at),
      lookup: pinned(target),
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal,
    });
    const onClose = (): void => reject(new Error('connection closed without an answer'));
    request.once('response', (response) => {
      request.off('close', onClose);
      const httpStatus = response.statusCode ?? 0;
      const answer = (text: string): void => {
        resolve({ httpStatus, retryAfter: response.headers['retry-after'], text });
        response.destroy();
      };
      if (outgoing.readRefusal && !isSuccess(httpStatus)) void readStart(response).then(answer);
      else answer('');
    });
    // Answers that are none, such as a switch of protocols, end in neither of the other events.
    request.once('upgrade', (_response, socket) => socket.destroy());
    request.once('close', onClose);
    request.on('error', reject);
    request.end(outgoing.payload);
  });

/** Rejects when the signal aborts, whatever becomes of the work. */
const inTime = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('too late'));
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** Sends something, once. Never rejects for what the receiver does. */
export const createSendDelivery =
  (args: {
    findTarget: FindTarget;
    now: () => number;
    /** Milliseconds an attempt may take; 15 seconds where absent. */
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
