import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { checkInputOf, contractOf, probeOf } from '../testing/checkInputOf.ts';
import type { CheckInput, HolderTrials, TradeSimulation, WalletTransfer } from './checkInput.ts';
import { holderTrialsCheck } from './holderTrials.ts';
import { sellSimulation, tradeLimits, tradeTax, transferTax } from './sellSimulation.ts';

type Traded = Extract<TradeSimulation, { kind: 'traded' }>;

const inputOf = (simulation: TradeSimulation): CheckInput => checkInputOf({ simulation });
const traded = (buyTax: number, sellTax: number, sellableAfterS = 12): TradeSimulation => ({
  kind: 'traded',
  blockNumber: 7,
  buyTax,
  sellTax,
  sellableAfterS,
  transfer: { kind: 'moved', tax: 0 },
  limits: [],
  shownBy: { sale: ['sale'], transfer: ['transfer'], limits: [['limit']] },
});
const FAILING = {
  kind: 'sellFails',
  blockNumber: 7,
  reason: sentence('revertsSilently'),
  limits: [],
  shownBy: ['sale'],
} as const;
/** Six holders who cannot sell. */
const refusedFor = (reason: Sentence) => ({
  blockNumber: 7,
  tried: 6,
  sold: [],
  refused: Array.from({ length: 6 }, () => `0x${'2'.repeat(40)}` as const),
  soldForFree: [],
  reason,
  shownBy: { paid: [], free: [], later: [] },
});
/** The simulation's router is refused, six holders have sold, and all simulated ones can. */
const ONE_ROUTER = checkInputOf({
  simulation: { ...FAILING, isRouterRefused: true },
  trials: { ...refusedFor(sentence('revertsSilently')), refused: [], reason: undefined },
  experience: {
    buyers: 12,
    sellers: 6,
    buyersSinceSale: 0,
    blocksSinceSale: 0,
    purchases: [],
    sales: [],
    lastSaleS: 1_700_000_000,
    failed: [],
    soldAt: [],
    heldSince: new Map(),
    waits: [],
  },
});
/** A sale that fails a day later too, and four weeks later if a reason is given. */
const heldFor = (weeksLaterReason?: Sentence): CheckInput => {
  const probe = probeOf([]);
  assert(probe.kind === 'done' && probe.trade);
  const refused = { sells: false, sellsLater: false, laterReason: FAILING.reason };
  const trade = { ...probe.trade, ...refused, ...(weeksLaterReason && { weeksLaterReason }) };
  return checkInputOf({
    simulation: FAILING,
    contract: contractOf({ probe: { ...probe, trade } }),
  });
};
/** The simulation's router is refused, and one that the token names is not. */
const NAMED_ROUTER = checkInputOf({
  simulation: {
    ...FAILING,
    isRouterRefused: true,
    soldThrough: { router: `0x${'7'.repeat(40)}`, shownBy: [['now'], ['a day later']] },
  },
});
/** For `checkResult.test.ts`. */
export const INPUTS: readonly CheckInput[] = [ONE_ROUTER, NAMED_ROUTER, heldFor()];

const outcomeOf = (simulation: TradeSimulation) => {
  const { status, reason } = sellSimulation(inputOf(simulation));
  return [status, writeSentence(reason, 'en')];
};

