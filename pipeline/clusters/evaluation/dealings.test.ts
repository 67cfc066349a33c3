import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { type DeploymentRow, dealingsOf, type EdgeRow } from './arrangeFacts.ts';

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
const deployed = (creator: Hex): DeploymentRow => ({
  token: address(9),
  creator,
  block: 1,
  isScam: true,
});

/** Customers of one exchange, each of whom pays the next so many. */
const world = (paid: number): EdgeRow[] =>
  Array.from({ length: CUSTOMERS }, (_, i) => [
    pay(EXCHANGE, customer(i)),
    ...Array.from({ length: paid }, (_, n) => pay(customer(i), customer(i + n + 1))),
  ]).flat();

describe('how many outsiders bystanders and scammers deal with', () => {
  it('is measured where customers of a service deal with many', () => {
    const scammer = address(5);
    const met = [0, 1, 2].map((i) => pay(scammer, customer(i)));
    assert.deepEqual(dealingsOf([...world(10), ...met], [deployed(scammer)]), {
      lively: 20,
      bystanders: 20,
      scammers: 3,
    });
  });

  for (const paid of [0, 2]) {
    it(`is unknown where each pays ${paid}`, () =>
      assert.equal(dealingsOf(world(paid), []), undefined));
  }

  it('is unknown where scammers deal with as many', () => {
    assert.equal(dealingsOf(world(10), [deployed(customer(0))]), undefined);
  });
});
