import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { holdersExperience } from '../features/holdersExperience.ts';
import type { HolderTrade } from '../features/readTrades.ts';
import { checkInputOf } from '../testing/checkInputOf.ts';
import type { HolderTrials } from './checkInput.ts';
import { haveHoldersSold, holderSalesCheck } from './holderSales.ts';
import { holderTrialsCheck, simulationDetectedCheck } from './holderTrials.ts';

const wallet = (i: number): Hex => `0x${i.toString(16).padStart(40, '0')}`;
const wallets = (from: number, to: number): Hex[] =>
  Array.from({ length: to - from }, (_one, i) => wallet(from + i));
const trade = (blockNumber: number, trader: Hex, isSale = false): HolderTrade => ({
  blockNumber,
  timestampS: 12 * blockNumber,
  trader,
  isSale,
  txHash: `0x${'e'.repeat(64)}`,
  amount: 1n,
});

describe('three holders', () => {
  const judged = (refused: number, more: Partial<HolderTrials> = {}): string[] => {
    const [unable, sold] = [wallets(0, refused), wallets(refused, 3)];
    const reason = sentence('revertsSilently');
    const shownBy = { paid: [], free: [], later: [] };
    const about = { blockNumber: 7, tried: 3, bought: 3, soldForFree: [], reason, shownBy };
    const trials = { ...about, refused: unable, sold, ...more };
    const input = checkInputOf({ trials });
    const results = [holderTrialsCheck.run(input), simulationDetectedCheck.run(input)].flat();
    return results.map(({ status, severity }) => `${status} ${severity}`);
  };

  it('are enough where nobody else ever bought, as robots do not, and none of them can sell, or all', () => {
    assert.deepEqual(judged(3, { soldForFree: wallets(0, 3) }), ['fail warning', 'fail critical']);
    assert.deepEqual(judged(0), ['pass critical', 'pass critical']);
    const unknown = ['unknown critical', 'unknown critical'];
    assert.deepEqual([judged(2), judged(1)], [unknown, unknown]);
    assert.deepEqual(judged(3, { bought: 12 }), unknown);
    assert.deepEqual(judged(3, { bought: undefined }), unknown);
  });
});

describe('holders who are refused though others sold', () => {
  /** Twelve buy, the first six sell thirty blocks later; some of those simulated at a block are refused. */
  const judged = (
    refused: readonly Hex[],
    {
      at = 200,
      sold = [],
      reason = 'revertsSilently',
      bought = 1,
      repeated,
      kind = 'sellFails',
      isAlike = false,
    }: {
      at?: number;
      sold?: readonly Hex[];
      reason?: 'revertsSilently' | 'byRouter';
      bought?: number;
      repeated?: { worked: number; sent?: number };
      kind?: 'sellFails' | 'buyFails';
      /** Whether the new buyer is refused with the same message. */
      isAlike?: boolean;
    } = {},
  ): string => {
    const trades = [
      ...wallets(0, 6).map((one) => trade(1, one)),
      ...wallets(6, 12).map((one) => trade(bought, one)),
      ...wallets(0, 6).map((one) => trade(31, one, true)),
    ].toSorted((one, other) => one.blockNumber - other.blockNumber);
    const experience = holdersExperience({ trades, failed: [], dependents: new Map() });
    const why = sentence('revertsSilently');
    const trials: HolderTrials = {
      blockNumber: at,
      tried: refused.length + sold.length,
      sold,
      refused,
      soldForFree: [],
      reason: reason === 'byRouter' ? sentence('byRouter', { why }) : why,
      repeated: repeated && { sales: 6, sent: 6, shownBy: [], ...repeated },
      shownBy: { paid: [], free: [], later: [] },
    };
    const refusal = isAlike ? sentence('byTransfer', { why }) : why;
    const failed = { kind, blockNumber: at, reason: refusal, limits: [], shownBy: [] };
    const input = checkInputOf({ experience, trials, simulation: failed });
    const [result, own] = [holderTrialsCheck.run(input), holderSalesCheck.run(input)].flat();
    assert.equal(own?.status === 'fail', result?.status === 'fail');
    assert.equal(haveHoldersSold(input), result?.status !== 'fail');
    return `${result?.status} ${result?.severity}`;
  };

  it('accuse where half of them and a new buyer are refused alike, and a sale that was made works again', () => {
    const sold = [...wallets(0, 4), wallet(11)];
    const others = { sold, repeated: { worked: 1 } };
    assert.equal(judged(wallets(6, 11), { ...others, isAlike: true }), 'fail critical');
    assert.equal(judged(wallets(6, 11), others), 'unknown critical');
  });

  it('leave it unknown whether holders can sell where some of them and a new buyer are refused alike', () => {
    const told = (refused: number, isAlike = true): string =>
      judged(wallets(12 - refused, 12), { sold: wallets(0, 12 - refused), isAlike });
    assert.deepEqual([told(3), told(2)], ['unknown critical', 'pass critical']);
    assert.equal(told(3, false), 'pass critical');
  });

  it('accuse where nobody can sell any more: sales were closed since', () => {
    assert.equal(judged(wallets(0, 12)), 'fail critical');
  });

  it('accuse nobody who waits, where the others waited as long before they sold', () => {
    assert.equal(judged(wallets(0, 12), { at: 220, bought: 200 }), 'unknown critical');
    assert.equal(judged(wallets(0, 12), { at: 230, bought: 200 }), 'fail critical');
  });

  it('accuse nobody where the refused have sold before: there are limits for what a wallet sells', () => {
    assert.equal(judged(wallets(0, 10)), 'unknown critical');
  });

  it('accuse where most cannot sell and sales that were made work again, or nobody sent them: only some can', () => {
    const [refused, sold] = [wallets(2, 12), wallets(0, 2)];
    assert.equal(judged(refused, { sold, repeated: { worked: 0 } }), 'unknown critical');
    const few = { sold: wallets(0, 3), repeated: { worked: 1 } };
    assert.equal(judged(wallets(6, 12), few), 'fail critical');
    assert.equal(judged(wallets(6, 12), { ...few, sold: wallets(0, 4) }), 'unknown critical');
    const unsent = { sold: wallets(0, 3), repeated: { worked: 0, sent: 0 } };
    assert.equal(judged(wallets(6, 12), unsent), 'fail critical');
  });

  it('accuse nobody where nobody can buy either: trading has stopped for all', () => {
    assert.equal(judged(wallets(0, 12), { kind: 'buyFails' }), 'unknown critical');
  });

  it('accuse nobody where others can sell, or where the router may be to blame', () => {
    assert.equal(judged(wallets(2, 12), { sold: wallets(0, 2) }), 'unknown critical');
    assert.equal(judged(wallets(0, 12), { reason: 'byRouter' }), 'unknown warning');
    const before = { reason: 'byRouter', repeated: { worked: 1 } } as const;
    assert.equal(judged(wallets(0, 12), before), 'fail critical');
  });
});
