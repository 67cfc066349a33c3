import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { FailedSale } from '../features/holderSalesStore.ts';
import { type HoldersExperience, holdersExperience } from '../features/holdersExperience.ts';
import type { HolderTrade } from '../features/readTrades.ts';
import { checkInputOf, contractOf, OWNER_CALLER, probeOf } from '../testing/checkInputOf.ts';
import type { CheckInput, HolderTrials } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
import { haveHoldersSold, holderSalesCheck } from './holderSales.ts';

const wallet = (i: number): Hex => `0x${i.toString(16).padStart(40, '0')}`;
const CREATOR = wallet(999);
let next = 0;
const trade = (trader: Hex, isSale = false): HolderTrade => {
  next += 1;
  return {
    blockNumber: next,
    timestampS: 12 * next,
    trader,
    isSale,
    txHash: `0x${next.toString(16).padStart(64, '0')}`,
    amount: 1n,
  };
};
const purchases = (count: number, from = 0): HolderTrade[] =>
  Array.from({ length: count }, (_one, i) => trade(wallet(from + i)));
const experienceOf = (
  trades: readonly HolderTrade[],
  dependents: readonly Hex[] = [CREATOR],
  failed: readonly FailedSale[] = [],
) =>
  holdersExperience({
    trades,
    dependents: new Map(dependents.map((one) => [one, CREATOR])),
    failed,
  });
const haveSold = (experience: HoldersExperience): boolean =>
  haveHoldersSold(checkInputOf({ experience }));
/** Failed sales, each in a block of its own. */
const failures = (count: number, from = 0): FailedSale[] =>
  Array.from({ length: count }, (_one, i) => {
    const { blockNumber, trader: seller, txHash } = trade(wallet(from + i), true);
    return { blockNumber, seller, txHash };
  });
/** The check's result for these trades and failed sales. */
const judged = (
  trades: readonly HolderTrade[],
  failed: readonly FailedSale[],
  more: Partial<CheckInput> = {},
): CheckResult => {
  const experience = experienceOf(trades, [CREATOR], failed);
  const [result] = [holderSalesCheck.run(checkInputOf({ experience, ...more }))].flat();
  assert.ok(result);
  return result;
};
const sales = (count: number, from = 0): HolderTrade[] =>
  Array.from({ length: count }, (_one, i) => trade(wallet(from + i), true));

const TX = `0x${'e'.repeat(64)}` as const;
const HOLDERS = Array.from({ length: 10 }, (_one, i) => wallet(i));
/**
 * Ten holders who never sold are refused; this many of three earlier sales work again, and this many of six were sent
 * by the seller.
 */
const refusedBeside = (worked: number, sent: number): HolderTrials => ({
  blockNumber: 7,
  tried: 10,
  sold: [],
  refused: HOLDERS,
  soldForFree: [],
  reason: sentence('revertsSilently'),
  repeated: { sales: 6, sent, worked, shownBy: [] },
  shownBy: { paid: [], free: [], later: [] },
});
/** Some of a number of wallets were robbed, one of them without a log. */
const robbedOf = (count: number, of: number): HolderTrials => {
  const robbed = Array.from({ length: count }, (_one, i) => {
    return { bought: TX, takenBy: i === 0 ? undefined : TX };
  });
  return { ...refusedBeside(0, 0), refused: [], taken: { robbed, of } };
};
/**
 * For `checkResult.test.ts`: nobody sold; nobody sells any more; many sold, while a simulated sale fails; few sold;
 * the sales of nine failed; only some can sell; nobody sent the sales; tokens were taken from many, and from a few.
 */
export const INPUTS: readonly CheckInput[] = [
  { buyers: 30, sellers: 0, buyersSinceSale: 30, blocksSinceSale: 30, purchases: [TX], sales: [] },
  { buyers: 60, sellers: 9, buyersSinceSale: 30, blocksSinceSale: 30, purchases: [TX], sales: [] },
  { buyers: 30, sellers: 9, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [TX] },
  { buyers: 4, sellers: 1, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [] },
  { buyers: 9, sellers: 0, buyersSinceSale: 9, blocksSinceSale: 9, purchases: [TX], sales: [] },
  { buyers: 50, sellers: 6, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [TX] },
  { buyers: 51, sellers: 6, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [TX] },
  { buyers: 12, sellers: 6, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [TX] },
  { buyers: 13, sellers: 6, buyersSinceSale: 2, blocksSinceSale: 2, purchases: [], sales: [TX] },
].map((experience) =>
  checkInputOf({
    ...(experience.buyers === 50 && { trials: refusedBeside(1, 6) }),
    ...(experience.buyers === 12 && { trials: robbedOf(5, 12) }),
    ...(experience.buyers === 13 && { trials: robbedOf(3, 13) }),
    ...(experience.buyers === 51 && { trials: refusedBeside(0, 0) }),
    experience: {
      ...experience,
      lastSaleS: experience.sellers > 0 ? 1_700_000_000 : undefined,
      failed: Array.from({ length: experience.buyers === 9 ? 9 : 0 }, (_one, i) => {
        return { blockNumber: i, seller: `0x${'d'.repeat(40)}` as const, txHash: TX };
      }),
      soldAt: [],
      heldSince: new Map(HOLDERS.map((one) => [one, 1])),
      waits: experience.buyers >= 50 && experience.buyers <= 51 ? [1, 1, 1, 1, 1] : [],
    },
    simulation: {
      kind: 'sellFails',
      blockNumber: 7,
      reason: sentence('revertsSilently'),
      limits: [],
      shownBy: [],
    },
  }),
);

