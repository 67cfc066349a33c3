import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { arbitrum, base, bsc, type Chain, mainnet, optimism, polygon } from 'viem/chains';
import { z } from 'zod';
import { PANCAKE_V3_FACTORY } from '../decode/pancakeV3.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { CHAIN_PROFILES, KNOWN_STABLE_DECIMALS } from './chains.ts';
import { PROTOCOLS } from './protocol.ts';

const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const profileSchema = z
  .object({
    chainId: z.number().int().positive(),
    name: z.string().min(1),
    explorer: z.string().url(),
    weth: address,
    stables: z
      .array(z.object({ symbol: z.string().min(1), address, decimals: z.number().int().max(36) }))
      .min(1),
    nativePriceUsd: z.number().positive(),
    blockTimeS: z.number().positive().max(60),
    finalityBlocks: z.number().int().positive().max(100_000),
    factories: z.record(z.enum(PROTOCOLS), z.record(address)),
  })
  .strict();
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
      assert.deepEqual(profileSchema.parse(profile), profile);
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
});
