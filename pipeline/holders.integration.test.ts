import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseEther } from 'viem';
import { adviceOf } from '../shared/rules/advice.ts';
import type { TokenKind } from '../shared/testing/devnet/createDevnet.ts';
import { startDevnetScorer } from './testing/devnetScorer.ts';

/** Accounts that buy, and of them those that sell afterwards; none is paid by a creator. */
const FIRST_BUYER = 10;
const BUYERS = 30;
const SELLERS = 13;
const BURN = '0x000000000000000000000000000000000000dEaD';

/** Tokens whose simulated sales say something else than their holders experience. */
const CASES: readonly {
  readonly kind: TokenKind;
  readonly name: string;
  readonly sales: number;
  readonly prediction: 'SCAM' | 'LEGIT';
}[] = [
  {
    kind: 'GasPriceTrapToken',
    name: 'refuses sales that pay for their gas',
    sales: 0,
    prediction: 'SCAM',
  },
  {
    kind: 'RichSellerToken',
    name: 'refuses sellers who are not rich',
    sales: 0,
    prediction: 'SCAM',
  },
  {
    kind: 'NextBlockToken',
    name: 'refuses sales after the next block',
    sales: 0,
    prediction: 'SCAM',
  },
  { kind: 'HashRefusalToken', name: 'refuses nine wallets of ten', sales: 0, prediction: 'SCAM' },
  {
    kind: 'BlockCooldownToken',
    name: 'makes buyers wait for some blocks',
    sales: SELLERS,
    prediction: 'LEGIT',
  },
  { kind: 'honest', name: 'is nothing but a token', sales: SELLERS, prediction: 'LEGIT' },
];

/** Holders of a young token: too few to say anything of their not having sold. */
const FEW = 8;

describe('what holders experience outranks what a simulation says', () => {
  let scorer: Awaited<ReturnType<typeof startDevnetScorer>>;
  before(async () => {
    scorer = await startDevnetScorer({ zoo: true });
    const { devnet } = scorer;
    for (let i = 0; i < BUYERS; i += 1)
      await devnet.setBalance(devnet.address(FIRST_BUYER + i), parseEther('5'));
  });
  after(() => scorer.stop());

  CASES.forEach(({ kind, name, sales, prediction }, place) => {
    it(`a token that ${name}: ${prediction}`, async () => {
      const { devnet } = scorer;
      const token = await devnet.deployToken(kind, { creator: 1 + place });
      await devnet.addLiquidity(token, 20);
      // The liquidity is burnt: nobody can take it out.
      const pair = await devnet.pairOf(token.address);
      const shares = await devnet.balanceOf(pair, devnet.address(token.creator));
      await devnet.transfer(pair, token.creator, BURN, shares);
      for (let i = 0; i < BUYERS; i += 1) {
        const bought = await devnet.buy(token.address, FIRST_BUYER + i, 0.02);
        assert.equal(bought.status, 'success');
      }
      let sold = 0;
      for (let i = 0, tried = 0; tried < SELLERS; i += 1) {
        if (kind === 'HashRefusalToken' && i >= BUYERS) break;
        const { status } = await devnet.sell(token.address, FIRST_BUYER + i);
        if (kind === 'HashRefusalToken' && status === 'success') continue;
        tried += 1;
        if (status === 'success') sold += 1;
      }
      if (kind !== 'HashRefusalToken') assert.equal(sold, sales);
      await scorer.takeIn();
      await scorer.analyzer.analyze(token.address);
      const verdict = await scorer.verdict(token.address);
      const { checks, probability } = verdict.doc;
      const said = JSON.stringify(
        checks
          .filter(({ status }) => status !== 'not_applicable')
          .map(({ id, status, reason }) => [id, status, reason]),
        null,
        1,
      );
      assert.equal(verdict.prediction, prediction, `${probability} ${said}`);
      const trials = checks.find(({ id }) => id === 'holder_trials');
      assert.equal(trials?.status, prediction === 'SCAM' ? 'fail' : 'pass', said);
      const own = checks.find(({ id }) => id === 'holder_sales');
      // The one wallet of ten that is let through sold.
      if (kind !== 'HashRefusalToken')
        assert.equal(own?.status, prediction === 'SCAM' ? 'fail' : 'pass', said);
      assert.ok(own);
      assert.ok(
        own.evidence?.every(({ request }) => request?.method === 'eth_getTransactionReceipt'),
      );
      const { holders } = verdict.doc;
      assert.equal(holders?.buyers, BUYERS);
      assert.equal(holders.trials?.refused.length === 0, prediction === 'LEGIT', said);
      if (kind !== 'honest') return;
      assert.deepEqual(
        [holders.sellers, holders.trials?.tax],
        [SELLERS, { lowest: 0, mean: 0, highest: 0 }],
      );
      assert.ok((holders.last_sale_s ?? 0) > 0);
      const confidence = 1 - probability;
      assert.equal(adviceOf({ prediction: 'LEGIT', confidence }).advice, 'no_finding', said);
    });
  });

  it('a trap is found by trials of its holders before anyone has tried to sell', async () => {
    const { devnet } = scorer;
    const token = await devnet.deployToken('GasPriceTrapToken', { creator: 9 });
    await devnet.addLiquidity(token, 20);
    for (let i = 0; i < FEW; i += 1) await devnet.buy(token.address, FIRST_BUYER + i, 0.02);
    await scorer.takeIn();
    await scorer.analyzer.analyze(token.address);
    const { prediction, doc } = await scorer.verdict(token.address);
    const statusOf = (wanted: string) => doc.checks.find(({ id }) => id === wanted)?.status;
    assert.equal(prediction, 'SCAM');
    assert.deepEqual(['sell_simulation', 'holder_sales', 'holder_trials'].map(statusOf), [
      'pass',
      'unknown',
      'fail',
    ]);
  });

  it('anything can be sent to a drained pool: that is not called a sale', async () => {
    const { devnet } = scorer;
    const token = await devnet.deployToken('honest', { creator: 9 });
    await devnet.addLiquidity(token, 20);
    for (let i = 0; i < FEW; i += 1) await devnet.buy(token.address, FIRST_BUYER + i, 0.02);
    await devnet.removeLiquidity(token);
    await scorer.takeIn();
    await scorer.analyzer.analyze(token.address);
    const { prediction, doc } = await scorer.verdict(token.address);
    const trials = doc.checks.find(({ id }) => id === 'holder_trials');
    assert.deepEqual(
      [prediction, trials?.status, trials?.reason],
      ['SCAM', 'unknown', 'The pool is too small for a trade to show anything.'],
    );
    assert.equal(doc.holders?.trials, null);
  });
});
