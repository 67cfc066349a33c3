import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startHttp } from '../../testing/startHttp.ts';
import { createHttpPost, type HttpPost, type HttpPostOptions } from './httpPost.ts';
import { RpcError, type RpcFailure } from './rpcError.ts';

const LIMITS = { timeoutMs: 60_000, answerBytesMax: 1_000_000 };
/** Time limits for a node that must be given up; the others have enough time on any machine. */
const GIVEN_UP_MS = 300;

describe('posting to a node', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  const setup = async (
    reply: (request: IncomingMessage, response: ServerResponse) => void,
    options: HttpPostOptions = LIMITS,
    login = '',
  ): Promise<HttpPost> => {
    const server = await startHttp(reply);
    const at = server.origin.replace('//', `//${login}`);
    const http = createHttpPost(`${at}/path?key=1`, options);
    closing.push(
      () => http.close(),
      () => server.close(),
    );
    return http;
  };
  const failsAs = (failure: RpcFailure, text: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RpcError);
    assert.equal(error.failure, failure);
    assert.match(error.message, text);
    return true;
  };

  it('sends path, body type and credentials, and reads status, body and the time to wait', async () => {
    let seen: IncomingMessage | undefined;
    const reply = (request: IncomingMessage, response: ServerResponse): void => {
      seen = request;
      response.writeHead(429, { 'retry-after': '7' }).end('later');
    };
    const http = await setup(reply, LIMITS, 'me:p%40ss@');
    assert.deepEqual(await http.post('{}'), { status: 429, body: 'later', retryAfterMs: 7_000 });
    assert.equal(seen?.url, '/path?key=1');
    assert.equal(seen?.headers['content-type'], 'application/json');
    const login = Buffer.from('me:p@ss').toString('base64');
    assert.equal(seen?.headers.authorization, `Basic ${login}`);
  });

  it('keeps connections, and sends again when a kept one is closed before the answer', async () => {
    const sockets = new Set<Socket>();
    let closesNext = false;
    const http = await setup((request, response) => {
      sockets.add(request.socket);
      if (!closesNext) return void response.end('answer');
      closesNext = false;
      request.socket.destroy();
    });
    for (let i = 0; i < 6; i += 1) await http.post('{}');
    // A connection is free again only one turn of the event loop after its answer.
    assert.ok(sockets.size <= 2, `${sockets.size} connections`);
    closesNext = true;
    assert.equal((await http.post('{}')).body, 'answer');
    assert.equal(closesNext, false);
  });

  it('gives up on a node that closes every connection', async () => {
    let requests = 0;
    const http = await setup((request) => {
      requests += 1;
      request.socket.destroy();
    });
    await assert.rejects(http.post('{}'), failsAs('unreachable', /127\.0\.0\.1:\d+/));
    assert.equal(requests, 2);
  });

  it('limits the time to the last byte', async () => {
    const http = await setup(
      (_request, response) => {
        response.write('{');
        const dripping = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(dripping));
      },
      { ...LIMITS, timeoutMs: GIVEN_UP_MS },
    );
    await assert.rejects(
      http.post('{}'),
      failsAs('incomplete', /no complete answer within 300 ms/),
    );
  });

  it('limits bytes after decompression', async () => {
    const http = await setup((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(3_000_000)));
    });
    await assert.rejects(http.post('{}'), failsAs('answerTooLarge', /over 1000000 bytes/));
  });

  it('reads compressed answers, and refuses those cut off', async () => {
    const body = 'x'.repeat(100_000);
    let cutAt: number | undefined;
    const http = await setup((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(body).subarray(0, cutAt));
    });
    assert.equal((await http.post('{}')).body, body);
    cutAt = 50;
    await assert.rejects(http.post('{}'), failsAs('incomplete', /unexpected end/));
  });

  it('refuses an answer whose connection ends early', async () => {
    const http = await setup((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    await assert.rejects(http.post('{}'), failsAs('incomplete', /./));
  });
});
