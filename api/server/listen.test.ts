import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { addressOf, createFakePorts } from '../testing/fakePorts.ts';
import { errorSchema } from './apiError.ts';
import { createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';

const HOST = 'Host: api.test\r\n';

describe('an address or port that cannot be used', () => {
  it('stops the process by a message that names the settings', async () => {
    const app = createApp(createFakePorts().ports);
    const taken = await listen(app, { host: '127.0.0.1', port: 0 });
    for (const where of [
      { host: '127.0.0.1', port: taken.port },
      { host: '192.0.2.1', port: 0 },
    ]) {
      const expected = { name: 'FatalError', message: /^HOST or PORT: listen EADDR/ };
      await assert.rejects(listen(app, where), expected);
    }
    await taken.close();
  });
});

describe('the connections of one address', () => {
  it('are bounded: more get an answer that says so and are closed, and a closed one makes room', async () => {
    const refused: string[] = [];
    const listening = await listen(createApp(createFakePorts().ports), {
      host: '127.0.0.1',
      port: 0,
      addressConnectionsMax: 2,
      onRefused: (limit) => refused.push(limit),
    });
    const open = (localAddress: string) => {
      const socket = connect({ port: listening.port, host: '127.0.0.1', localAddress });
      let received = '';
      socket.on('data', (data) => (received += data));
      const closed = new Promise<string>((resolve) => {
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(received));
      });
      return { socket, closed };
    };
    const ask = (localAddress: string): Promise<string> => {
      const { socket, closed } = open(localAddress);
      socket.write(`GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      return closed;
    };
    const held = [open('127.0.0.2'), open('127.0.0.2')];
    await Promise.all(held.map(({ socket }) => new Promise((go) => socket.once('connect', go))));
    const answer = await ask('127.0.0.2');
    assert.match(answer, /^HTTP\/1\.1 429 Too Many Requests\r\n/);
    assert.match(answer, /\r\nRetry-After: 1\r\n/);
    errorSchema.strict().parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
    assert.deepEqual(refused, ['address_connections']);
    assert.match(await ask('127.0.0.1'), /^HTTP\/1\.1 200 /);
    for (const { socket } of held) socket.destroy();
    // The server notices the end of a connection slightly later than its client.
    let again = await ask('127.0.0.2');
    for (let round = 0; round < 50 && !again.startsWith('HTTP/1.1 200 '); round += 1) {
      again = await ask('127.0.0.2');
    }
    assert.match(again, /^HTTP\/1\.1 200 /);
    await listening.close();
  });

  it('are closed where an answer is not taken', async () => {
    const { ports } = createFakePorts();
    const listening = await listen(createApp(ports), {
      host: '127.0.0.1',
      port: 0,
      stalledMsMax: 100,
    });
    const socket = connect(listening.port, '127.0.0.1');
    socket.on('error', () => undefined);
    // Many responses of megabytes fill the kernel's buffers of a connection.
    const request = `GET /redoc/redoc.js HTTP/1.1\r\n${HOST}\r\n`;
    const ended = new Promise((resolve) =>
      listening.server.once('connection', (served) => served.once('close', resolve)),
    );
    socket.pause();
    socket.write(request.repeat(20));
    await ended;
    socket.destroy();
    await listening.close();
  });
});

describe('the server', () => {
  const { ports, keys } = createFakePorts();
  const { key } = keys.add();
  let listening: Listening;
  /** A server with time limits so short that a busy machine may not keep them. */
  let impatient: Listening;
  before(async () => {
    const place = { host: '127.0.0.1', port: 0 };
    const limits = { headersMsMax: 100, requestMsMax: 200, checkMs: 20 };
    listening = await listen(createApp(ports), place);
    impatient = await listen(createApp(ports), { ...place, ...limits });
  });
  after(() => Promise.all([listening.close(), impatient.close()]));

  /** The response to these bytes until the server closes the connection. */
  const send = (text: string, { port } = listening): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.on('data', (data) => (received += data));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
  const assertRefused = (answer: string, status: number, message = /./): void => {
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer);
    const body = errorSchema.strict().parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
    assert.equal(body.code, 'REQ_001');
    assert.match(body.message, message);
  };

  it('gives up on headers that do not end in time', async () => {
    const head = `GET /stats HTTP/1.1\r\n${HOST}X-API-Key: `;
    assertRefused(await send(head, impatient), 408, /in time/);
  });

  it('gives up on a body that does not arrive in time', async () => {
    const head = `POST /tokens/analyze HTTP/1.1\r\n${HOST}X-API-Key: ${key}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a';
    assertRefused(await send(`${head}${body}`, impatient), 408, /in time/);
  });

  it('refuses headers that are too many or too long, tunnels, requests without a host and what is no HTTP', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `X-${index}: 1\r\n`).join('');
    assertRefused(
      await send(`GET /stats HTTP/1.1\r\n${HOST}${many}\r\n`),
      431,
      /headers .* at most 100/,
    );
    assertRefused(
      await send(`GET /stats HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`),
      431,
      /together 16384 bytes/,
    );
    assertRefused(await send(`CONNECT evil.test:80 HTTP/1.1\r\n${HOST}\r\n`), 400);
    assertRefused(await send('GET /stats HTTP/1.1\r\n\r\n'), 400);
    assertRefused(await send(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`), 431);
    assertRefused(await send('\u0000\u0001 nonsense\r\n\r\n'), 400);
  });

  it('refuses a request that leaves open whom it is for or from', async () => {
    const get = (lines: string, version = '1.1') =>
      send(`GET /stats HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`);
    const once = `${HOST}X-API-Key: ${key}\r\n`;
    assert.match(await get(once), /^HTTP\/1\.1 200 OK/);
    assert.match(await get(`Host: [::1]:8080\r\nX-API-Key: ${key}\r\n`), /^HTTP\/1\.1 200 OK/);
    assert.match(await get(`X-API-Key: ${key}\r\n`, '1.0'), /^HTTP\/1\.1 200 OK/);
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n';
    for (const lines of [
      `${once}Host: evil.test\r\n`,
      `${once}${HOST}`,
      `Host:\r\nX-API-Key: ${key}\r\n`,
      `Host: a b\r\nX-API-Key: ${key}\r\n`,
      `Host: evil.test/path\r\nX-API-Key: ${key}\r\n`,
      `Host: user@evil.test\r\nX-API-Key: ${key}\r\n`,
      `${once}x-api-key: ${key}\r\n`,
      `${HOST}Authorization: Bearer ${key}\r\nAuthorization: Bearer other\r\n`,
      `${once}${body}Content-Length: 3\r\n`,
      `${once}${body}Content-Length: 2\r\n`,
      `${once}${body}Transfer-Encoding: chunked\r\n`,
      `${once}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n`,
      `${once}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
      `${once}${body}Content-Type: text/plain\r\n`,
    ]) {
      assertRefused(await get(lines), 400);
    }
    assertRefused(await get(`${HOST}Host: evil.test\r\n`, '1.0'), 400);
    const twice = await get(`${once}Host: evil.test\r\n`);
    assert.match(twice, /"message":"header: Host must be sent once"/);
  });

  it('answers whatever a client expects or accepts: there is one representation', async () => {
    const close = 'Connection: close\r\n\r\n';
    const head = `GET /stats HTTP/1.1\r\n${HOST}X-API-Key: ${key}\r\n`;
    for (const line of ['Expect: nonsense', 'Accept: text/xml', 'Accept: image/*;q=0']) {
      const answer = await send(`${head}${line}\r\n${close}`);
      assert.match(answer, /^HTTP\/1\.1 200 OK/);
      assert.match(answer, /content-type: application\/json/i);
    }
  });

  it('compresses as the client prefers', async () => {
    const url = `http://127.0.0.1:${listening.port}/tokens/${addressOf(1)}`;
    const cases = [
      ['gzip', 'gzip'],
      ['br, gzip', 'br'],
      ['gzip;q=1, br;q=0.1', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
      ['deflate', null],
    ] as const;
    for (const [accepted, expected] of cases) {
      const headers = { 'X-API-Key': key, 'Accept-Encoding': accepted };
      const answer = await fetch(url, { headers });
      const { data } = (await answer.json()) as { data: { address: string } };
      assert.equal(data.address, addressOf(1));
      assert.equal(answer.headers.get('Content-Encoding'), expected, accepted);
      assert.match(answer.headers.get('Vary') ?? '', /Accept-Encoding/);
    }
  });
});
