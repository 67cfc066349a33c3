import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ValuedPool } from '../features/tokenFeatures.ts';
import { checkInputOf, contractOf } from '../testing/checkInputOf.ts';
import type { CheckInput } from './checkInput.ts';
import {
  holderConcentration,
  holderConcentrationCheck,
  liquidityDrained,
  marketPattern,
  sentUnasked,
} from './marketChecks.ts';

const STORED = {
  pool_address: `0x${'2'.repeat(40)}`,
  last_block: 9,
  largest_drop_tx: `0x${'3'.repeat(64)}`,
};
/** A pool with its current and highest holdings, whole coins of a base with a price in native coins. */
const poolOf = (current: number, peak: number, priceNative = 1): ValuedPool =>
  ({
    stored: { ...STORED, current_base: String(current), peak_base: String(peak) },
    currentBase: current * priceNative,
    peakBase: peak * priceNative,
    liquidityUsd: 0,
  }) as unknown as ValuedPool;

describe('marketPattern', () => {
  for (const [evidence, status] of [
    [-3, 'pass'],
    [0, 'pass'],
    [1, 'pass'],
    [1.2, 'fail'],
    [5, 'fail'],
  ] as const) {
    it(`log-odds of ${evidence} beyond those of its age: ${status}`, () => {
      const input = checkInputOf({ pool: poolOf(1, 1), marketEvidence: evidence });
      assert.equal(marketPattern(input).status, status);
    });
  }

  it('does not know without a pool', () => {
    assert.equal(marketPattern(checkInputOf({ marketEvidence: 5 })).status, 'unknown');
  });
});

const DRAIN = { largestDropTx: `0x${'3'.repeat(64)}`, withdrawnShare: 0 } as const;

export const INPUTS: readonly CheckInput[] = [
  checkInputOf({ pool: poolOf(0.7, 10), withdrawnShare: 0.93 }),
];

describe('liquidityDrained', () => {
  for (const [current, peak, status] of [
    [10, 10, 'pass'],
    [0.6, 10, 'pass'],
    [0.5, 10, 'fail'],
    [0, 10, 'fail'],
    [0, 0.4, 'pass'],
    [0, 0, 'pass'],
  ] as const) {
    it(`${current} left of ${peak}: ${status}`, () => {
      assert.equal(liquidityDrained(checkInputOf({ pool: poolOf(current, peak) })).status, status);
    });
  }

  it('does not depend on what the base is worth', () => {
    const drained = poolOf(0, 1_000, Number.NaN);
    assert.equal(liquidityDrained(checkInputOf({ pool: drained })).status, 'fail');
  });

  for (const [currentBase, peakBase, status] of [
    [6, 10, 'pass'],
    [0.5, 10, 'fail'],
    [0, 0.4, 'pass'],
  ] as const) {
    it(`${currentBase} left in all markets of ${peakBase} in one beside Uniswap V2: ${status}`, () => {
      const drain = { ...DRAIN, currentBase, peakBase };
      const check = liquidityDrained(checkInputOf({ pool: poolOf(0, 1), drain }));
      assert.equal(check.status, status);
      assert.equal(check.evidence?.length ?? 0, status === 'fail' ? 1 : 0);
    });
  }

  for (const [withdrawnShare, left, expected] of [
    [0.93, 0.7, 'warning fail'],
    [0.5, 5, 'warning fail'],
    [0.49, 5, 'critical pass'],
    // Much was added again since.
    [0.93, 5.1, 'critical pass'],
    // It fell because tokens were sold.
    [0, 0.7, 'critical pass'],
    [0.96, 0.4, 'critical fail'],
  ] as const) {
    it(`${withdrawnShare} withdrawn within a week, ${left} left of 10: ${expected}`, () => {
      const drain = { ...DRAIN, currentBase: left, peakBase: 10 };
      for (const place of [{ pool: poolOf(left, 10) }, { drain }]) {
        const { severity, status } = liquidityDrained(checkInputOf({ ...place, withdrawnShare }));
        assert.equal(`${severity} ${status}`, expected);
      }
    });
  }

  it('has nothing to say without a pool', () => {
    assert.equal(liquidityDrained(checkInputOf()).status, 'not_applicable');
  });
});

describe('holderConcentration', () => {
  for (const [holderCount, topTenConcentration, status] of [
    [19, 1, 'unknown'],
    [20, 0.89, 'pass'],
    [20, 0.9, 'fail'],
  ] as const) {
    it(`${topTenConcentration} in ten of ${holderCount} wallets: ${status}`, () => {
      const input = checkInputOf({ holderCount, topTenConcentration });
      assert.equal(holderConcentration(input).status, status);
    });
  }

  const [TREASURY, OTHER] = [`0x${'4'.repeat(40)}`, `0x${'5'.repeat(40)}`] as const;
  for (const [what, kind, share, holder] of [
    ['a treasury of several signers', 'multisig', 0.6, 'multisig'],
    ['a timelock', 'timelock', 0.6, 'timelock'],
    ['one wallet', 'wallet', 0.6, undefined],
    ['an account that may be anything', 'unknown', 0.6, undefined],
    ['a treasury of little, and wallets', 'multisig', 0.01, undefined],
  ] as const) {
    it(`says who holds what ten wallets hold: ${what}`, () => {
      const input = checkInputOf({
        holderCount: 50,
        topTenConcentration: 0.95,
        largestHolders: [
          [OTHER, 0.2],
          [TREASURY, share],
        ],
        contract: contractOf({ holders: [{ address: TREASURY, kind }] }),
      });
      const found = holderConcentration(input);
      assert.deepEqual([found.status, found.held_by], ['fail', holder]);
      const weight = holderConcentrationCheck.checks[0]?.failed;
      assert(typeof weight === 'function');
      const outcome = {
        id: 'holder_concentration',
        severity: 'warning',
        status: 'fail',
        reason: '',
      } as const;
      const { logOdds } = weight({ ...outcome, ...(holder && { held_by: holder }) });
      assert.equal(logOdds < 0.5, holder !== undefined);
    });
  }
});

const TX = `0x${'e'.repeat(64)}` as const;

describe('sentUnasked', () => {
  for (const [what, spread, status] of [
    ['thousands in twenty transactions', [2_000, 1_990], 'fail'],
    ['a thousand of two thousand', [2_000, 1_000], 'fail'],
    ['many who came for it, beside those who did not', [10_000, 1_500], 'pass'],
    ['a team', [60, 40], 'pass'],
    ['nobody', [3, 0], 'pass'],
  ] as const) {
    it(`${what}: ${status}`, () => {
      const [recipients, unasked] = spread;
      const found = sentUnasked(
        checkInputOf({ spread: { recipients, unasked, batches: 20, largest_batch: TX } }),
      );
      assert.equal(found.status, status);
      assert.equal(found.value, unasked);
      assert.deepEqual(
        found.evidence?.map(({ request }) => request),
        status === 'fail' ? [{ method: 'eth_getTransactionReceipt', params: [TX] }] : undefined,
      );
    });
  }

  it('says nothing of a token that has a market', () => {
    assert.equal(sentUnasked(checkInputOf()).status, 'not_applicable');
  });
});
