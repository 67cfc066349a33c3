import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { holdersExperience } from '../features/holdersExperience.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { checkInputOf, contractOf } from '../testing/checkInputOf.ts';
import type { TradeSimulation } from './checkInput.ts';
import { checkOf } from './checkResult.ts';
import { tradingClosed, tradingClosedCheck } from './tradingClosed.ts';

const REQUEST = [{ blockStateCalls: [] }, '0x7'];
const CLOSED: TradeSimulation = {
  kind: 'buyFails',
  blockNumber: 7,
  reason: sentence('revertsWith', { text: 'Trading is not open' }),
  shownBy: REQUEST,
};
const BOUGHT = holdersExperience({
  trades: [
    {
      blockNumber: 7,
      timestampS: 84,
      trader: `0x${'1'.repeat(40)}`,
      isSale: false,
      txHash: `0x${'e'.repeat(64)}`,
      amount: 1n,
    },
  ],
  failed: [],
  dependents: new Map(),
});
const gated = contractOf({
  functions: [{ selector: selectorOf('enableTrading()'), arguments: '', writes: true }],
});

/** Rendered in every language by the test of all checks. */
export const INPUTS = [checkInputOf({ simulation: CLOSED, experience: BOUGHT })];

describe('tradingClosed', () => {
  it('says why no one can buy and who can open it, with a request that shows it', () => {
    const input = checkInputOf({ simulation: CLOSED, contract: gated });
    const [found] = tradingClosedCheck.run(input).map(checkOf);
    assert(found);
    assert.deepEqual(
      [found.status, found.severity, found.value],
      ['fail', 'warning', 'before_launch'],
    );
    assert.equal(
      found.reason,
      'Nobody can buy now, although the pool holds liquidity: it reverts with “Trading is not open”. The owner can open it: enableTrading().',
    );
    assert.deepEqual(found.evidence?.[0]?.request, { method: 'eth_simulateV1', params: REQUEST });
  });

  it('distinguishes a token that is closed to others from one before its launch, and from one that holders can sell', () => {
    const input = { simulation: CLOSED, contract: gated, experience: BOUGHT };
    assert.equal(tradingClosed(checkInputOf(input)).value, 'closed_to_others');
    const said = tradingClosed(checkInputOf({ ...input, purchaseCount: 3 })).reason;
    assert.match(JSON.stringify(said), /"closedToOthers","values":{"count":3}/);
    const [none, wallets] = [[], ['1', '2', '3'].map((one): Hex => `0x${one.repeat(40)}`)];
    const about = { blockNumber: 7, tried: 3, bought: 3, soldForFree: [] };
    const shownBy = { paid: [], free: [], later: [] };
    const able = { ...about, sold: wallets, refused: none, shownBy };
    const unable = { ...about, sold: none, refused: wallets, shownBy };
    assert.equal(tradingClosed(checkInputOf({ ...input, trials: able })).value, 'open_to_holders');
    assert.equal(
      tradingClosed(checkInputOf({ ...input, trials: unable })).value,
      'closed_to_others',
    );
  });

  it('distinguishes one that no one can open any more from one of which nothing is known', () => {
    const owner = { kind: 'renounced', address: null, via: null } as const;
    const renounced = { simulation: CLOSED, contract: { ...gated, owner } };
    assert.equal(tradingClosed(checkInputOf(renounced)).value, 'nobody_can_open');
    const bought = { ...renounced, experience: BOUGHT };
    assert.equal(tradingClosed(checkInputOf(bought)).value, 'nobody_can_open');
    assert.equal(tradingClosed(checkInputOf({ simulation: CLOSED })).value, 'unexplained');
  });

  it('passes where a purchase worked, and does not know where none was tried', () => {
    const sellFails: TradeSimulation = {
      kind: 'sellFails',
      blockNumber: 7,
      reason: sentence('revertsSilently'),
      limits: [],
      shownBy: [],
    };
    assert.equal(tradingClosed(checkInputOf({ simulation: sellFails })).status, 'pass');
    assert.equal(tradingClosed(checkInputOf()).status, 'unknown');
    const empty = { ...CLOSED, reason: sentence('deliversNothing') };
    assert.equal(tradingClosed(checkInputOf({ simulation: empty })).status, 'unknown');
  });
});
