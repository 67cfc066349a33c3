import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { withoutRequests } from '../testing/simulations.ts';
import type { Answer } from './readOutcomes.ts';
import type { SimulationPlan, Trade } from './simulateParams.ts';
import { ROUNDS_MAX, tradeSteps } from './tradeSteps.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const TRADE = {
  market: {
    kind: 'reserves' as const,
    pool: address('1'),
    token: address('2'),
    base: address('3'),
  },
  head: { number: 100, timestampS: 1_700_000_000 },
  trader: address('4'),
  router: address('5'),
  friend: address('6'),
};

const words = (...values: readonly number[]) =>
  `0x${values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('')}`;
const done = (...values: readonly number[]) => ({ status: '0x1', returnData: words(...values) });
const ERROR_ABI = parseAbi(['error Error(string)']);
const REVERT = { status: '0x0', returnData: '0x' };
const answer = (...blocks: readonly (readonly object[])[]): Answer => ({
  ok: true,
  result: blocks.map((calls) => ({ calls, number: '0x1' })),
});

const BOUGHT = answer([done(5_000, 8_000)], [done(8_000)]);
const BUY_FAILS = answer([REVERT], [done(0)]);
const SOLD = answer([done(5_000, 8_000)], [done(8_000), done(1), done(6_000, 3_000), done(3_000)]);
const SALE_FAILS = answer([done(5_000, 8_000)], [done(8_000), REVERT, done(0, 0), done(0)]);
const MOVED = answer([done(5_000, 8_000)], [done(8_000), done(1), done(7_200)]);
const GATHERED = answer(
  Array.from({ length: 4 }, () => done(5_000, 8_000)),
  [done(1), done(6_000, 3_000)],
);
/** What else a buyer meets: a tenth of a transfer is lost, nothing is limited. */
const MANNERS = [MOVED, BOUGHT, GATHERED];
const GARBAGE: Answer = { ok: true, result: { calls: 'no' } };

/** With the approval by which a sale through a router begins. */
const asAsked = (one: Answer, { callsPerBlock: [, asked] }: SimulationPlan): Answer => {
  const blocks = one.ok && Array.isArray(one.result) ? (one.result as { calls: object[] }[]) : [];
  const [buy, sale, ...others] = blocks.map(({ calls }) => calls);
  const isLess = sale && sale.length >= 3 && others.length === 0 && asked === sale.length + 1;
  return buy && isLess ? answer(buy, [done(1), ...sale]) : one;
};

/** Gives each round its answers; returns the result and the requests of each round. */
const converse = (...rounds: readonly (readonly Answer[])[]) => converseOn({}, rounds);

const converseOn = (
  parts: Partial<Pick<Trade, 'market' | 'named'>>,
  rounds: readonly (readonly Answer[])[],
) => {
  const steps = tradeSteps({ ...TRADE, ...parts });
  const asked: (readonly SimulationPlan[])[] = [];
  let state = steps.next([]);
  for (const round of rounds) {
    assert(state.done !== true, 'the trade goes on');
    asked.push(state.value);
    const plans: readonly SimulationPlan[] = state.value;
    assert.equal(plans.length, round.length);
    state = steps.next(round.flatMap((one, i) => (plans[i] ? asAsked(one, plans[i]) : [])));
  }
  assert(state.done === true, 'the trade has ended');
  // Its evidence is tested where it is replayed.
  return { end: withoutRequests(state.value), asked };
};

const sellFails = {
  kind: 'sellFails',
  blockNumber: 100,
  reason: sentence('byTransfer', { why: sentence('revertsSilently') }),
  limits: [],
};

