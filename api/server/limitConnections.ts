import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup } from './middleware/clientAddress.ts';
import { type ConcurrencyLimit, createSemaphore } from './middleware/concurrency.ts';

/** Milliseconds a refused connection stays, so that its client reads why. */
const LINGER_MS = 1_000;
/** Milliseconds between two rounds that close idle connections. */
const CLOSE_IDLE_EVERY_MS = 1_000;

/** What connections are limited by. */
export interface ConnectionLimits {
  /** Open connections of one address. */
  readonly addressMax: number;
  /** Answers a connection over `addressMax`, and ends it. */
  readonly refuse: (socket: Socket, addressMax: number) => void;
  /** Called for each connection refused. */
  readonly onRefused: (limit: ConcurrencyLimit) => void;
}

/**
 * Bounds the connections of each address. Those over the limit are answered with 429, up to as many again; the others are
 * closed without an answer. Where the server has all it can bear, connections that carry no request are closed.
 */
export const limitConnections = (server: Server, limits: ConnectionLimits): void => {
  const { addressMax, refuse, onRefused } = limits;
  const open = createSemaphore(addressMax);
  const refused = createSemaphore(addressMax);
  server.on('connection', (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress ?? '');
    const release = open.acquire(address);
    if (release) {
      socket.once('close', release);
      return;
    }
    onRefused('address_connections');
    const releaseRefused = refused.acquire(address);
    if (!releaseRefused) {
      socket.destroy();
      return;
    }
    refuse(socket, addressMax);
    const end = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      clearTimeout(end);
      releaseRefused();
    });
  });
  let closedIdleMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    onRefused('connections');
    const nowMs = performance.now();
    if (nowMs - closedIdleMs < CLOSE_IDLE_EVERY_MS) return;
    closedIdleMs = nowMs;
    server.closeIdleConnections();
  });
};
