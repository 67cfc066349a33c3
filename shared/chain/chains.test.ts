import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { arbitrum, base, bsc, type Chain, mainnet, optimism, polygon } from 'viem/chains';
import { PANCAKE_V3_FACTORY } from '../decode/pancakeV3.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { chainProfileSchema } from './chainProfile.ts';
import { CHAIN_PROFILES, KNOWN_STABLE_DECIMALS } from './chains.ts';

const KNOWN: readonly Chain[] = [mainnet, optimism, bsc, polygon, base, arbitrum];

describe('chain profiles', () => {
  it('are those of the chains that are known elsewhere, each by its own id', () => {
    assert.deepEqual(
      [...CHAIN_PROFILES.keys()].toSorted((a, b) => a - b),
      KNOWN.map(({ id }) => id).toSorted((a, b) => a - b),
    );
    const files = readdirSync(join(projectRoot(), 'shared/chain/profiles'));
    assert.equal(files.length, CHAIN_PROFILES.size);
  });

  for (const profile of CHAIN_PROFILES.values()) {
    it(`of ${profile.name} is complete`, () => {
      assert.deepEqual(chainProfileSchema.parse(profile), profile);
    });

    it(`of ${profile.name} agrees with viem, and names nothing twice`, () => {
      const known = KNOWN.find(({ id }) => id === profile.chainId);
      if (known?.blockTime !== undefined) assert.equal(profile.blockTimeS, known.blockTime / 1_000);
      const factories = Object.values(profile.factories).flatMap((one) => Object.values(one));
      const named = [...profile.stables.map(({ address }) => address), ...factories];
      assert.equal(new Set([profile.weth, ...named]).size, named.length + 1);
      for (const { address, decimals } of profile.stables) {
        assert.equal(KNOWN_STABLE_DECIMALS.get(address), decimals);
      }
    });

    it(`of ${profile.name} has the factory of Pancake V3 that the decoder knows, or none`, () => {
      const own = Object.values(profile.factories.pancake_v3 ?? {});
      assert.ok(own.every((address) => address === PANCAKE_V3_FACTORY));
    });
  }

  it('are refused with a wrong address, an unknown protocol or a field too many', () => {
    const [profile] = CHAIN_PROFILES.values();
    for (const wrong of [
      { weth: '0x1' },
      { weth: profile?.weth.toUpperCase() },
      { factories: { uniswap_v9: { Uniswap: profile?.weth } } },
      { stables: [] },
      { blockTimeS: 0 },
      { finality: 1 },
    ]) {
      assert.ok(!chainProfileSchema.safeParse({ ...profile, ...wrong }).success);
    }
  });
});
