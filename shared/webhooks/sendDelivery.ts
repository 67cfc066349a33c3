import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook as Signer } from 'standardwebhooks';
import { errorMessage } from '../platform/errors.ts';
import { type FindTarget, type Target, TargetRefusal } from './targetAddress.ts';

/** Milliseconds an attempt may take, from the look-up of the name to the head of the answer. */
const ATTEMPT_MS_MAX = 15_000;
const HEADER_BYTES_MAX = 16 * 1024;
const ERROR_LENGTH_MAX = 200;

/** One attempt to deliver, as it is stored. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Milliseconds the receiver asked to be left alone for. */
  readonly retryAfterMs: number | null;
}

/** What is sent where. Secrets are in the clear, the newest first. */
export interface Outgoing {
  readonly url: string;
  readonly eventId: string;
  readonly payload: string;
  readonly secrets: readonly string[];
}

export type SendDelivery = (outgoing: Outgoing) => Promise<Attempt>;

/** Connects to the address that was checked, whatever the resolver says now. */
const pinned =
  ({ address, family }: Target): LookupFunction =>
  (_host, options, callback) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };

const headersOf = ({ eventId, payload, secrets }: Outgoing, at: Date): Record<string, string> => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(payload)),
  'User-Agent': 'TSD-Webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets
    .map((secret) => new Signer(secret).sign(eventId, at, payload))
    .join(' '),
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
}

/**
 * The head of the answer; its body is not read, redirects are not followed. Without an agent: a
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
    request.once('response', (response) => {
      resolve({
        httpStatus: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'],
      });
      response.destroy();
    });
    // Answers that are none, such as a switch of protocols, end in neither of the other events.
    request.once('upgrade', (_response, socket) => socket.destroy());
    request.once('close', () => reject(new Error('connection closed without an answer')));
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

/** Sends one signed event, once. Never rejects for what the receiver does. */
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
      const { httpStatus, retryAfter } = await post(target, outgoing, { at, signal });
      const isDelivered = httpStatus >= 200 && httpStatus < 300;
      return ended({
        isDelivered,
        httpStatus,
        error: isDelivered ? null : 'non-2xx',
        retryAfterMs: isDelivered ? null : retryAfterMs(retryAfter, args.now()),
      });
    } catch (error) {
      const prefix = error instanceof TargetRefusal ? 'url ' : '';
      const text = signal.aborted
        ? `no answer in ${attemptMsMax / 1000} s`
        : `${prefix}${errorMessage(error)}`.slice(0, ERROR_LENGTH_MAX);
      return ended({ isDelivered: false, httpStatus: null, error: text, retryAfterMs: null });
    }
  };
