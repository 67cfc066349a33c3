import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import type { ClickhouseService } from '../../../shared/testing/services.ts';
import { sampleToken } from '../../testing/sampleToken.ts';
import { createFactStore } from '../ingest/factStore.ts';
import { createPoolStore } from '../pool/poolStore.ts';
import { createReadCache } from '../readCache.ts';
import { createTokenStore } from '../token/tokenStore.ts';
import { createFeatureStore } from './featureStore.ts';
import { createHolderSalesStore } from './holderSalesStore.ts';
import { lifeInputOf, poolLifeFeatures } from './poolLifeFeatures.ts';
import { lifeFeatures, valuePool } from './tokenFeatures.ts';

const CHAIN_ID = 1;
const FIRST_S = 1_700_000_000;
const [COIN, DOLLAR, POOL, OTHER_POOL] = [0xa1, 0xa2, 0xb1, 0xb2].map(address) as [
  Hex,
  Hex,
  Hex,
  Hex,
];
const [CREATOR, BUYER, FRIEND, ROUTER, OTHER_ROUTER] = [0xc1, 0xc2, 0xc3, 0xc4, 0xc5].map(
  address,
) as [Hex, Hex, Hex, Hex, Hex];
const PRICE = { decimals: 0, priceUsd: 1, route: [] };
const PRICES = new Map([
  [COIN, { ...PRICE, priceNative: 1 }],
  [DOLLAR, { ...PRICE, priceNative: 0.001 }],
]);
/** Hours of the Syncs, and the reserves of both sides after them: both are base tokens. */
const SYNCS: readonly [hours: number, coins: number, dollars: number][] = [
  [0, 1_000, 2_000_000],
  [5, 1_100, 1_819_000],
  [30, 900, 2_223_000],
  [31, 450, 1_111_500],
  [60, 500, 1_001_000],
];
const LAST_BLOCK = SYNCS.length;
const ASKED_S = FIRST_S + 3 * DAY_S;

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