describe('sellSimulation', () => {
  it('passes where a sale works, and says how long a buyer must wait', () => {
    assert.deepEqual(outcomeOf(traded(0, 0)), ['pass', 'A bought token can be sold.']);
    assert.deepEqual(outcomeOf(traded(0, 0, 3_600)), [
      'pass',
      'A bought token can be sold 3,600 sec after its purchase, but not in the next block.',
    ]);
  });

  it('fails where a sale fails or is confiscated', () => {
    assert.deepEqual(outcomeOf(FAILING), [
      'fail',
      'A bought token cannot be sold: it reverts without a reason.',
    ]);
    assert.deepEqual(outcomeOf(traded(0, 0.5)), ['fail', 'A sale keeps 50% of the amount.']);
    assert.equal(outcomeOf(traded(0, 0.499))[0], 'pass');
  });

  it('proves little where a sale works weeks later, and nobody has made one or failed to', () => {
    const trials = refusedFor(FAILING.reason);
    const severityOf = (input: CheckInput) =>
      [sellSimulation(input), holderTrialsCheck.run({ ...input, trials })]
        .flat()
        .map(({ severity }) => severity);
    assert.deepEqual(severityOf(heldFor()), ['warning', 'warning']);
    const accused = ['critical', 'critical'];
    assert.deepEqual(severityOf(heldFor(FAILING.reason)), accused);
    assert.deepEqual(severityOf({ ...heldFor(), saleCount: 1 }), accused);
    const TX = `0x${'e'.repeat(64)}` as const;
    const failed = [{ blockNumber: 7, seller: `0x${'2'.repeat(40)}` as const, txHash: TX }];
    assert(ONE_ROUTER.experience);
    const tried = { ...ONE_ROUTER.experience, sellers: 0, failed };
    assert.deepEqual(severityOf({ ...heldFor(), experience: tried }), accused);
  });

  it('proves nothing by a new router where a sale works through one that the token names', () => {
    const { status, severity, evidence } = sellSimulation(NAMED_ROUTER);
    assert.deepEqual([status, severity, evidence?.length], ['fail', 'warning', 3]);
  });

  it('proves nothing by a router that is refused where spenders have to be entered', () => {
    const severityOf = (isRouterRefused: boolean, reason: string) => {
      const power = { power: 'limit', reason, selector: '0x23b872dd' } as const;
      const holder = { kind: 'unknown', address: null, slot: null, isEntry: false } as const;
      const contract = contractOf({ codePowers: [{ ...power, holder }] });
      const refused = { ...FAILING, isRouterRefused };
      const input = checkInputOf({ simulation: refused, contract });
      const trials = refusedFor(sentence('byRouter', { why: FAILING.reason }));
      const held = holderTrialsCheck.run({ ...input, trials });
      return [sellSimulation(input), held].flat().map(({ severity }) => severity);
    };
    assert.deepEqual(severityOf(true, 'onlyEnteredSpend'), ['warning', 'warning']);
    assert.deepEqual(severityOf(false, 'onlyEnteredSpend'), ['critical', 'warning']);
    assert.deepEqual(severityOf(true, 'onlyKnownMove'), ['critical', 'critical']);
  });

  it('proves nothing by a limit for wallets that a pool meets, unless sales worked before', () => {
    const reason = sentence('revertsWith', { text: 'too much' });
    const simulation = { ...FAILING, reason, walletLimit: ['gathering'] };
    const found = sellSimulation(checkInputOf({ simulation, saleCount: 0 }));
    assert.equal(found.severity, 'warning');
    assert.match(writeSentence(found.reason, 'en'), /“too much”.*a limit for wallets/);
    assert.equal(found.evidence?.length, 2);
    const turned = sellSimulation(checkInputOf({ simulation, saleCount: 3 }));
    assert.equal(turned.severity, 'critical');
  });

  it('does not say that a token can be sold which holders cannot sell', () => {
    const trials = refusedFor(sentence('keeps', { share: 0.95 }));
    const found = sellSimulation(checkInputOf({ simulation: traded(0, 0), trials }));
    assert.equal(found.status, 'unknown');
    assert.match(writeSentence(found.reason, 'en'), /fails for 6 of 6 holders/);
    const { refused } = trials;
    const one = { ...trials, sold: refused.slice(1), refused: refused.slice(0, 1) };
    const other = sellSimulation(checkInputOf({ simulation: traded(0, 0), trials: one }));
    assert.equal(other.status, 'pass');
  });

  it('passes where the router of the simulation alone is refused, and all holders sell by others', () => {
    assert.equal(sellSimulation(ONE_ROUTER).status, 'pass');
    const { trials, simulation } = ONE_ROUTER;
    assert(trials && simulation.kind === 'sellFails');
    const statusWith = (change: Partial<CheckInput>) =>
      sellSimulation({ ...ONE_ROUTER, ...change }).status;
    assert.equal(statusWith({ experience: undefined }), 'fail');
    assert.equal(statusWith({ trials: undefined }), 'unknown');
    // Wallets of one party, which prove nothing for others, show how the token is sold.
    const severityOf = (refused: HolderTrials['refused']) => {
      const own = { ...trials, tried: 0, sold: refusedFor(FAILING.reason).refused, refused };
      return sellSimulation(checkInputOf({ simulation, trials: own })).severity;
    };
    assert.equal(severityOf([]), 'warning');
    assert.equal(severityOf([`0x${'3'.repeat(40)}`]), 'critical');
    assert.equal(statusWith({ simulation: { ...simulation, isRouterRefused: false } }), 'unknown');
  });

  it('accuses nobody where a router alone refuses holders: it may be the one to blame', () => {
    const severitiesFor = (
      held: Sentence,
      reason: Sentence = FAILING.reason,
      isRouterRefused = false,
    ) => {
      const simulation = { ...FAILING, reason, isRouterRefused };
      const input = checkInputOf({ simulation, trials: refusedFor(held) });
      const outcomes = [sellSimulation(input), holderTrialsCheck.run(input)].flat();
      return outcomes.map(({ severity }) => severity);
    };
    const why = sentence('revertsSilently');
    const byRouter = sentence('byRouter', { why });
    assert.deepEqual(severitiesFor(byRouter), ['warning', 'warning']);
    const nothing = sentence('byTransfer', { why: sentence('earnsNothing') });
    assert.deepEqual(severitiesFor(byRouter, nothing), ['critical', 'critical']);
    assert.deepEqual(severitiesFor(byRouter, why, true), ['critical', 'critical']);
    assert.deepEqual(severitiesFor(why), ['critical', 'critical']);
  });

  it('does not know where nothing can be bought or simulated', () => {
    const closed = {
      kind: 'buyFails',
      blockNumber: 7,
      reason: sentence('revertsSilently'),
      shownBy: [],
    } as const;
    assert.equal(outcomeOf(closed)[0], 'unknown');
    assert.deepEqual(outcomeOf({ kind: 'unknown', reason: sentence('nodeSilent') }), [
      'unknown',
      'The node does not answer simulations now.',
    ]);
  });
});

