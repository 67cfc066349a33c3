import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';
import { errorSchema } from './schema/errors.ts';
import { addressOf, createFakePorts } from './testing/fakePorts.ts';

const HOST = 'Host: api.test\r\n';

describe('the server', () => {
  const { ports, keys } = createFakePorts();
  const { key } = keys.add();
  let listening: Listening;
  before(async () => {
    listening = await listen(createApp(ports), {
      host: '127.0.0.1',
      port: 0,
      headersMsMax: 100,
      requestMsMax: 200,
      checkMs: 20,
    });
  });
  after(() => listening.close());

  /** What comes back for these bytes until the server ends the connection. */
  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(listening.port, '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.on('data', (data) => (received += data));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
  const assertRefused = (answer: string, status: number): void => {
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer);
    const body = errorSchema.strict().parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
    assert.equal(body.code, 'REQ_001');
  };

  it('gives up on headers that do not end in time', async () => {
    assertRefused(await send(`GET /stats HTTP/1.1\r\n${HOST}X-API-Key: `), 408);
  });

  it('gives up on a body that does not arrive in time', async () => {
    const head = `POST /tokens/analyze HTTP/1.1\r\n${HOST}X-API-Key: ${key}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a';
    assertRefused(await send(`${head}${body}`), 408);
  });

  it('refuses headers that are too many or too long, tunnels and requests without a host', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `X-${index}: 1\r\n`).join('');
    assertRefused(await send(`GET /stats HTTP/1.1\r\n${HOST}${many}\r\n`), 431);
    assertRefused(
      await send(`GET /stats HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`),
      431,
    );
    assertRefused(await send(`CONNECT evil.test:80 HTTP/1.1\r\n${HOST}\r\n`), 400);
    assertRefused(await send('GET /stats HTTP/1.1\r\n\r\n'), 400);
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
