import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFindTarget, isPublicAddress, TargetRefusal } from './targetAddress.ts';

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
