import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAddress } from 'viem';
import { knownHubs } from './hubs.ts';

const CHAINS = [1, 10, 56, 137, 8_453, 42_161, 43_114];

describe('knownHubs', () => {
  for (const chainId of CHAINS) {
    it(`names lower-case addresses of chain ${chainId}, each once`, () => {
      const hubs = knownHubs(chainId);
      assert.equal(new Set(hubs).size, hubs.length);
      for (const hub of hubs) assert.ok(isAddress(hub) && hub === hub.toLowerCase(), hub);
    });
  }

  it('names only burn addresses on a chain it does not know', () => {
    assert.equal(knownHubs(31_337).length, 2);
  });
});
