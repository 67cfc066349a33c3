import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from './tcpProxy.ts';

/** Long enough for an answer on this machine, were there one. */
const SILENCE_MS = 200;

describe('a proxy that disturbs', () => {
  let echo: Server;
  let proxy: TcpProxy;
  const clients: Socket[] = [];
  const open = (): Socket => {
    const client = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port) });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const say = async (client: Socket, text: string): Promise<string> => {
    client.write(text);
    const [data] = (await once(client, 'data')) as [Buffer];
    return data.toString();
  };
  const failure = async (client: Socket): Promise<string> => {
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
    return error.code ?? '';
  };

  before(async () => {
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  beforeEach(async () => {
    proxy = await startTcpProxy(
      `nats://user:word@127.0.0.1:${(echo.address() as AddressInfo).port}/base`,
    );
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await proxy.close();
  });
  after(() => echo.close());

  it('passes on, under the same URL but for the port', async () => {
    assert.equal(await say(open(), 'hello'), 'hello');
    assert.match(proxy.url, /^nats:\/\/user:word@127\.0\.0\.1:\d+\/base$/);
  });

  it('refuses, then is there again on the same port', async () => {
    const client = open();
    await say(client, 'hello');
    const ended = once(client, 'close');
    await proxy.setFault('refused');
    await ended;
    assert.equal(await failure(open()), 'ECONNREFUSED');
    await proxy.setFault('none');
    assert.equal(await say(open(), 'again'), 'again');
  });

  it('hangs on old and new connections, which go on afterwards', async () => {
    const old = open();
    await say(old, 'hello');
    await proxy.setFault('hanging');
    const fresh = open();
    await once(fresh, 'connect');
    let received = '';
    for (const client of [old, fresh]) {
      client.on('data', (data: Buffer) => (received += data.toString()));
      client.write('x');
    }
    await sleep(SILENCE_MS);
    assert.equal(received, '');
    const answers = [once(old, 'data'), once(fresh, 'data')];
    await proxy.setFault('none');
    await Promise.all(answers);
    assert.equal(received, 'xx');
  });

  it('resets old and new connections', async () => {
    const old = open();
    await say(old, 'hello');
    const broken = failure(old);
    await proxy.setFault('reset');
    assert.equal(await broken, 'ECONNRESET');
    assert.equal(await failure(open()), 'ECONNRESET');
    await proxy.setFault('none');
    assert.equal(await say(open(), 'again'), 'again');
  });
});
