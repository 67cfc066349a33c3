import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { checkInputOf, contractOf, probeOf } from '../testing/checkInputOf.ts';
import { saleGas, sellLater, tokensDelivered } from './tradeProbes.ts';

type Trade = NonNullable<Extract<ContractProfile['probe'], { kind: 'done' }>['trade']>;
const HONEST: Trade = {
  delivered: 1,
  sells: true,
  saleGas: 60_000,
  sellsLater: true,
  laterReason: null,
};
const reason = sentence('revertsSilently');
const HINDERED: readonly NonNullable<Trade['hindered']>[] = [
  { kind: 'fall', reason },
  { kind: 'purchase', reason },
  { kind: 'code', address: `0x${'e'.repeat(40)}`, reason },
  { kind: 'crowd', reason },
];
const inputOf = (trade: Partial<Trade> | null) => {
  const probe = probeOf([]);
  assert(probe.kind === 'done');
  const tried = { ...probe, trade: trade && { ...HONEST, ...trade } };
  return checkInputOf({ contract: contractOf({ probe: tried }) });
};

export const INPUTS = HINDERED.map((hindered) => inputOf({ hindered }));

describe('checks of a rehearsed trade', () => {
  for (const [name, check, trade, status] of [
    ['all delivered', tokensDelivered, {}, 'pass'],
    ['taxed on the way', tokensDelivered, { delivered: 0.9 }, 'pass'],
    ['nothing delivered', tokensDelivered, { delivered: 0 }, 'fail'],
    ['nothing bought', tokensDelivered, null, 'unknown'],
    ['sells later', sellLater, {}, 'pass'],
    [
      'sells now only',
      sellLater,
      { sellsLater: false, laterReason: sentence('revertsSilently') },
      'fail',
    ],
    [
      'sells for some days only',
      sellLater,
      { weeksLaterReason: sentence('revertsSilently') },
      'fail',
    ],
    [
      'sells at a loss only',
      sellLater,
      { profit: { size: '100000', times: 1, reason: sentence('keeps', { share: 0.9 }) } },
      'fail',
    ],
    ['sells until the price falls', sellLater, { hindered: HINDERED[0] }, 'fail'],
    ['sells while nobody buys', sellLater, { sells: false, hindered: HINDERED[1] }, 'fail'],
    ['sells until a guard is deployed', sellLater, { hindered: HINDERED[2] }, 'fail'],
    ['sells until many have bought', sellLater, { hindered: HINDERED[3] }, 'fail'],
    ['sells never', sellLater, { sells: false, sellsLater: false }, 'not_applicable'],
    ['usual gas', saleGas, {}, 'pass'],
    ['gas of a swap on the way', saleGas, { saleGas: 900_000 }, 'pass'],
    ['gas that keeps sellers away', saleGas, { saleGas: 2_500_000 }, 'fail'],
    ['gas of a sale that fails', saleGas, { sells: false, saleGas: 2_500_000 }, 'not_applicable'],
  ] as const) {
    it(`${name}: ${status}`, () => {
      assert.equal(check(inputOf(trade)).status, status);
    });
  }

  it('are unknown while nothing could be tried', () => {
    const probe = { kind: 'unknown', reason: sentence('nodeSilent') } as const;
    const contract = contractOf({ probe });
    for (const check of [tokensDelivered, sellLater, saleGas]) {
      assert.equal(check(checkInputOf({ contract })).status, 'unknown');
      assert.equal(check(checkInputOf()).status, 'unknown');
    }
  });
});
