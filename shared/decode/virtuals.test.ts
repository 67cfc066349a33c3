import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { Fact, SwapFact } from '../chain/fact.ts';
import { addressOf as address, addressesOf, topicOf } from '../testing/evmData.ts';
import { factOf } from '../testing/facts.ts';
import { completeCurves } from './virtuals.ts';

const [TOKEN, PAIR, ASSET, LAUNCHER, TRADER, AGENT, LIE] = addressesOf(1, 2, 3, 4, 5, 6, 7);
const txHash = topicOf(1);
const ofCurve = { protocol: 'virtuals', pool: PAIR, txHash } as const;

const pairCreated = (n: number, token1 = ASSET, pool = PAIR): Fact =>
  factOf('poolCreated', n, { factory: LAUNCHER, pool, token0: TOKEN, token1, txHash });
const started = factOf('mint', 2, ofCurve);
const launched = factOf('poolCreated', 3, { ...ofCurve, factory: LAUNCHER, token0: TOKEN });
const moved = (n: number, from: Hex, to: Hex, value: Hex): Fact =>
  factOf('transfer', n, { token: TOKEN, from, to, value, txHash });
const swap = (n: number, own: Partial<SwapFact>): Fact => factOf('swap', n, { ...ofCurve, ...own });
const graduation = { ...ofCurve, manager: LAUNCHER, token0: TOKEN, token1: AGENT } as const;
const graduated = factOf('graduated', 20, { ...graduation, pool: TOKEN });
const completed = (...facts: Fact[]): Fact[] => {
  completeCurves(facts);
  return facts;
};

describe('curves of Virtuals', () => {
  it('take what they are priced in from the log of their pair, which is no pool of Uniswap V2', () => {
    const facts = completed(pairCreated(1), started, launched);
    assert.deepEqual(facts, [started, { ...launched, token1: ASSET }]);
  });

  it('are priced in nothing known where the transaction says two things', () => {
    const facts = completed(pairCreated(0, LIE), pairCreated(1), started, launched);
    assert.deepEqual(facts, [started, launched]);
  });

  it('take no pool of Uniswap V2 away that others name', () => {
    const pool = pairCreated(1);
    assert.deepEqual(completed(pool, launched), [pool, { ...launched, token1: ASSET }]);
    const elsewhere = pairCreated(0, ASSET, address(9));
    assert.deepEqual(completed(elsewhere, started), [elsewhere, started]);
  });

  it('are traded by whom they paid in tokens, or who paid them', () => {
    const purchase = swap(5, { amount0Out: '0x9', amount1In: '0x1' });
    const sale = swap(8, { amount0In: '0x7', amount1Out: '0x1' });
    const facts = completed(
      moved(4, PAIR, TRADER, '0x9'),
      purchase,
      moved(7, AGENT, PAIR, '0x7'),
      sale,
      swap(9, { amount0In: '0x8' }),
    );
    assert.deepEqual(
      facts.flatMap((fact) => (fact.kind === 'swap' ? [[fact.sender, fact.to]] : [])),
      [
        [TRADER, TRADER],
        [AGENT, AGENT],
        [ZERO_ADDRESS, ZERO_ADDRESS],
      ],
    );
  });

  it('graduate with their last trade', () => {
    const last = swap(19, { amount0Out: '0x9' });
    assert.deepEqual(completed(last, graduated).at(-1), { ...graduated, pool: PAIR });
    assert.deepEqual(completed(graduated), [graduated]);
    const other = { ...last, txHash: topicOf(2) };
    assert.deepEqual(completed(other, graduated).at(-1), graduated);
  });
});