describe('what happened in pools', () => {
  let server: ClickhouseService;
  let clickhouse: Clickhouse;
  const put = async (number: number, timestampS: number, facts: readonly Fact[]): Promise<void> => {
    const block = { number, hash: hash(number), timestampS, facts };
    await createFactStore(clickhouse).insert([blocksEvent([block], { chainId: CHAIN_ID })]);
  };
  const placeOf = (number: number, logIndex = 0) => {
    return { txHash: hash(number * 100 + logIndex), txIndex: logIndex, logIndex };
  };

  before(async () => {
    server = await startMigratedClickhouse();
    clickhouse = createClickhouse({ url: server.url });
  });
  after(async () => {
    await clickhouse?.close();
    await server?.stop();
  });

  it('is seen from both sides where both tokens are base tokens, as in training', async () => {
    for (const [i, [hours, coins, dollars]] of SYNCS.entries()) {
      const reserves = { reserve0: quantity(coins), reserve1: quantity(dollars) };
      await put(i + 1, FIRST_S + hours * 3_600, [
        { kind: 'sync', protocol: 'uniswap_v2', pool: POOL, ...reserves, ...placeOf(i + 1) },
      ]);
    }
    await createPoolStore(clickhouse).insert(
      CHAIN_ID,
      [{ pool: POOL, token0: COIN, token1: DOLLAR }],
      0,
    );
    const tokens = [COIN, DOLLAR].map((token) => sampleToken(token, { creator: CREATOR }));
    await createTokenStore(clickhouse).insert(tokens, 0);
    const features = createFeatureStore(clickhouse, createReadCache());
    for (const asked of [[COIN, DOLLAR], [DOLLAR], [COIN]]) {
      const bases = [COIN, DOLLAR];
      const facts = await features.read(CHAIN_ID, asked, bases, LAST_BLOCK);
      for (const token of asked) {
        const [row] = facts.pools.get(token) ?? [];
        assert.ok(row);
        const live = lifeFeatures(valuePool(row, PRICES), ASKED_S);
        const syncs = SYNCS.map(([hours, coins, dollars], i) => ({
          timestampS: FIRST_S + hours * 3_600,
          blockNumber: i + 1,
          reserveBase: token === COIN ? dollars * 0.001 : coins,
          reserveToken: token === COIN ? coins : dollars,
        }));
        // Each made the first pool of its creator: the record of that is read beside.
        const record = valuePool(row, PRICES)?.series.creator;
        const series = { syncs, lp: undefined, creator: record };
        const expected = poolLifeFeatures(lifeInputOf(series, FIRST_S), ASKED_S);
        assert.equal(live?.length, expected.length);
        expected.forEach((value, i) => {
          const found = live?.[i] ?? 0;
          const isSame = Object.is(found, value) || Math.abs(found - value) < 1e-9;
          assert.ok(isSame, `feature ${i} of ${token}: ${found}, expected ${value}`);
        });
      }
    }
  });

  it('counts only trades in pools of the token, by their most frequent caller, and who was paid by its creator up to the block', async () => {
    const [token, other] = [address(0xd1), address(0xd2)];
    const first = LAST_BLOCK + 1;
    const transfer = (number: number, logIndex: number, from: Hex, to: Hex): Fact => {
      return { kind: 'transfer', token, from, to, value: '0x1', ...placeOf(number, logIndex) };
    };
    /** The swap of the transaction in which the log before it is. */
    const swap = (number: number, logIndex: number, pool: Hex, sender: Hex): Fact => {
      const amounts = {
        amount0In: '0x1',
        amount1In: '0x0',
        amount0Out: '0x0',
        amount1Out: '0x1',
      } as const;
      const place = { ...placeOf(number, logIndex - 1), logIndex };
      return {
        kind: 'swap',
        protocol: 'uniswap_v2',
        pool,
        sender,
        to: BUYER,
        ...amounts,
        ...place,
      };
    };
    const atS = FIRST_S + 4 * DAY_S;
    await put(first, atS, [
      transfer(first, 0, POOL, BUYER),
      swap(first, 1, POOL, ROUTER),
      transfer(first, 2, POOL, FRIEND),
      swap(first, 3, POOL, OTHER_ROUTER),
      transfer(first, 4, BUYER, OTHER_POOL),
      swap(first, 5, OTHER_POOL, OTHER_ROUTER),
      // Liquidity is added: nothing is sold.
      transfer(first, 6, BUYER, POOL),
    ]);
    const gift = { kind: 'nativeTransfer', from: CREATOR, to: FRIEND, value: '0x1' } as const;
    await put(first + 1, atS + 12, [
      { ...gift, ...placeOf(first + 1) },
      transfer(first + 1, 1, BUYER, POOL),
      swap(first + 1, 2, POOL, ROUTER),
    ]);
    const asked = [
      { token, creator: CREATOR, pools: [POOL] },
      { token: other, creator: CREATOR, pools: [OTHER_POOL] },
    ];
    const readAt = async (upTo: number) => {
      const store = createHolderSalesStore(clickhouse, createReadCache());
      const found = (await store.read(CHAIN_ID, asked, upTo)).get(token);
      assert.ok(found);
      const { trades, routers } = found;
      const insiders = [BUYER, FRIEND].filter((one) => found.insiders.has(one));
      return { traders: trades.map(({ trader, isSale }) => [trader, isSale]), insiders, routers };
    };
    const bought = [
      [BUYER, false],
      [FRIEND, false],
    ];
    assert.deepEqual(await readAt(first), {
      traders: bought,
      insiders: [],
      routers: new Map([[POOL, OTHER_ROUTER]]),
    });
    assert.deepEqual(await readAt(first + 1), {
      traders: [...bought, [BUYER, true]],
      insiders: [FRIEND],
      routers: new Map([[POOL, ROUTER]]),
    });
  });
});
