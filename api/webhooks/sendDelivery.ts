import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook as Signer } from 'standardwebhooks';
import { errorMessage } from '../../shared/runtime/errors.ts';
import { type FindTarget, type Target, TargetRefusal } from './targetAddress.ts';

/** Milliseconds a receiver may take. */
const RECEIVER_MS_MAX = 15_000;
const HEADER_BYTES_MAX = 16 * 1024;
const ERROR_LENGTH_MAX = 200;

/** One attempt to deliver, as it is stored. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number;
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

/** The status of the answer; its body is not read, redirects are not followed. */
const post = (target: Target, outgoing: Outgoing, at: Date): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(RECEIVER_MS_MAX);
    const request = send(target.url, {
      method: 'POST',
      headers: headersOf(outgoing, at),
      lookup: pinned(target),
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal,
    });
    request.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', (error) => {
      reject(signal.aborted ? new Error(`no answer in ${RECEIVER_MS_MAX / 1000} s`) : error);
    });
    request.end(outgoing.payload);
  });

/** Sends one signed event, once. Never rejects for what the receiver does. */
export const createSendDelivery =
  (args: { findTarget: FindTarget; now: () => number }): SendDelivery =>
  async (outgoing) => {
    const startMs = args.now();
    const ended = (result: Omit<Attempt, 'durationMs'>): Attempt => ({
      ...result,
      durationMs: Math.max(0, Math.round(args.now() - startMs)),
    });
    try {
      const target = await args.findTarget(outgoing.url);
      const httpStatus = await post(target, outgoing, new Date(startMs));
      const isDelivered = httpStatus >= 200 && httpStatus < 300;
      return ended({ isDelivered, httpStatus, error: isDelivered ? null : 'non-2xx' });
    } catch (error) {
      const prefix = error instanceof TargetRefusal ? 'url ' : '';
      const text = `${prefix}${errorMessage(error)}`.slice(0, ERROR_LENGTH_MAX);
      return ended({ isDelivered: false, httpStatus: null, error: text });
    }
  };
