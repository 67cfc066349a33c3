import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import {
  addressOf as address,
  addressesOf,
  topicOf as hash,
} from '../../../shared/testing/evmData.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { sampleToken } from '../../testing/sampleToken.ts';
import { createFactStore } from '../ingest/factStore.ts';
import { createPoolStore } from '../pool/poolStore.ts';
import { createReadCache } from '../readCache.ts';
import { createTokenStore } from '../token/tokenStore.ts';
import { createFeatureStore } from './featureStore.ts';
import { lifeInputOf, poolLifeFeatures } from './poolLifeFeatures.ts';
import { lifeFeatures, valuePool } from './tokenFeatures.ts';

const CHAIN_ID = 1;
const FIRST_S = 1_700_000_000;
const [COIN, DOLLAR, POOL] = addressesOf(0xa1, 0xa2, 0xb1);
const CREATOR = address(0xc1);
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
  before(emptyTables);
  const put = async (number: number, timestampS: number, facts: readonly Fact[]): Promise<void> => {
    const block = { number, hash: hash(number), timestampS, facts };
    await createFactStore(clickhouse).insert([blocksEvent([block], { chainId: CHAIN_ID })]);
  };
  const placeOf = (number: number, logIndex = 0) => {
    return { txHash: hash(number * 100 + logIndex), txIndex: logIndex, logIndex };
  };

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
        // Each is its creator's first pool; the creator's record is read too.
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
});