describe('tradeSteps', () => {
  it('ends with the taxes of a trade that works', () => {
    assert.deepEqual(converse([BOUGHT], [SOLD, SOLD, ...MANNERS]).end, {
      kind: 'traded',
      blockNumber: 100,
      buyTax: 0,
      sellTax: 0.25,
      sellableAfterS: 12,
      transfer: { kind: 'moved', tax: 0.1 },
      limits: [],
    });
  });

  it('counts as kept what the token takes from the price before a sale, but not what the fee of a pool is', () => {
    const [buy, held] = [done(5_000, 8_000), done(8_000)];
    const third = answer([buy], [held, done(1), done(8_000, 1_500), done(1_500)]);
    const taxOf = (market: Trade['market']) => {
      const { end } = converseOn({ market }, [[BOUGHT], [third, third, ...MANNERS]]);
      return end.kind === 'traded' ? end.sellTax : end.kind;
    };
    assert.equal(taxOf(TRADE.market), 0.7);
    assert.equal(taxOf({ ...TRADE.market, kind: 'managed' }), 0);
  });

  it('stands on the head, with blocks 12 s apart, 200 at the most', () => {
    const failing = [SALE_FAILS, SOLD] as const;
    const { asked } = converse([BOUGHT], [...failing, ...MANNERS], failing, failing);
    const blocks = asked.flat().map(({ params: [payload, parent] }) => {
      const { blockStateCalls } = payload as {
        blockStateCalls: { blockOverrides: { number: string; time: string } }[];
      };
      const times = blockStateCalls.map(
        ({ blockOverrides }) => Number(blockOverrides.time) - TRADE.head.timestampS,
      );
      const numbers = blockStateCalls.map(({ blockOverrides }) => Number(blockOverrides.number));
      return [Number(parent), ...numbers, ...times];
    });
    const near = [100, 101, 102, 12, 24];
    const later = [100, 101, 300, 12, 3_612];
    const nextDay = [100, 101, 300, 12, 100_008];
    assert.deepEqual(blocks, [...Array(6).fill(near), later, later, nextDay, nextDay]);
  });

  it('takes limits of a token that makes buyers wait from when they may sell', () => {
    const limited = [MOVED, BUY_FAILS, GATHERED];
    const rounds = [[BOUGHT], [SALE_FAILS, SOLD, ...limited], [SOLD, SOLD], MANNERS] as const;
    const { end } = converse(...rounds);
    assert(end.kind === 'traded', end.kind);
    assert.deepEqual([end.sellableAfterS, end.limits], [3_600, []]);
    const [purchase, atOnce] = rounds;
    const nextDay = converse(purchase, atOnce, [SALE_FAILS, SOLD], [SOLD, SOLD], MANNERS).end;
    assert(nextDay.kind === 'traded' && nextDay.sellableAfterS === 99_996);
  });

  it('ends with a failing sale where it fails later too, either way', () => {
    const refusedByRouter = {
      ...sellFails,
      reason: sentence('byRouter', { why: sentence('revertsSilently') }),
      isRouterRefused: true,
    };
    // The failure a day later is reported: no waiting time explains that.
    assert.deepEqual(
      converse([BOUGHT], [SALE_FAILS, SOLD, ...MANNERS], [SALE_FAILS, SOLD], [SOLD, SALE_FAILS])
        .end,
      refusedByRouter,
    );
    assert.deepEqual(
      converse([BOUGHT], [SALE_FAILS, GARBAGE, ...MANNERS], [GARBAGE, GARBAGE], [GARBAGE, SOLD])
        .end,
      sellFails,
    );
    const byRouter = [SOLD, SALE_FAILS] as const;
    const { end } = converse([BOUGHT], [...byRouter, ...MANNERS], byRouter, byRouter);
    assert.deepEqual(end, refusedByRouter);
  });

  it('tries contracts that the token names where a new router is refused, now and a day later', () => {
    const byRouter = [SOLD, SALE_FAILS] as const;
    const throughAll = (...earned: readonly number[]) => {
      const answers = earned.map((one) =>
        answer([done(5_000, 8_000)], [done(1), done(), done(one)]),
      );
      const rounds = [[BOUGHT], [...byRouter, ...MANNERS], byRouter, byRouter, answers];
      const { end } = converseOn({ named: [address('7'), address('8')] }, rounds);
      assert(end.kind === 'sellFails' && end.isRouterRefused);
      return end.soldThrough?.router;
    };
    assert.equal(throughAll(4_900, 4_900, 0, 0), address('7'));
    assert.equal(throughAll(4_900, 0, 4_900, 2_600), address('8'));
    assert.equal(throughAll(4_900, 2_400, 0, 4_900), undefined);
  });

  it('sells through a router that may take what is sold, where nobody may permit more than he has', () => {
    const [buy, held] = [done(5_000, 8_000), done(8_000)];
    const routed = (...swap: readonly object[]) =>
      answer([buy], [done(1), held, REVERT, ...swap, done(3_000)]);
    const kindOf = (one: Answer) =>
      converse([BOUGHT], [SOLD, one, ...MANNERS], [SOLD, one], [SOLD, one]).end.kind;
    const { end } = converse([BOUGHT], [SOLD, routed(done(8_000, 4_900)), ...MANNERS]);
    assert.equal(end.kind, 'traded');
    assert.equal(kindOf(routed(REVERT)), 'sellFails');
    assert.equal(kindOf(routed(done(0, 0))), 'sellFails');
  });

  it('buys less where a purchase fails, and fails where the smallest fails', () => {
    const { end } = converse([BUY_FAILS], [BUY_FAILS, BOUGHT], [SOLD, SOLD, ...MANNERS]);
    assert.equal(end.kind, 'traded');
    assert.deepEqual(converse([BUY_FAILS], [BUY_FAILS, BUY_FAILS]).end, {
      kind: 'buyFails',
      blockNumber: 100,
      reason: sentence('revertsSilently'),
    });
    const nothing = answer([done(1, 0)], [done(0)]);
    assert.equal(converse([BUY_FAILS], [BUY_FAILS, nothing]).end.kind, 'buyFails');
  });

  it('distinguishes limits of a purchase, of a wallet and of a sale', () => {
    const limits = (larger: Answer, gathered: Answer) => {
      const { end } = converse([BOUGHT], [SOLD, SOLD, MOVED, larger, gathered]);
      assert(end.kind === 'traded');
      return end.limits;
    };
    const [bought, sold] = [done(5_000, 8_000), [done(1), done(6_000, 3_000)]];
    const full = answer([bought, bought, REVERT, REVERT], [done(1), REVERT]);
    const stuck = answer([bought, bought, bought, bought], [REVERT, done(0, 0)]);
    assert.deepEqual(limits(BUY_FAILS, GATHERED), [{ kind: 'purchase', share: 0.02 }]);
    assert.deepEqual(limits(BOUGHT, full), [{ kind: 'wallet', share: 0.02 }]);
    assert.deepEqual(limits(BOUGHT, stuck), [{ kind: 'sale', share: 0.015 }]);
    // What cannot be read is no limit.
    assert.deepEqual(limits(GARBAGE, answer([bought], sold)), []);
  });

  it('says where only a small part of a purchase can be sold', () => {
    const bought = answer([done(50_000, 80_000)], [done(80_000)]);
    const fails = answer([done(50_000, 80_000)], [done(80_000), REVERT, done(0, 0), done(0)]);
    const small = answer([done(50_000, 80_000)], [done(80_000), done(1), done(8, 4), done(4)]);
    const { end } = converse(
      [bought],
      [fails, fails, ...MANNERS],
      [fails, fails],
      [fails, fails],
      [small, GARBAGE],
    );
    assert.deepEqual(end, { ...sellFails, limits: [{ kind: 'sale', share: 0.005 }] });
  });

  it('takes no more rounds than it may where a small purchase works and its sale fails at a hook', () => {
    const bought = answer([done(50_000, 80_000)], [done(80_000)]);
    const fails = answer([done(50_000, 80_000)], [done(80_000), REVERT, done(0, 0), done(0)]);
    const entry = {
      manager: address('7'),
      fee: 3_000,
      tickSpacing: 60,
      hooks: address('8'),
      isNative: true,
    };
    const { end, asked } = converseOn({ market: { ...TRADE.market, kind: 'managed', entry } }, [
      [BUY_FAILS],
      [BUY_FAILS, bought],
      [fails, fails, ...MANNERS],
      [fails, fails],
      [fails, fails],
      [fails, GARBAGE],
      [fails],
    ]);
    assert.deepEqual([end.kind, asked.length], ['sellFails', ROUNDS_MAX]);
  });

  it('knows a refused sale by its words where a wallet that gathers tokens is refused in them too', () => {
    const revert = (text: string) => ({
      status: '0x0',
      returnData: encodeErrorResult({ abi: ERROR_ABI, args: [text] }),
    });
    const bought = [done(50_000, 80_000)];
    const failing = (text: string) =>
      answer(bought, [done(80_000), revert(text), done(0, 0), done(0)]);
    const [early, fails] = [failing('too fast'), failing('too much')];
    const isLimited = (...gathered: readonly object[]): boolean => {
      const blocks = Array.from({ length: 24 }, (_, i) => [gathered[i] ?? done(1)]);
      const last = Array.from({ length: 176 }, () => gathered.at(-1) ?? done(1));
      const rounds = [
        [answer(bought, [done(80_000)])],
        [early, early, ...MANNERS],
        [early, early],
        [fails, fails],
      ] as const;
      const { end } = converse(...rounds, [fails, answer(...blocks, last)]);
      assert(end.kind === 'sellFails', end.kind);
      return end.walletLimit !== undefined;
    };
    assert.equal(isLimited(done(1), done(1), revert('too much')), true);
    assert.equal(isLimited(done(1), done(1), done(1), revert('too much')), true);
    assert.equal(isLimited(done(1), revert('too fast')), false);
    // Refused from the first transfer on: that is no limit.
    assert.equal(isLimited(revert('too much')), false);
    assert.equal(isLimited(done(1)), false);
  });

  it('distinguishes a transfer that fails from one that cannot be read', () => {
    const transferOf = (moved: Answer) => {
      const { end } = converse([BOUGHT], [SOLD, SOLD, moved, BOUGHT, GATHERED]);
      assert(end.kind === 'traded');
      return end.transfer;
    };
    const reverts = answer([done(5_000, 8_000)], [done(8_000), REVERT, done(0)]);
    assert.deepEqual(transferOf(reverts), {
      kind: 'failed',
      reason: sentence('revertsSilently'),
    });
    assert.equal(transferOf(GARBAGE).kind, 'unreadable');
  });

  it('does not know what a pool without reserves would do', () => {
    const { end } = converse([answer([done(99, 8_000)], [done(8_000)])]);
    assert.deepEqual(end, {
      kind: 'unknown',
      reason: sentence('poolTooSmall'),
    });
  });

  const strange: readonly [string, Answer][] = [
    ['refuses', { ok: false, code: -32_000 }],
    ['says nothing', { ok: true, result: null }],
    ['answers another shape', GARBAGE],
    ['leaves out a block', answer([done(5_000, 8_000)])],
    ['leaves out a call', answer([done(5_000, 8_000)], [])],
    ['adds a call', answer([done(1, 2), done(1)], [done(1)])],
    ['answers an unknown status', answer([{ status: '0x2', returnData: '0x' }], [done(1)])],
    ['answers no data', answer([{ status: '0x1' }], [done(1)])],
    ['answers short data', answer([{ status: '0x1', returnData: '0x01' }], [done(1)])],
  ];
  for (const [name, odd] of strange) {
    it(`does not know what a node means that ${name}`, () => {
      assert.equal(converse([odd]).end.kind, 'unknown');
      assert.equal(converse([BUY_FAILS], [odd, odd]).end.kind, 'unknown');
      assert.equal(converse([BOUGHT], [odd, odd, ...MANNERS]).end.kind, 'unknown');
    });
  }

  it('does not judge a sale of a balance that was not there the second time', () => {
    const moved = answer([done(5_000, 8_000)], [done(7_999), REVERT, REVERT, done(0)]);
    assert.equal(converse([BOUGHT], [moved, moved, ...MANNERS]).end.kind, 'unknown');
  });
});
