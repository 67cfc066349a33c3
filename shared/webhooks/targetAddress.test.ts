import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { describe, it } from 'node:test';
import {
  createFindTarget,
  createResolve,
  isPublicAddress,
  TargetRefusal,
} from './targetAddress.ts';

describe('isPublicAddress', () => {
  it('accepts addresses of the public internet', () => {
    for (const address of ['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111']) {
      assert.ok(isPublicAddress(address), address);
    }
  });

  it('refuses private, local, shared, reserved and embedded ones', () => {
    const v4 =
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255';
    const v6 =
      ':: ::1 ::ffff:127.0.0.1 ::ffff:a00:1 ::127.0.0.1 64:ff9b::a00:1 fe80::1 fc00::1 fec0::1 ff02::1 2001:db8::1 2002:a00:1::1 100::1';
    const addresses = [...v4.split(' '), ...v6.split(' '), '', 'localhost', '1.2.3'];
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });
});

describe('createFindTarget', () => {
  const hosts: Record<string, string[]> = {
    'public.test': ['93.184.216.34', '2606:4700::1111'],
    'mixed.test': ['93.184.216.34', '10.0.0.1'],
    'empty.test': [],
  };
  const setup = (allowPrivate = false) =>
    createFindTarget({
      allowPrivate,
      resolve: async (host) => {
        const addresses = hosts[host];
        if (!addresses) throw new Error('ENOTFOUND');
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });

  it('names the address to connect to', async () => {
    const target = await setup()('https://public.test:8443/a?b=c');
    assert.deepEqual(
      [target.address, target.family, target.url.port],
      ['93.184.216.34', 4, '8443'],
    );
    const literal = await setup()('https://[2606:4700::1111]/');
    assert.deepEqual([literal.address, literal.family], ['2606:4700::1111', 6]);
  });

  it('refuses what does not lead to the public internet by https', async () => {
    const urls = [
      'http://public.test/',
      'https://public.test:80/',
      'https://user@public.test/',
      'https://public.test/#x',
      'https://mixed.test/',
      'https://empty.test/',
      'https://missing.test/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::ffff:7f00:1]/',
      `https://public.test/${'a'.repeat(2_048)}`,
      'javascript:alert(1)',
      '',
    ];
    for (const url of urls) await assert.rejects(setup()(url), TargetRefusal, url);
  });

  it('lets private targets pass where that is configured, still without credentials', async () => {
    assert.equal((await setup(true)('http://127.0.0.1:1234/')).address, '127.0.0.1');
    await assert.rejects(setup(true)('http://user:pass@127.0.0.1/'), TargetRefusal);
    await assert.rejects(setup(true)('file:///etc/passwd'), TargetRefusal);
  });
});

/** A name server on a free port. It answers one name at once, and others only after the test tells it to. */
const startNameServer = async (known: string, address: string) => {
  const socket = createSocket('udp4');
  const waiting: (() => void)[] = [];
  let isSilent = true;
  socket.on('message', (query, { port, address: from }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const isA = query.readUInt16BE(at + 1) === 1;
    const name = labels.join('.');
    const hasAnswer = name === known && isA;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // An answer: recursion available, no error or no such name (RFC 1035 4.1.1).
    head.writeUInt16BE(name === known ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(hasAnswer ? 1 : 0, 6);
    const record = Buffer.from([
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      60,
      0,
      4,
      ...address.split('.').map(Number),
    ]);
    const parts = hasAnswer ? [head, question, record] : [head, question];
    const reply = (): void => socket.send(Buffer.concat(parts), port, from);
    if (name === known || !isSilent) reply();
    else waiting.push(reply);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    speak: (): void => {
      isSilent = false;
      for (const reply of waiting) reply();
    },
    close: () => socket.close(),
  };
};

describe('createResolve', () => {
  it('finds a name while a hundred others are never answered', async () => {
    const server = await startNameServer('good.test', '93.184.216.34');
    const resolve = createResolve({ servers: [server.address], resolveMsMax: 120_000 });
    let ended = 0;
    const hanging = Array.from({ length: 100 }, (_, n) =>
      resolve(`silent${n}.test`).then(
        () => assert.fail('this name is unknown'),
        () => {
          ended += 1;
        },
      ),
    );
    assert.deepEqual(await resolve('good.test'), [{ address: '93.184.216.34', family: 4 }]);
    assert.equal(ended, 0);
    server.speak();
    await Promise.all(hanging);
    server.close();
  });
});
