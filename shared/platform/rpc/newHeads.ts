import { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { errorMessage } from '../errors.ts';
import type { Logger } from '../logger.ts';

/** Maximum bytes of one WebSocket message: a header has about 2 KiB. */
const MESSAGE_BYTES_MAX = 1024 * 1024;
const OPEN_TIMEOUT_MS = 5_000;
/** A connection that answers no ping for this long is dead. */
const PING_EVERY_MS = 15_000;
const RECONNECT_MS_MIN = 250;
const RECONNECT_MS_MAX = 30_000;
const SUBSCRIBE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_subscribe',
  params: ['newHeads'],
});

export interface NewHeadsOptions {
  /** `ws://` or `wss://`. Only its host is logged. */
  readonly url: string;
  /** Called for every message about a head. Its content is ignored. */
  readonly onHead: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One connection: resolves when it ends, with whether any head arrived. */
const listen = (
  { url, onHead }: NewHeadsOptions,
  signal: AbortSignal,
): Promise<{ heads: number; reason: string }> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, {
      handshakeTimeout: OPEN_TIMEOUT_MS,
      maxPayload: MESSAGE_BYTES_MAX,
    });
    let heads = 0;
    let alive = true;
    let reason = 'closed';
    const ping = setInterval(() => {
      if (!alive) return socket.terminate();
      alive = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, PING_EVERY_MS);
    const stop = (): void => socket.terminate();
    signal.addEventListener('abort', stop);
    socket.on('open', () => socket.send(SUBSCRIBE));
    socket.on('pong', () => {
      alive = true;
    });
    socket.on('message', (data) => {
      alive = true;
      // The message kind is in its text; this client never delivers fragments separately.
      if (!(data instanceof Buffer) || !data.includes('eth_subscription')) return;
      heads += 1;
      onHead();
    });
    socket.on('error', (error) => {
      reason = errorMessage(error);
    });
    socket.on('close', () => {
      clearInterval(ping);
      signal.removeEventListener('abort', stop);
      resolve({ heads, reason });
    });
  });

/** Listens for heads until `signal` aborts, reconnecting with growing pauses. Never rejects. */
export const listenNewHeads = async (
  options: NewHeadsOptions,
  signal: AbortSignal,
): Promise<void> => {
  const { url, clock, logger } = options;
  const node = new URL(url).host;
  let failures = 0;
  while (!signal.aborted) {
    const { heads, reason } = await listen(options, signal);
    if (signal.aborted) return;
    failures = heads > 0 ? 1 : failures + 1;
    if (failures === 1) logger.warn({ node, reason }, 'no heads by WebSocket for now: polling');
    await clock.sleep(Math.min(RECONNECT_MS_MIN * 2 ** failures, RECONNECT_MS_MAX), signal);
  }
};
