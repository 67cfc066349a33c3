import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { word } from '../../../shared/testing/evmData.ts';
import { address, ok, REVERTED, PROBE_STAGE as STAGE } from '../testing/probe.ts';
import { planDelivery, planPower, planSaleAfter, planSaleInProfit } from './probePlan.ts';
import {
  isBitten,
  readDelivery,
  readPayment,
  readPower,
  readSaleAfter,
  readSaleGas,
  readSaleInProfit,
} from './readProbe.ts';

const answer = (...blocks: object[][]) => ({
  ok: true as const,
  result: blocks.map((calls) => ({ calls })),
});
const REFUSED = { ok: false, code: -32_000 } as const;
const BOUGHT = ok(50_000, 10_000);
const SOLD = { kind: 'sold', tax: 0 } as const;
/** A sale: the approval, the transfer, and its proceeds. */
const saleOf = (transfer: object, settled: object): object[] => [ok(1), transfer, settled];
const REFUSED_SALE = saleOf(REVERTED, ok(0, 0));

describe('readDelivery', () => {
  const plan = planDelivery(STAGE);
  it('reads what was paid out and what arrived', () => {
    const read = readDelivery(plan, answer([BOUGHT], [ok(9_000)]));
    assert.deepEqual(read, { bought: 10_000n, arrived: 9_000n });
  });
  it('reads nothing where the purchase fails or the node refuses', () => {
    assert.equal(readDelivery(plan, answer([REVERTED], [ok(0)])), undefined);
    assert.equal(readDelivery(plan, answer([BOUGHT])), undefined);
    assert.equal(readDelivery(plan, REFUSED), undefined);
  });
});

describe('readSaleAfter', () => {
  const plan = planSaleAfter(STAGE, 12);
  it('measures the tax and the gas of a sale', () => {
    const sale = answer([BOUGHT], saleOf(ok(1), ok(7_500, 400)));
    assert.deepEqual(readSaleAfter(plan, sale, 10_000n), { kind: 'sold', tax: 0.25 });
    assert.equal(readSaleGas(sale), 60_000);
  });
  it('says why a sale fails', () => {
    assert.deepEqual(readSaleAfter(plan, answer([BOUGHT], REFUSED_SALE), 10_000n), {
      kind: 'failed',
      reason: sentence('revertsSilently'),
    });
    assert.equal(
      readSaleAfter(plan, answer([BOUGHT], saleOf(ok(1), ok(0, 0))), 1n)?.kind,
      'failed',
    );
  });
  it('says nothing where it cannot be read', () => {
    assert.equal(readSaleAfter(plan, REFUSED, 10_000n), undefined);
    assert.equal(readSaleGas(REFUSED), 0);
  });
});

describe('readSaleInProfit', () => {
  const plan = planSaleInProfit(STAGE, { stranger: address('8'), size: 500n, times: 2 });
  const sale = { amount: STAGE.amount, times: 2 };
  it('measures a sale after as many purchases of somebody else as are let through', () => {
    const sold = answer([BOUGHT], [ok(9, 9), REVERTED], saleOf(ok(1), ok(1_000, 400)));
    assert.deepEqual(readSaleInProfit(plan, sold, sale), { kind: 'sold', tax: 0.9 });
  });
  it('says nothing where nobody else can buy', () => {
    const limited = answer([BOUGHT], [REVERTED, REVERTED], REFUSED_SALE);
    assert.equal(readSaleInProfit(plan, limited, sale), undefined);
  });
});

