import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createMarketSidesStore } from '../../pipeline/scorer/pool/marketSides.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { topicOf } from '../../shared/testing/evmData.ts';
import { factOf } from '../../shared/testing/facts.ts';
import { clickhouse as database, emptyTables } from '../../shared/testing/tables.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { insertFacts, insertMarket, insertPool } from '../testing/rows.ts';
import { createSearch } from './queries.ts';

/** Ethereum, whose base tokens and factories are known. */
const CHAIN_ID = 1;
const WETH: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const USDC: Hex = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const V3_FACTORY: Hex = '0x1f98431c8ad98523631ae4a59f267346ea31f984';
const POOL_MANAGER: Hex = '0x000000000004444c5dc75cb358380d2e3de08a90';
const VAULT: Hex = '0xba12222222228d8ba445958a75a0704d566bf2c8';
const [A, B] = [addressOf(0xa), addressOf(0xb)];

describe('tokens of a pool', () => {
  before(emptyTables);
  it('are those that are traded there, without base tokens where there is another', async () => {
    const search = createSearch(database, CHAIN_ID);
    const id: Hex = `0x${'4b'.repeat(32)}`;
    const v2 = addressOf(0x20);
    await insertPool(database, CHAIN_ID, { pool: v2, token: A, other: WETH });
    await insertPool(database, CHAIN_ID, { pool: addressOf(0x21), token: A, other: B });
    const sides = { token0: A, token1: WETH };
    const markets = [
      { protocol: 'uniswap_v3', market: addressOf(0x30), factory: V3_FACTORY, ...sides },
      { protocol: 'uniswap_v3', market: addressOf(0x31), factory: addressOf(0x66), ...sides },
      {
        protocol: 'uniswap_v3',
        market: addressOf(0x32),
        factory: V3_FACTORY,
        token0: USDC,
        token1: WETH,
      },
      {
        protocol: 'uniswap_v4',
        market: id,
        factory: POOL_MANAGER,
        token0: ZERO_ADDRESS,
        token1: B,
      },
      // Anyone can log that a pair holds a well-known token.
      { protocol: 'uniswap_v2', market: v2, factory: addressOf(0x66), token0: B, token1: WETH },
    ] as const;
    for (const one of markets) await insertMarket(database, CHAIN_ID, one);
    const asked = { pool: addressOf(0x33), ...sides, askedIn: { number: 8, hash: topicOf(8) } };
    await createMarketSidesStore(database).insert(CHAIN_ID, [asked], 0);
    for (const [pool, tokens] of [
      [v2, [A]],
      [addressOf(0x21), [A, B]],
      [addressOf(0x30), [A]],
      [addressOf(0x31), []],
      [addressOf(0x32), [USDC, WETH]],
      [id, [B]],
      [addressOf(0x33), [A]],
      [A, []],
    ] as const) {
      assert.deepEqual(await search.poolTokens(pool), tokens, pool);
    }
    assert.deepEqual(await createSearch(database, 10).poolTokens(v2), [], 'of another chain');
  });

  it('of Balancer V2 are found by the address of the pool and by its id, as the vault logged them', async () => {
    const search = createSearch(database, CHAIN_ID);
    const pool = addressOf(0x40);
    const id: Hex = `${pool}000200000000000000000007`;
    const trades: readonly [Hex, Hex, Hex][] = [
      [VAULT, A, WETH],
      [VAULT, B, WETH],
      // Shares of the pool.
      [VAULT, A, pool],
      [addressOf(0x66), addressOf(0x67), WETH],
    ];
    const facts = trades.map(([manager, token0, token1], i) =>
      factOf('swap', i, { protocol: 'balancer_v2', pool: id, manager, sides: { token0, token1 } }),
    );
    await insertFacts(database, CHAIN_ID, 8, facts);
    for (const name of [pool, id]) assert.deepEqual(await search.poolTokens(name), [A, B], name);
    assert.deepEqual(await search.poolTokens(addressOf(0x41)), []);
    const other: Hex = `${pool}000200000000000000000008`;
    assert.deepEqual(await search.poolTokens(other), [], 'an id that is none');
  });
});
