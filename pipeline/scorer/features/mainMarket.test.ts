import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import {
  mainMarket,
  marketDrain,
  type ValuedMarket,
  type ValuedPool,
  withdrawnShare,
} from './tokenFeatures.ts';

const BASE = `0x${'b'.repeat(40)}` as const;
const HOOK = `0x${'7'.repeat(40)}` as const;

const ETHER = { decimals: 18, priceUsd: 2_000, priceNative: 1, route: [] };
const BOOK = { kind: 'product', feePips: 0, reserve0: 1n, reserve1: 1n } as const;

/** A market identified by its depth in US dollars. */
const market = (liquidityUsd: number, hooks?: Hex): ValuedMarket => ({
  kind: hooks ? 'managed' : 'concentrated',
  protocol: hooks ? 'uniswap_v4' : 'uniswap_v3',
  pool: `0x${liquidityUsd}`,
  entry: hooks && { manager: BASE, fee: 3_000, tickSpacing: 60, hooks, isNative: false },
  baseToken: BASE,
  base: ETHER,
  isRouted: false,
  book: BOOK,
  isToken0: true,
  liquidityUsd,
  currentBase: 1,
});
const pool = (liquidityUsd: number): ValuedPool =>
  ({
    stored: {
      pool_address: `0x${liquidityUsd}`,
      base_token: BASE,
      current_token: 1,
      current_base: 1,
    },
    base: ETHER,
    liquidityUsd,
  }) as unknown as ValuedPool;

describe('mainMarket', () => {
  for (const [name, pair, others, expected] of [
    ['the deepest', pool(100), [market(99), market(101)], '0x101'],
    ['the pool with reserves of equal ones', pool(100), [market(100, ZERO_ADDRESS)], '0x100'],
    ['an entry without a hook as any other', pool(100), [market(101, ZERO_ADDRESS)], '0x101'],
    ['one with a hook where there is no other', undefined, [market(1, HOOK)], '0x1'],
    ['not one with a hook that is a little deeper', pool(100), [market(999, HOOK)], '0x100'],
    ['one with a hook that is far deeper', pool(100), [market(1_001, HOOK)], '0x1001'],
    ['an empty one where all are', undefined, [market(0)], '0x0'],
  ] as const) {
    it(`is ${name}`, () => {
      assert.equal(mainMarket(pair ? [pair] : [], others)?.pool, expected);
    });
  }

  it('is the one that holds most where nobody knows what that is worth', () => {
    const shallow = { ...pool(0), currentBase: 1 };
    const deep = { ...market(0), pool: '0xdee9', currentBase: 9 } as const;
    assert.equal(mainMarket([shallow], [deep])?.pool, '0xdee9');
    assert.equal(mainMarket([{ ...shallow, currentBase: 10 }], [deep])?.pool, '0x0');
  });

  it('is none where there is none', () => {
    assert.equal(mainMarket([], []), undefined);
  });
});

const NOW_S = 1_700_000_000;

describe('withdrawnShare', () => {
  /** Consecutive reserves of both sides, a minute apart from the start of the pool. */
  const shareOf = (reserves: readonly (readonly [number, number])[], asOfS: number, days = {}) => {
    const syncs = reserves.map(([reserveBase, reserveToken], i) => {
      return { timestampS: NOW_S + 60 * i, blockNumber: i, reserveBase, reserveToken };
    });
    const found = pool(1);
    const stored = { ...found.stored, ...days };
    return withdrawnShare({ ...found, stored, series: { syncs } }, asOfS);
  };
  const later = NOW_S + 3_600;

  it('is of all withdrawals of the first day, less what was added', () => {
    const halves = [
      [16, 16],
      [8, 8],
      [4, 4],
    ] as const;
    assert.equal(shareOf(halves, later), 0.75);
    assert.equal(shareOf([[8, 8], ...halves], later), 0.5);
    const back = [
      [4, 4],
      [16, 16],
      [4, 4],
    ] as const;
    assert.equal(shareOf(back, later), 0, 'somebody who added much left again');
    const anew = [
      [4, 4],
      [0, 0],
      [4, 4],
    ] as const;
    assert.equal(shareOf(anew, later), 0, 'an empty pool began anew');
    assert.equal(shareOf(halves, NOW_S + 60), 0.5, 'what came later does not count');
  });

  it('is nothing where tokens were sold', () => {
    const sold = [
      [16, 16],
      [4, 64],
    ] as const;
    assert.equal(shareOf(sold, later), 0);
  });

  it('is of all days of the last week, less what was added, or of the largest withdrawal', () => {
    const dayOf = (day: number, units: number, removedShare = 0) =>
      [day, 0, 0, 0, 0, 0, 0, 0, 1, removedShare, units] satisfies [...number[]];
    const days = { days: [dayOf(1, 0.5), dayOf(5, 0.5), dayOf(6, 2, 0.25), dayOf(12, 0.25)] };
    const ofDay = (day: number) => shareOf([[1, 1]], NOW_S + day * DAY_S, days);
    assert.deepEqual([5, 6, 8, 9, 12, 13, 14].map(ofDay), [0.75, 0.5, 0.5, 0.25, 0.75, 0.5, 0.75]);
  });
});

describe('marketDrain', () => {
  const TX = `0x${'3'.repeat(64)}` as const;
  const peaks = new Map(
    [market(1), market(2, HOOK)].map(({ pool: place }, i) => [
      place,
      { base: (i + 1) * 10e18, largestDropTx: TX, withdrawnShare: 0.9 },
    ]),
  );
  const drain = (main: number | undefined, ...markets: readonly ValuedMarket[]) => {
    const { stored, ...found } = pool(5);
    const own = {
      ...found,
      stored: { ...stored, largest_drop_tx: TX },
      peakBase: main ?? 0,
      currentBase: 1,
    };
    const held = main === undefined ? undefined : own;
    return marketDrain(held, held ? [held] : [], markets, peaks);
  };

  it('goes by the market that held most, against what all hold now', () => {
    const found = { peakBase: 10, currentBase: 2, largestDropTx: TX, withdrawnShare: 0.9 };
    assert.deepEqual(drain(4, market(1)), found);
  });

  it('leaves it to the pool of Uniswap V2 that held more', () => {
    assert.equal(drain(11, market(1)), undefined);
  });

  it('follows liquidity that was moved to other markets, but not to one with a hook', () => {
    const moved = drain(11, { ...market(3), currentBase: 6 });
    const found = { peakBase: 11, currentBase: 7, largestDropTx: TX, withdrawnShare: 0 };
    assert.deepEqual(moved, found);
    assert.equal(drain(11, { ...market(3), currentBase: 5 }), undefined);
    assert.equal(drain(11, { ...market(3, HOOK), currentBase: 6 }), undefined);
  });

  it('counts what a market with a hook held only where there are no others', () => {
    assert.equal(drain(undefined, market(2, HOOK))?.peakBase, 20);
    assert.equal(drain(undefined, market(1), market(2, HOOK))?.peakBase, 10);
    assert.equal(drain(4, market(2, HOOK)), undefined);
  });

  it('knows nothing of markets that were not looked at', () => {
    assert.equal(drain(undefined, market(3)), undefined);
  });
});