describe('what holders experienced', () => {
  it('is a trap where two dozen bought and nobody sold, but those behind the token', () => {
    const trades = [...purchases(30), trade(CREATOR, true), trade(wallet(500), true)];
    const experience = experienceOf(trades);
    assert.deepEqual(
      [experience.buyers, experience.sellers, experience.buyersSinceSale],
      [30, 0, 30],
    );
    assert.equal(haveSold(experience), false);
    assert.equal(experience.lastSaleS, undefined);
    assert.equal(experience.purchases.length, 5);
  });

  it('is no trap where all who are tried can sell, unless somebody failed to', () => {
    const trials = { ...refusedBeside(0, 0), sold: HOLDERS, refused: [] };
    assert.equal(judged(purchases(30), [], { trials }).status, 'unknown');
    assert.equal(judged(purchases(30), [], { trials: refusedBeside(0, 0) }).status, 'fail');
    const bought = purchases(30);
    assert.equal(judged(bought, failures(1), { trials }).status, 'fail');
  });

  it('is no freedom where all who sold, and a new buyer, are refused since in the same words', () => {
    const trades = [...purchases(10), ...sales(10)];
    const why = sentence('revertsSilently');
    const simulation = (reason: Sentence) => {
      return { kind: 'sellFails', blockNumber: 7, reason, limits: [], shownBy: [] } as const;
    };
    const refused = { simulation: simulation(sentence('byTransfer', { why })) };
    const alike = { ...refused, trials: refusedBeside(1, 6) };
    assert.equal(judged(trades, [], alike).status, 'fail');
    assert.equal(judged(trades, [], { trials: alike.trials }).status, 'pass');
    assert.equal(judged(trades, [], { ...refused, trials: refusedBeside(0, 6) }).status, 'pass');
    const other = simulation(sentence('byTransfer', { why: sentence('earnsNothing') }));
    assert.equal(judged(trades, [], { ...alike, simulation: other }).status, 'pass');
    // Three are enough if nobody who never sold can sell.
    const few = { ...alike.trials, blockNumber: 1e9, tried: 9, refused: HOLDERS.slice(6, 9) };
    const some = [...purchases(9), ...sales(6)];
    const sold = HOLDERS.slice(0, 6);
    assert.equal(judged(some, [], { ...alike, trials: { ...few, sold } }).status, 'fail');
    assert.equal(judged(some, [], { trials: { ...few, sold } }).status, 'pass');
    const able = { ...few, sold: HOLDERS.slice(0, 7) };
    assert.equal(judged(some, [], { ...alike, trials: able }).status, 'pass');
  });

  it('is no freedom, whoever sold, where buyers were robbed', () => {
    const robbed = (count: number, of: number) => {
      const { status, severity, evidence } = judged([...purchases(30), ...sales(10)], [], {
        trials: robbedOf(count, of),
      });
      return [status, severity, evidence?.length];
    };
    assert.deepEqual(robbed(5, 20), ['fail', 'warning', 5]);
    // A few may have signed what others executed: a doubt.
    assert.deepEqual(robbed(5, 21), ['unknown', 'critical', 5]);
    assert.deepEqual(robbed(4, 4), ['unknown', 'critical', 4]);
  });

  it('is no freedom where a quarter is refused who never sold, and one person can stop sales', () => {
    const trades = [...purchases(16), ...sales(6)];
    const some = { ...refusedBeside(1, 6), blockNumber: 1e9, tried: 16 };
    const trials = { ...some, sold: HOLDERS.slice(0, 6), refused: [8, 9, 10, 11, 12].map(wallet) };
    const contract = contractOf({
      probe: probeOf([
        { kind: 'freeze', value: 1, caller: OWNER_CALLER, selector: '0xdeadbeef', data: '0x' },
      ]),
    });
    assert.equal(judged(trades, [], { trials }).status, 'pass');
    assert.equal(judged(trades, [], { trials, contract }).status, 'fail');
    const ofContract = { ...contract, holders: [] };
    assert.equal(judged(trades, [], { trials, contract: ofContract }).status, 'pass');
    const few = { ...trials, refused: trials.refused.slice(1) };
    assert.equal(judged(trades, [], { trials: few, contract }).status, 'pass');
  });

  it('is no evidence of wallets that the creator paid', () => {
    const paid = Array.from({ length: 6 }, (_one, i) => wallet(i));
    const trades = [...purchases(30), ...paid.map((one) => trade(one, true))];
    assert.equal(haveSold(experienceOf(trades)), true);
    assert.equal(haveSold(experienceOf(trades, [CREATOR, ...paid])), false);
  });

  it('is freedom where holders sold, and no longer where many bought since', () => {
    const sold = [...purchases(30), ...[0, 1, 2, 3, 4, 5].map((i) => trade(wallet(i), true))];
    const free = experienceOf(sold);
    assert.deepEqual([free.sellers, free.buyersSinceSale, haveSold(free)], [6, 0, true]);
    const later = experienceOf([...sold, ...purchases(25, 100)]);
    assert.deepEqual([later.buyersSinceSale, haveSold(later)], [25, false]);
  });

  it('is freedom where three sold, and all who are tried can', () => {
    const trades = [...purchases(9), ...sales(3)];
    const trials = { ...refusedBeside(0, 0), sold: HOLDERS, refused: [] };
    assert.equal(judged(trades, [], { trials }).status, 'pass');
    assert.equal(judged(trades, []).status, 'unknown');
    assert.equal(judged([...purchases(9), ...sales(2)], [], { trials }).status, 'unknown');
  });

  it('asks for a tenth of the buyers: a few who can sell are no proof for the others', () => {
    const some = [0, 1, 2, 3, 4].map((i) => trade(wallet(i), true));
    assert.equal(haveSold(experienceOf([...purchases(60), ...some])), false);
    assert.equal(haveSold(experienceOf([...purchases(40), ...some])), true);
  });
});

