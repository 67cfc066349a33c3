import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressOf as address, addressesOf } from '../../../shared/testing/evmData.ts';
import { dependentTraders, PAYERS_KEPT_MAX, type Payers } from './dependentTraders.ts';

const [CREATOR, ALICE, BOB, PAYER] = addressesOf(0xc1, 0xc2, 0xc3, 0xc4);
const TRADES = [20, 30].flatMap((blockNumber) =>
  [ALICE, BOB].map((trader) => ({ trader, blockNumber })),
);
/** Wallets of either kind that are not independent. */
const found = (payers: readonly (readonly [Hex, Payers])[]) =>
  [...dependentTraders(CREATOR, TRADES, new Map(payers)).keys()].filter((one) => one !== CREATOR);
/** Payments to a wallet by a number of others, one per block. */
const manyFrom = (block: number): Payers =>
  Array.from({ length: PAYERS_KEPT_MAX }, (_, i) => [address(0x100 + i), block + i]);

describe('traders who do not speak for themselves', () => {
  const paidBy = (payer: Hex, ...wallets: Hex[]) =>
    wallets.map((wallet) => [wallet, [[payer, 10]]] as const);

  it('are all of one private payer but the first, and all of one that paid the creator', () => {
    assert.deepEqual(found([...paidBy(PAYER, ALICE, BOB), [PAYER, []]]), [BOB]);
    const friends = [...paidBy(PAYER, ALICE, BOB, CREATOR), [PAYER, []] as const];
    assert.deepEqual(found(friends), [ALICE, BOB]);
  });

  it('are those whom the creator paid, or who was paid by it', () => {
    const hidden = [...paidBy(PAYER, ALICE), ...paidBy(CREATOR, PAYER), [CREATOR, []] as const];
    assert.deepEqual(found(hidden), [ALICE]);
    assert.deepEqual(found(paidBy(CREATOR, BOB)), [BOB]);
  });

  it('are none of a payer that many had paid by then, or of whom nothing is known', () => {
    const clients = paidBy(PAYER, ALICE, BOB, CREATOR);
    assert.deepEqual(found([...clients, [PAYER, manyFrom(-100)]]), []);
    assert.deepEqual(found([...clients, [PAYER, manyFrom(11)]]), [ALICE, BOB]);
    assert.deepEqual(found(clients), []);
  });

  it('are none of those whom somebody paid between two of their trades', () => {
    const gifts: Payers = [[CREATOR, 25]];
    assert.deepEqual(
      found([
        [ALICE, gifts],
        [BOB, gifts],
        [CREATOR, []],
      ]),
      [],
    );
  });

  it('are found where a wallet pays the one back that made it', () => {
    const [bob] = paidBy(ALICE, BOB);
    assert(bob);
    assert.deepEqual(found([bob, [ALICE, [[BOB, 12]]]]), [BOB]);
  });
});
