import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** What answers a request. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Maximum bytes of a client's message. */
const MESSAGE_BYTES_MAX = 16 * 1024;
const PROTOCOL = 'tsd.v1';

/**
 * The response to an upgrade request. The application handles it like any other request; if it accepts, it stores
 * here who takes over the socket.
 */
export class UpgradeResponse extends ServerResponse {
  accept: ((socket: WebSocket) => void) | undefined;
}

/** Handles an upgrade by passing the request to the application first. */
export type Upgrade = (
  handle: RequestListener,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void>;

/** WebSockets on the server of the application. */
export const createUpgrade = (): Upgrade => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    // A key sent as a protocol is never echoed.
    handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
  });
  return async (handle, request, socket, head) => {
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    const response = new UpgradeResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.once('finish', () => socket.end());
    await handle(request, response);
    const { accept } = response;
    if (!accept) return;
    response.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]);
    if (socket.destroyed) return;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', ignore);
      accept(webSocket);
    });
  };
};