describe('readPower', () => {
  const watched = [STAGE.trader, address('6'), address('7')];
  const plan = planPower(STAGE, {
    target: STAGE.token,
    caller: address('7'),
    data: '0xdeadbeef',
    watched,
    spenders: [address('7')],
  });
  const before = [ok(10_000), ok(0), ok(500_000)];
  const sold = saleOf(ok(1), ok(10_000, 400));
  const read = (
    acted: object,
    after: object[],
    sale: object[],
    { supply = 1_000_000n, allowed = ok(0), had = before } = {},
  ) =>
    readPower(plan, answer([BOUGHT], [...had, ok(0), acted, ...after, allowed, ...sale]), {
      supply,
      amount: STAGE.amount,
      watched: watched.length,
      spenders: 1,
      hasMarket: true,
      sale: SOLD,
    });

  it('finds nothing where nothing changes, or the call reverts', () => {
    assert.deepEqual(read(ok(1), before, sold), []);
    assert.deepEqual(read(REVERTED, before, saleOf(REVERTED, REVERTED)), []);
  });
  it('finds tokens made from nothing, by more than the supply', () => {
    const after = [ok(10_000), ok(1_000_000), ok(500_000)];
    assert.deepEqual(read(ok(1), after, sold), [{ kind: 'mint', value: 1 }]);
  });
  it('takes tokens that others may have sent for no new ones', () => {
    assert.deepEqual(read(ok(1), [ok(10_000), ok(400_000), ok(500_000)], sold), []);
  });
  it('finds tokens taken from the buyer, and blames their lack for nothing else', () => {
    const after = [ok(0), ok(0), ok(510_000)];
    assert.deepEqual(read(ok(1), after, REFUSED_SALE), [{ kind: 'confiscate', value: 1 }]);
    const less = [ok(9_967), ok(0), ok(500_033)];
    assert.deepEqual(read(ok(1), less, REFUSED_SALE), []);
  });
  it('takes nothing for taken that was given to the buyer before', () => {
    const had = [ok(20_000), ok(0), ok(490_000)];
    assert.deepEqual(read(ok(1), before, sold, { had }), []);
    const [taken] = read(ok(1), [ok(1_000), ok(0), ok(509_000)], sold, { had });
    assert.deepEqual(taken, { kind: 'confiscate', value: 0.9 });
  });
  it('finds the tokens of the pool gone, the last of those watched', () => {
    const after = [ok(10_000), ok(500_000), ok(5_000)];
    const kinds = (hasPool: boolean) =>
      readPower(plan, around(after, sold), { ...context, hasPool }).map(({ kind }) => kind);
    assert.deepEqual([kinds(true), kinds(false)], [['drain'], []]);
  });
  it('takes it for taken what others may take though the buyer permitted nothing', () => {
    const grab = read(ok(1), before, sold, { allowed: ok(1_000_000) });
    assert.deepEqual(grab, [{ kind: 'confiscate', value: 1 }]);
    assert.deepEqual(read(ok(1), before, sold, { allowed: ok(1_000) }), []);
  });
  it('finds sales stopped, and sales taxed away', () => {
    assert.deepEqual(read(ok(1), before, REFUSED_SALE), [{ kind: 'freeze', value: 1 }]);
    assert.deepEqual(read(ok(1), before, saleOf(ok(1), ok(1_000, 40))), [
      { kind: 'tax', value: 0.9 },
    ]);
  });

  const context = {
    supply: 1_000_000n,
    amount: STAGE.amount,
    watched: watched.length,
    spenders: 1,
    hasMarket: true,
    sale: SOLD,
  };
  const around = (after: object[], sale: object[]) =>
    answer([BOUGHT], [...before, ok(0), ok(1), ...after, ok(0), ...sale]);

  it('sees a little taken from the buyer, of the tokens or of a sale', () => {
    const isTaken = (after: object[], sale: object[]) =>
      isBitten(plan, around(after, sale), context);
    assert.equal(isTaken([ok(9_900), ok(0), ok(500_100)], REFUSED_SALE), true);
    assert.equal(isTaken(before, saleOf(ok(1), ok(9_800, 390))), true);
    assert.equal(isTaken(before, sold), false);
    assert.equal(isTaken([ok(0), ok(0), ok(510_000)], REFUSED_SALE), false);
  });

  it('reads what many calls do, of which the last fail, and what one does that was prepared', () => {
    const lost = [ok(100), ok(0), ok(509_900), ok(0), ...REFUSED_SALE];
    const reads = [...before, ok(0)];
    const many = {
      target: STAGE.token,
      caller: address('7'),
      data: '0xdeadbeef',
      acts: ['0xdeadbeef', '0xdeadbeef'],
      watched,
      spenders: [address('7')],
    } as const;
    const repeated = answer([BOUGHT], [...reads, ok(1), REVERTED, ...lost]);
    const robbed = [{ kind: 'confiscate', value: 0.99 }];
    assert.deepEqual(readPower(planPower(STAGE, many), repeated, { ...context, acts: 2 }), robbed);
    const { acts: _acts, ...once } = many;
    const prepared = planPower(STAGE, { ...once, prepared: ['0xc0ffee'] });
    const twice = answer([BOUGHT], [ok(1)], [...reads, ok(1), ...lost]);
    assert.deepEqual(readPower(prepared, twice, { ...context, prepared: 1 }), robbed);
  });
});

describe('readPayment', () => {
  const [OWNER, ASSET, VAULT] = [address('a'), address('b'), STAGE.token];
  const topicOf = (account: string) => `0x${account.slice(2).padStart(64, '0')}`;
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const logged = (change: { address?: string; from?: string; to?: string; data?: string }) => {
    const { address: emitter = ASSET, from = OWNER, to = VAULT, data = word(5) } = change;
    const topics = [TRANSFER, topicOf(from), topicOf(to)];
    const logs = [{ address: emitter, topics, data: data.startsWith('0x') ? data : `0x${data}` }];
    return answer([ok(1)], [{ ...ok(1), logs }]);
  };
  for (const [name, change, expected] of [
    ['another token that was handed over', {}, ASSET],
    ['nothing where it is of the token itself', { address: VAULT }, undefined],
    ['nothing where somebody else paid', { from: address('c') }, undefined],
    ['nothing where it is none', { data: '0x' }, undefined],
    ['nothing where it goes back to who pays', { to: OWNER }, undefined],
  ] as const) {
    it(`names ${name}`, () => {
      assert.equal(readPayment(logged(change), OWNER, VAULT), expected);
    });
  }
  it('names nothing where the node shows no logs, or refuses', () => {
    assert.equal(readPayment(answer([ok(1)]), OWNER, VAULT), undefined);
    assert.equal(readPayment(REFUSED, OWNER, VAULT), undefined);
    assert.equal(readPayment(undefined, OWNER, VAULT), undefined);
  });
});
