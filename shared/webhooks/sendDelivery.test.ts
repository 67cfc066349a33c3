import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createSecretBox } from './secretBox.ts';
import { createSendDelivery } from './sendDelivery.ts';
import { createFindTarget } from './targetAddress.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('createSendDelivery', () => {
  let server: Server;
  let port: number;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let received: { headers: IncomingMessage['headers']; body: string }[] = [];
  before(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const setup = (respond: typeof answer) => {
    answer = respond;
    received = [];
    const secrets = [newSecret(), newSecret()];
    const send = createSendDelivery({
      now: () => Date.now(),
      // Only what was checked may be connected to: the name itself does not exist.
      findTarget: createFindTarget({
        allowPrivate: true,
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      }),
    });
    const url = `http://receiver.invalid:${port}/hook`;
    const deliver = (changes: { url?: string } = {}) =>
      send({ url, eventId: 'msg_1', payload: '{"type":"webhook.test"}', secrets, ...changes });
    return { deliver, secrets };
  };

  it('signs for every valid secret and connects to the checked address', async () => {
    const { deliver, secrets } = setup((_, response) => response.end('{"ok":true}'));
    const attempt = await deliver();
    assert.deepEqual([attempt.isDelivered, attempt.httpStatus, attempt.error], [true, 200, null]);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    assert.equal(headers['user-agent'], 'TSD-Webhooks/1');
    assert.equal(headers.host, `receiver.invalid:${port}`);
    for (const secret of secrets) {
      assert.deepEqual(new Verifier(secret).verify(body, headers as Record<string, string>), {
        type: 'webhook.test',
      });
    }
    assert.throws(() => new Verifier(newSecret()).verify(body, headers as Record<string, string>));
  });

  it('counts other statuses as failures and follows no redirect', async () => {
    const { deliver } = setup((_, response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${port}/elsewhere` }).end();
    });
    const attempt = await deliver();
    assert.deepEqual(
      [attempt.isDelivered, attempt.httpStatus, attempt.error, received.length],
      [false, 302, 'non-2xx', 1],
    );
  });

  it('does not read what the receiver says', async () => {
    const { deliver } = setup((_, response) => {
      response.writeHead(200);
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood);
      flood();
    });
    assert.equal((await deliver()).isDelivered, true);
  });

  it('tells why a receiver cannot be reached', async () => {
    const { deliver } = setup((request) => request.socket.destroy());
    const cut = await deliver();
    assert.deepEqual([cut.isDelivered, cut.httpStatus], [false, null]);
    assert.match(cut.error ?? '', /socket hang up|ECONNRESET/);
    const refused = await deliver({ url: 'gopher://receiver.invalid/' });
    assert.equal(refused.error, 'url must begin with https://');
  });

  it('gives up on endless headers', async () => {
    const { deliver } = setup((request) => {
      request.socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`);
    });
    assert.equal((await deliver()).isDelivered, false);
  });
});

describe('createSecretBox', () => {
  const box = createSecretBox('pepper');

  it('opens what it sealed, which never looks the same twice', () => {
    const sealed = box.seal('whsec_x', 'wh_1');
    assert.ok(!sealed.includes('whsec'));
    assert.notEqual(box.seal('whsec_x', 'wh_1'), sealed);
    assert.equal(box.open(sealed, 'wh_1'), 'whsec_x');
  });

  it('opens nothing for another name, with another key, or after a change', () => {
    const sealed = box.seal('whsec_x', 'wh_1');
    assert.throws(() => box.open(sealed, 'wh_2'));
    assert.throws(() => createSecretBox('other').open(sealed, 'wh_1'));
    assert.throws(() => box.open(`${sealed.slice(0, -4)}AAA=`, 'wh_1'));
    assert.throws(() => box.open('v0.AAAA', 'wh_1'));
  });
});
