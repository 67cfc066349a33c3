import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { earliestPurchases, givenTokens, insiderSales } from '../features/insiderSales.ts';
import type { HolderTrade } from '../features/readTrades.ts';
import type { ValuedPool } from '../features/tokenFeatures.ts';
import { checkInputOf } from '../testing/checkInputOf.ts';
import type { CheckInput } from './checkInput.ts';
import { insiderSalesCheck } from './insiderSales.ts';

const walletOf = (index: number): Hex => `0x${index.toString(16).padStart(40, '0')}`;
const hashOf = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`;
const STORED = { pool_address: walletOf(4), last_block: 9, largest_drop_tx: hashOf(9) };
const [CREATOR, FRIEND, BUYER, POOL] = [1, 2, 3, 4].map(walletOf) as [Hex, Hex, Hex, Hex];

/**
 * Insider sales relative to the tokens in the pool, its current and its highest holdings, whole native coins.
 */
const inputOf = (share: number, held: number, peak: number): CheckInput =>
  checkInputOf({
    pool: {
      stored: { ...STORED, current_base: String(held), peak_base: String(peak) },
      peakBase: peak,
    } as unknown as ValuedPool,
    insiderSales: { share, txHashes: [hashOf(1)] },
  });

export const INPUTS: readonly CheckInput[] = [
  inputOf(0.8, 2, 10),
  inputOf(0, 10, 10),
  checkInputOf(),
];

describe('sales by insiders', () => {
  const resultOf = (input: CheckInput) => insiderSalesCheck.run(input)[0];

  for (const [what, input, status] of [
    ['two fifths of what the pool holds, and of its money as much', inputOf(0.4, 6, 10), 'fail'],
    ['less than that', inputOf(0.39, 6, 10), 'pass'],
    ['as much, and others bought', inputOf(0.4, 6.1, 10), 'pass'],
    ['as much, of a pool that never held anything', inputOf(0.4, 0.2, 0.4), 'pass'],
    [
      'all that a withdrawal left, which was little',
      { ...inputOf(1, 0.5, 10), withdrawnShare: 0.95 },
      'pass',
    ],
    [
      'a tenth of all money, a withdrawal of three',
      { ...inputOf(0.2, 6, 10), withdrawnShare: 0.3 },
      'fail',
    ],
    ['as much, with a withdrawal of less', { ...inputOf(0.2, 6, 10), withdrawnShare: 0.2 }, 'pass'],
    ['something, of a token without a pool', checkInputOf(), 'not_applicable'],
  ] as const) {
    it(`of ${what}: ${status}`, () => assert.equal(resultOf(input)?.status, status));
  }

  it('have the transactions as evidence', () => {
    const refs = resultOf(inputOf(0.8, 2, 10))?.evidence?.map(({ ref }) => ref);
    assert.deepEqual(refs, [hashOf(1)]);
  });
});

describe('what insiders sold', () => {
  let trades = 0;
  const trade = (trader: Hex, isSale: boolean, amount: bigint, timestampS = 100): HolderTrade => {
    trades += 1;
    return { blockNumber: trades, timestampS, trader, isSale, txHash: hashOf(trades), amount };
  };
  const soldOf = (made: readonly HolderTrade[], given: readonly Hex[] = [], amount = 1_000n) =>
    insiderSales(made, new Map([CREATOR, ...given].map((one) => [one, amount])), 100, 50);

  it('is what they did not buy, by creators and whom they gave tokens to', () => {
    const made = [
      trade(CREATOR, false, 10n),
      trade(CREATOR, true, 30n),
      trade(FRIEND, true, 15n),
      trade(BUYER, true, 99n),
    ];
    const last = made.map(({ txHash }) => txHash);
    assert.deepEqual(soldOf(made, [FRIEND]), { share: 0.35, txHashes: [last[1], last[2]] });
    assert.equal(soldOf(made).share, 0.2);
    assert.equal(soldOf([trade(CREATOR, false, 10n), trade(CREATOR, true, 10n)]).share, 0);
  });

  it('is no more than what they were given: what they bought before may not be known', () => {
    assert.equal(soldOf([trade(CREATOR, true, 30n)], [], 5n).share, 0.05);
  });

  it('is of the last days', () => {
    assert.equal(soldOf([trade(CREATOR, true, 30n, 49)]).share, 0);
  });

  it('is of however many were given much, and of none who were given as little as by an airdrop', () => {
    const wallets = Array.from({ length: 50 }, (_, i) => walletOf(100 + i));
    const soldBy = (amount: bigint) =>
      insiderSales(
        wallets.map((wallet) => trade(wallet, true, amount)),
        new Map(wallets.map((wallet) => [wallet, amount])),
        1_000,
        50,
      );
    assert.deepEqual([soldBy(5n).share, soldBy(5n).txHashes.length], [0.25, 5]);
    assert.equal(soldBy(4n).share, 0);
  });
});

describe('whom a creator gave tokens to', () => {
  const givenBy = (...transfers: [Hex, Hex, string][]) => {
    const stored = {
      transfers: transfers.map((one) => [1, ...one] as const),
      pool_holders: [POOL],
    };
    const given = givenTokens(stored as never, new Set([CREATOR, ZERO_ADDRESS]));
    return Object.fromEntries([...given].map(([wallet, amount]) => [wallet, Number(amount)]));
  };
  const MADE: [Hex, Hex, string] = [ZERO_ADDRESS, CREATOR, '100'];

  it('is who received them from it, or as they were made', () => {
    const found = givenBy(
      MADE,
      [CREATOR, POOL, '60'],
      [CREATOR, FRIEND, '10'],
      [POOL, BUYER, '10'],
      [CREATOR, POOL, '20'],
    );
    assert.deepEqual(found, { [CREATOR]: 100, [FRIEND]: 10 });
  });

  it('is who sends what it got by no log, and whom it gives that to, where all logs are known', () => {
    const silent: [Hex, Hex, string][] = [
      [FRIEND, BUYER, '70'],
      [BUYER, POOL, '70'],
    ];
    const bought: [Hex, Hex, string] = [POOL, walletOf(9), '20'];
    const found = givenBy(MADE, [CREATOR, POOL, '100'], bought, ...silent);
    assert.deepEqual([found[FRIEND], found[BUYER]], [70, 70]);
    // Logs before the first are missing, or balances grow by themselves.
    const [late, grown] = [givenBy(bought, ...silent), givenBy(MADE, bought, ...silent)];
    assert.deepEqual([late[FRIEND] ?? 0, grown[FRIEND] ?? 0], [0, 0]);
  });

  it('is who got them through a go-between, unless that served many', () => {
    const passed = (to: number) =>
      Array.from({ length: to }, (_, i): [Hex, Hex, string] => [FRIEND, walletOf(100 + i), '5']);
    const [few, many] = [10, 11].map((to) => givenBy([CREATOR, FRIEND, '40'], ...passed(to)));
    assert.deepEqual([few?.[walletOf(100)], many?.[walletOf(100)]], [5, undefined]);
    assert.deepEqual(givenBy([POOL, FRIEND, '40'], ...passed(1)), {});
  });
});

describe('purchases before anybody else', () => {
  it('are those of the creator and of wallets that depend on it, up to the block in which another bought', () => {
    const trades = (
      [
        [FRIEND, 5, false],
        [FRIEND, 6, true],
        [BUYER, 7, false],
        [FRIEND, 7, false],
        [FRIEND, 8, false],
      ] as const
    ).map(([trader, blockNumber, isSale]): HolderTrade => {
      return { trader, blockNumber, isSale, timestampS: 1, txHash: hashOf(1), amount: 1n };
    });
    const dependents = new Map([
      [FRIEND, CREATOR],
      [BUYER, FRIEND],
    ]);
    const found = earliestPurchases({ trades, dependents }, CREATOR);
    assert.deepEqual(found, [trades[0], trades[3]]);
  });
});