describe('tradeTax', () => {
  it('warns of the higher tax from 10 % on', () => {
    const check = tradeTax(inputOf(traded(0.1, 0.02)));
    assert.deepEqual([check.status, check.value], ['fail', 0.1]);
    assert.equal(tradeTax(inputOf(traded(0.099, 0.02))).status, 'pass');
  });

  it('tells, no more, of a tax that ends within a day, unless most is kept', () => {
    const judged = (tax: number, laterTax: number) => {
      const probe = probeOf([]);
      assert(probe.kind === 'done' && probe.trade);
      const trade = { ...probe.trade, laterTax, laterBuyTax: laterTax };
      const contract = contractOf({ probe: { ...probe, trade } });
      const { severity, status } = tradeTax(
        checkInputOf({ simulation: traded(tax, tax), contract }),
      );
      return `${status} ${severity}`;
    };
    assert.equal(judged(0.25, 0), 'fail info');
    assert.equal(judged(0.25, 0.2), 'fail warning');
    assert.equal(judged(0.6, 0), 'fail warning');
  });

  it('asks of a dear purchase what it costs later, as of a dear sale', () => {
    const judged = (laterBuyTax?: number) => {
      const probe = probeOf([]);
      assert(probe.kind === 'done' && probe.trade);
      const trade = {
        ...probe.trade,
        laterTax: 0,
        ...(laterBuyTax !== undefined && { laterBuyTax }),
      };
      const contract = contractOf({ probe: { ...probe, trade } });
      return tradeTax(checkInputOf({ simulation: traded(0.3, 0), contract })).severity;
    };
    assert.equal(judged(0), 'info');
    assert.equal(judged(0.2), 'warning');
    assert.equal(judged(), 'warning');
  });

  it('does not know a tax where no trade was simulated', () => {
    assert.equal(
      tradeTax(inputOf({ kind: 'unknown', reason: sentence('nodeSilent') })).status,
      'unknown',
    );
  });
});

describe('transferTax', () => {
  const transferring = (transfer: WalletTransfer) =>
    transferTax(inputOf({ ...(traded(0, 0) as Traded), transfer }));

  it('warns of a tax from 10 % on, and of transfers that fail', () => {
    assert.equal(transferring({ kind: 'moved', tax: 0.099 }).status, 'pass');
    assert.equal(transferring({ kind: 'moved', tax: 0.1 }).status, 'fail');
    assert.equal(
      transferring({ kind: 'failed', reason: sentence('revertsSilently') }).status,
      'fail',
    );
  });

  it('does not know what could not be read or tried', () => {
    assert.equal(
      transferring({ kind: 'unreadable', reason: sentence('nodeSilent') }).status,
      'unknown',
    );
    assert.equal(
      transferTax(inputOf({ kind: 'unknown', reason: sentence('nodeSilent') })).status,
      'unknown',
    );
  });
});

describe('tradeLimits', () => {
  it('names what fails, for information only', () => {
    const limits = [{ kind: 'wallet', share: 0.02 }] as const;
    const check = tradeLimits(inputOf({ ...(traded(0, 0) as Traded), limits }));
    assert.deepEqual(
      [check.status, check.severity, check.value, writeSentence(check.reason, 'en')],
      ['fail', 'info', 0.02, 'What fails: purchases in one block of 2% of the pool.'],
    );
    assert.equal(tradeLimits(inputOf(traded(0, 0))).status, 'pass');
  });
});
