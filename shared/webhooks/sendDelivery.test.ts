import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createSecretBox } from '../platform/secretBox.ts';
import { type HttpServer, startHttp } from '../testing/startHttp.ts';
import { createSendDelivery } from './sendDelivery.ts';
import { createFindTarget, type Resolve } from './targetAddress.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('createSendDelivery', () => {
  let server: HttpServer;
  let answer: Parameters<typeof startHttp>[0];
  before(async () => {
    server = await startHttp((...asked) => answer(...asked));
  });
  after(() => server.close());

  const setup = (respond: typeof answer) => {
    answer = respond;
    server.received.length = 0;
    const secrets = [newSecret(), newSecret()];
    const send = createSendDelivery({
      now: () => Date.now(),
      // Only what was checked may be connected to: the name itself does not exist.
      findTarget: createFindTarget({
        allowPrivate: true,
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      }),
    });
    const url = `${server.origin.replace('127.0.0.1', 'receiver.invalid')}/hook`;
    const deliver = (changes: { url?: string } = {}) =>
      send({
        url,
        payload: '{"type":"webhook.test"}',
        signed: { eventId: 'msg_1', secrets },
        ...changes,
      });
    return { deliver, secrets };
  };

  it('signs for every valid secret and connects to the checked address', async () => {
    const { deliver, secrets } = setup((_, response) => response.end('{"ok":true}'));
    const attempt = await deliver();
    assert.deepEqual([attempt.isDelivered, attempt.httpStatus, attempt.error], [true, 200, null]);
    const [request] = server.received;
    assert.ok(request);
    const { headers, body } = request;
    assert.equal(headers['user-agent'], 'TSD-Webhooks/1');
    assert.equal(
      headers['host'],
      new URL(server.origin).host.replace('127.0.0.1', 'receiver.invalid'),
    );
    for (const secret of secrets) {
      assert.deepEqual(new Verifier(secret).verify(body, headers), {
        type: 'webhook.test',
      });
    }
    assert.throws(() => new Verifier(newSecret()).verify(body, headers));
  });

  it('counts other statuses as failures and follows no redirect', async () => {
    const { deliver } = setup((_, response) => {
      response.writeHead(302, { Location: `${server.origin}/elsewhere` }).end();
    });
    const attempt = await deliver();
    assert.deepEqual(
      [attempt.isDelivered, attempt.httpStatus, attempt.error, server.received.length],
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

  it('says why a receiver cannot be reached', async () => {
    const { deliver } = setup((request) => request.socket.destroy());
    const cut = await deliver();
    assert.deepEqual([cut.isDelivered, cut.httpStatus], [false, null]);
    assert.match(cut.error ?? '', /other side closed|ECONNRESET/);
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

describe('createSendDelivery against hostile receivers', () => {
  /** For receivers that are to be given up on; the others have time on any machine. */
  const GIVEN_UP_MS = 300;
  const ATTEMPT_MS_MAX = 60_000;
  const closing: (() => void)[] = [];
  after(() => {
    for (const close of closing) close();
  });
  /** A server that speaks no HTTP of its own accord. */
  const startRaw = async (onData: (socket: Socket) => void): Promise<number> => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => onData(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const sendTo = (
    port: number,
    resolve: Resolve = loopback,
    allowPrivate = true,
    attemptMsMax = ATTEMPT_MS_MAX,
  ) =>
    createSendDelivery({
      now: () => Date.now(),
      findTarget: createFindTarget({ allowPrivate, resolve }),
      attemptMsMax,
    })({
      url: allowPrivate ? `http://receiver.invalid:${port}/` : 'https://receiver.invalid/',
      payload: '{}',
      signed: { eventId: 'msg_1', secrets: [newSecret()] },
    });
  const loopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];

  it('ends every attempt in time, whatever is dripped', async () => {
    const drip = (text: string) => (socket: Socket) => {
      socket.write(text);
      const timer = setInterval(() => socket.write('a'), 10);
      socket.on('close', () => clearInterval(timer));
    };
    const answers = [
      () => undefined,
      drip('HTTP/1.1 200 '),
      drip('HTTP/1.1 200 OK\r\na: '),
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ];
    for (const answer of answers) {
      const made = await sendTo(await startRaw(answer), loopback, true, GIVEN_UP_MS);
      assert.deepEqual([made.isDelivered, made.error], [false, 'no answer in 0.3 s']);
    }
    const hanging: Resolve = () => new Promise(() => undefined);
    const unresolved = await sendTo(1, hanging, true, GIVEN_UP_MS);
    assert.equal(unresolved.error, 'no answer in 0.3 s');
  });

  it('takes a switch of protocols, garbage and a reset for what they are', async () => {
    const switching = await startRaw((socket) =>
      socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    const garbage = await startRaw((socket) => socket.end('what\r\n\r\n'));
    const reset = await startRaw((socket) => socket.resetAndDestroy());
    for (const port of [switching, garbage, reset]) {
      const made = await sendTo(port);
      assert.deepEqual([made.isDelivered, made.httpStatus], [false, null]);
      assert.ok(made.error);
    }
  });

  it('connects where it has looked, although the name leads elsewhere a moment later', async () => {
    let asked = 0;
    let reached = 0;
    const port = await startRaw((socket) => {
      reached += 1;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const changing: Resolve = async () => {
      asked += 1;
      // The second answer is never asked for: it would lead to nothing.
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    assert.equal((await sendTo(port, changing)).isDelivered, true);
    assert.deepEqual([asked, reached], [1, 1]);
    const refused = await sendTo(port, loopback, false);
    assert.match(refused.error ?? '', /private, local or reserved/);
    const mapped: Resolve = async () => [{ address: '::ffff:127.0.0.1', family: 6 }];
    assert.match((await sendTo(port, mapped, false)).error ?? '', /private, local or reserved/);
    assert.equal(reached, 1);
  });

  it('reads Retry-After as seconds and as a date', async () => {
    const asking = (value: string) =>
      startRaw((socket) =>
        socket.end(
          `HTTP/1.1 503 X\r\nRetry-After: ${value}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        ),
      );
    assert.equal((await sendTo(await asking('7'))).retryAfterMs, 7_000);
    const date = new Date(Date.now() + 60_000).toUTCString();
    const byDate = (await sendTo(await asking(date))).retryAfterMs ?? 0;
    assert.ok(byDate > 50_000 && byDate <= 60_000);
    assert.equal((await sendTo(await asking('soon'))).retryAfterMs, null);
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
