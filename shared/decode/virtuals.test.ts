import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import { addressOf as address, addressesOf } from '../testing/evmData.ts';
import { completeCurves } from './virtuals.ts';

const [TOKEN, PAIR, ASSET, LAUNCHER, TRADER, AGENT, LIE] = addressesOf(1, 2, 3, 4, 5, 6, 7);
const TX: Hex = `0x${'a'.repeat(64)}`;
const at = (logIndex: number, txHash = TX) => ({ txHash, txIndex: 0, logIndex });
const [virtuals, v2] = [{ protocol: 'virtuals' }, { protocol: 'uniswap_v2' }] as const;

const pairCreated = (logIndex: number, token1 = ASSET, pool = PAIR): Fact => ({
  kind: 'poolCreated',
  ...v2,
  factory: LAUNCHER,
  pool,
  token0: TOKEN,
  token1,
  ...at(logIndex),
});
const started: Fact = {
  kind: 'mint',
  ...virtuals,
  pool: PAIR,
  sender: ZERO_ADDRESS,
  amount0: '0x64',
  amount1: '0x6',
  ...at(2),
};
const launched: Fact = {
  kind: 'poolCreated',
  ...virtuals,
  factory: LAUNCHER,
  pool: PAIR,
  token0: TOKEN,
  token1: ZERO_ADDRESS,
  ...at(3),
};
const moved = (logIndex: number, from: Hex, to: Hex, value: Hex): Fact => ({
  kind: 'transfer',
  token: TOKEN,
  from,
  to,
  value,
  ...at(logIndex),
});
const swap = (logIndex: number, own: object): Fact => ({
  kind: 'swap',
  ...virtuals,
  pool: PAIR,
  sender: ZERO_ADDRESS,
  to: ZERO_ADDRESS,
  amount0In: '0x0',
  amount1In: '0x0',
  amount0Out: '0x0',
  amount1Out: '0x0',
  ...at(logIndex),
  ...own,
});
const graduated: Fact = {
  kind: 'graduated',
  ...virtuals,
  pool: TOKEN,
  manager: LAUNCHER,
  token0: TOKEN,
  token1: AGENT,
  amount0: '0x0',
  amount1: '0x0',
  ...at(20),
};
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
    const other = { ...last, txHash: `0x${'b'.repeat(64)}` } as Fact;
    assert.deepEqual(completed(other, graduated).at(-1), graduated);
  });
});