describe('sales of holders that failed', () => {
  it('accuse where eight failed in a row, with the latest of their transactions', () => {
    const bought = purchases(13);
    const failed = failures(8);
    const { status, value, evidence } = judged(bought, failed);
    assert.deepEqual([status, value], ['fail', 0]);
    assert.deepEqual(
      evidence?.map(({ ref }) => ref),
      failed.slice(-5).map(({ txHash }) => txHash),
    );
    assert.equal(haveSold(experienceOf(bought, [CREATOR], failed)), false);
    assert.equal(judged(bought, failed.slice(1)).status, 'unknown');
  });

  it('accuse though many sold before: a trap can be switched on later', () => {
    const before = [...purchases(20), ...sales(15)];
    assert.equal(judged(before, []).status, 'pass');
    assert.equal(judged(before, failures(8, 10)).status, 'fail');
  });

  it('are told and accuse nobody where others sell', () => {
    const bought = purchases(60);
    const few = failures(9);
    const sold = sales(6, 20);
    const { status, evidence } = judged([...bought, ...sold], few);
    assert.deepEqual([status, evidence?.length], ['pass', 10]);
    // One in ten is enough, and so are five, however many wallets an accuser uses to buy.
    assert.equal(judged([...bought, ...sold.slice(0, 1)], few).status, 'unknown');
    const wallets = failures(50, 4);
    const later = sales(5, 55);
    assert.equal(judged([...bought, ...later.slice(1)], wallets).status, 'fail');
    assert.notEqual(judged([...bought, ...later], wallets).status, 'fail');
  });

  it('count once for a wallet, by the first of them, and not if it sold since', () => {
    const bought = purchases(13);
    const failed = failures(8);
    assert.equal(judged([...bought, ...sales(1)], failed).status, 'unknown');
    // In the block of the last failure somebody sold: that is a sale since the first.
    assert.equal(judged([...bought, ...sales(1, 12)], failed).status, 'unknown');
  });

  it('are no evidence of one block, of those who never bought, and of those behind the token', () => {
    const bought = purchases(13);
    const failed = failures(8);
    const [first] = failed;
    const atOnce = failed.map((one) => ({ ...one, blockNumber: first?.blockNumber ?? 0 }));
    assert.equal(judged(bought, atOnce).status, 'unknown');
    assert.equal(judged(bought.slice(1), failed).status, 'unknown');
    const paid = [CREATOR, wallet(0)];
    assert.equal(experienceOf(bought, paid, failed).failed.length, 7);
  });
});
