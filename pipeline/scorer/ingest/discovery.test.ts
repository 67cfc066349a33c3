import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { CHAIN_PROFILES, factoriesOf } from '../../../shared/chain/chains.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { addressesOf } from '../../../shared/testing/evmData.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { sampleToken } from '../../testing/sampleToken.ts';
import { createDatabase } from '../../testing/simulation/database.ts';
import {
  createFakePoolStore,
  createFakeTokenStore,
} from '../../testing/simulation/fakeFactStores.ts';
import { createDiscovery } from './discovery.ts';
import { type FirstSeen, touchedBy } from './touched.ts';

const CHAIN_ID = 1;
const FACTORIES = factoriesOf(CHAIN_ID);
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [TOKEN, WETH, POOL, LOCKER] = addressesOf(1, 2, 3, 4);

const eventOf = (number: number, fact: Fact): BlocksEvent =>
  blocksEvent([{ number, hash: ZERO_HASH, timestampS: number, facts: [fact] }]);

/** Empty stores, and a discovery over them with empty caches. */
const setup = (
  readers: Pick<Parameters<typeof createDiscovery>[0], 'tokenReader' | 'poolReader'>,
) => {
  const database = createDatabase(true);
  const run = async <T>(effect: () => T): Promise<T> => effect();
  const [tokens, pools] = [createFakeTokenStore(database, run), createFakePoolStore(database, run)];
  const parts = { chainId: CHAIN_ID, factories: FACTORIES, tokens, pools, logger: silentLogger };
  return { tokens, pools, start: () => createDiscovery({ ...parts, ...readers }) };
};
const NO_TOKENS = {
  read: async (_chainId: number, seen: readonly FirstSeen[]) =>
    seen.map(() => ({ kind: 'notAToken' as const })),
};

/** On a chain whose every contract is a token and answers like a pool. */
const setupOfDisguised = () =>
  setup({
    tokenReader: {
      read: async (_chainId, seen) =>
        seen.map(({ token }) => ({ kind: 'token', record: sampleToken(token) })),
    },
    poolReader: {
      read: async (contracts) =>
        contracts.map((pool) => {
          const other = { token0: WETH, token1: address('5') };
          return { pool, ...(pool === POOL ? { token0: address('6'), token1: TOKEN } : other) };
        }),
    },
  });

/** Over stores with a token and its pool. */
const setupOfKnown = async () => {
  const { tokens, pools, start } = setup({
    tokenReader: NO_TOKENS,
    poolReader: { read: async () => [] },
  });
  await tokens.insert([sampleToken(TOKEN, { creatorSource: 'unknown' })], 0);
  await pools.insert(CHAIN_ID, [{ pool: POOL, token0: TOKEN, token1: WETH }], 0);
  return start();
};

describe('discovery', () => {
  const facts: readonly [string, Fact][] = [
    ['a transfer of the shares of its pool', factOf('transfer', 0, { token: POOL })],
    ['a change of its owner', factOf('ownershipTransferred', 0, { contract: TOKEN })],
  ];
  for (const [name, fact] of facts) {
    it(`takes ${name} for a touch of a token that is not in memory`, async () => {
      const discovery = await setupOfKnown();
      const found = await discovery.discover(touchedBy([eventOf(9, fact)]), 0);
      assert.deepEqual(found, [{ token: TOKEN, position: 9 }]);
    });
  }

  describe('of a token that answers like a pool', () => {
    const acts = (number: number) => eventOf(number, factOf('transfer', 0, { token: TOKEN }));
    const isListed = (number: number, protocol: 'uniswap_v2' | 'uniswap_v3' | 'uniswap_v4') => {
      const token0 = protocol === 'uniswap_v4' ? ZERO_ADDRESS : address('6');
      const sides = { protocol, pool: POOL, token0, token1: TOKEN };
      return eventOf(number, factOf('poolCreated', 0, { ...sides, factory: LOCKER }));
    };

    it('finds none as long as nobody trades it', async () => {
      const { tokens, start } = setupOfDisguised();
      assert.deepEqual(await start().discover(touchedBy([acts(1)]), 0), []);
      assert.deepEqual(await tokens.known(CHAIN_ID, [TOKEN]), new Set());
    });

    for (const protocol of ['uniswap_v2', 'uniswap_v3', 'uniswap_v4'] as const) {
      it(`finds it with its market of ${protocol}, and again after a restart`, async () => {
        const { tokens, start } = setupOfDisguised();
        await start().discover(touchedBy([acts(1)]), 0);
        const discovery = start();
        await discovery.discover(touchedBy([isListed(2, protocol)]), 0);
        assert.deepEqual(await tokens.known(CHAIN_ID, [TOKEN]), new Set([TOKEN]));
        const touched = touchedBy([acts(3)]);
        for (const one of [discovery, start()]) {
          assert.deepEqual(await one.discover(touched, 0), [{ token: TOKEN, position: 3 }]);
        }
      });
    }
  });

  describe('of a pool that a factory names that nobody knows', () => {
    const pairOf = (token0: Hex, factory: Hex) =>
      eventOf(1, factOf('poolCreated', 0, { factory, pool: POOL, token0, token1: WETH }));
    const setupOfPool = () => {
      let asked = 0;
      const read = async (contracts: readonly Hex[]) => {
        asked += contracts.length;
        return contracts.map((pool) => ({ pool, token0: TOKEN, token1: WETH }));
      };
      const { pools, start } = setup({ tokenReader: NO_TOKENS, poolReader: { read } });
      const tokensOf = async () => {
        const [pool] = await pools.find(CHAIN_ID, [POOL]);
        return pool && [pool.token0, pool.token1];
      };
      return { discovery: start(), tokensOf, asked: () => asked };
    };

    it('believes the pool, not the log that claims it for another token', async () => {
      const { discovery, tokensOf } = setupOfPool();
      await discovery.discover(touchedBy([pairOf(address('9'), LOCKER)]), 0);
      assert.deepEqual(await tokensOf(), [TOKEN, WETH]);
    });

    it('asks no pool of a known factory', async () => {
      const { discovery, tokensOf, asked } = setupOfPool();
      const uniswap = CHAIN_PROFILES.get(CHAIN_ID)?.factories.uniswap_v2?.['Uniswap V2'];
      assert.ok(uniswap);
      await discovery.discover(touchedBy([pairOf(TOKEN, uniswap)]), 0);
      assert.deepEqual([await tokensOf(), asked()], [[TOKEN, WETH], 0]);
    });
  });
});
