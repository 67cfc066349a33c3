import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressGroup } from './clientAddress.ts';

describe('what limits of an address count by', () => {
  it('is an IPv4 address in one spelling, and the network of an IPv6 address', () => {
    for (const [address, group] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
      ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
      ['::1', '0:0:0:0::/64'],
      ['unknown', 'unknown'],
      ['', ''],
    ] as const) {
      assert.equal(addressGroup(address), group);
    }
  });

  it('is bounded in length whatever a proxy says', () => {
    assert.equal(addressGroup('x'.repeat(10_000)).length, 64);
  });
});
