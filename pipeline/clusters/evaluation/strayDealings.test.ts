import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { type EdgeRow, strayDealingsOf } from './arrangeFacts.ts';

const address = (name: number): Hex => `0x${name.toString(16).padStart(40, '0')}`;
const EXCHANGE = address(1);
const CUSTOMERS = 1_200;
const customer = (i: number): Hex => address(1_000 + (i % CUSTOMERS));
const pay = (from: Hex, to: Hex): EdgeRow => ({
  from,
  to,
  kind: 'native',
  value: 1,
  block: 1,
  tx: null,
});

/** Customers of one exchange, each of whom pays the next so many. */
const world = (paid: number): EdgeRow[] =>
  Array.from({ length: CUSTOMERS }, (_, i) => [
    pay(EXCHANGE, customer(i)),
    ...Array.from({ length: paid }, (_, n) => pay(customer(i), customer(i + n + 1))),
  ]).flat();

describe('outsiders that chance may give a wallet', () => {
  const cases = [
    { name: 'no wallet deals with another', paid: 0, stray: 0 },
    { name: 'a few dealings prove nothing', paid: 2, stray: 0 },
    { name: 'twenty dealings each leave room for some', paid: 10, stray: 10 },
    { name: 'never more than ten', paid: 50, stray: 10 },
  ];
  for (const { name, paid, stray } of cases) {
    it(name, () => assert.equal(Math.round(strayDealingsOf(world(paid), new Set())), stray));
  }

  it('deployers are not counted', () => {
    const deployers = new Set(Array.from({ length: CUSTOMERS }, (_, i) => customer(i)));
    assert.equal(strayDealingsOf(world(10), deployers), 0);
  });
});
