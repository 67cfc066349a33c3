import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeAbiParameters, encodeFunctionData, keccak256, maxUint256, parseEther } from 'viem';
import { z } from 'zod';
import type { Hex } from '../shared/chain/block.ts';
import type { VerdictDoc } from '../shared/messages/verdictDoc.ts';
import { adviceOf } from '../shared/rules/advice.ts';
import type { DevnetToken, TokenKind } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { DEVNET_ABI } from '../shared/testing/devnet/uniswap.ts';
import { checkOf, scoreDue, startDevnetScorer } from './testing/devnetScorer.ts';

/** Accounts that buy, and those that sell afterwards; none is paid by a creator. */
const FIRST_BUYER = 10;
const BUYERS = 30;
const BUYERS_PER_BLOCK = 3;
const SELLERS = 13;

/** Tokens whose simulated sales differ from their holders' experience. */
const CASES: readonly (readonly [
  kind: TokenKind,
  name: string,
  sales: number,
  prediction: 'SCAM' | 'LEGIT',
])[] = [
  ['GasPriceTrapToken', 'refuses sales that pay for their gas', 0, 'SCAM'],
  ['RichSellerToken', 'refuses sellers who are not rich', 0, 'SCAM'],
  ['NextBlockToken', 'refuses sales after the next block', 0, 'SCAM'],
  ['HashRefusalToken', 'refuses nine wallets of ten', 0, 'SCAM'],
  ['BlockCooldownToken', 'makes buyers wait for some blocks', SELLERS, 'LEGIT'],
  ['honest', 'is nothing but a token', SELLERS, 'LEGIT'],
];

/** Holders of a young token: too few for their not selling to mean anything. */
const FEW = 8;

const statusesOf = (doc: VerdictDoc, ...ids: readonly string[]) =>
  ids.map((id) => checkOf(doc, id)?.status);

describe('what holders experience outranks what a simulation says', () => {
  let scorer: Awaited<ReturnType<typeof startDevnetScorer>>;
  /** The token of each case, and how many of its holders could sell. */
  const played: { readonly address: Hex; readonly sold: number }[] = [];
  before(async () => {
    scorer = await startDevnetScorer({ zoo: true });
    const { devnet } = scorer;
    for (let i = 0; i < BUYERS; i += 1)
      await devnet.setBalance(devnet.address(FIRST_BUYER + i), parseEther('5'));
    for (const [place, [kind]] of CASES.entries()) {
      const { address } = await launchHeld(kind, 1 + place, BUYERS);
      played.push({ address, sold: await trySales(kind, address) });
    }
    await scorer.takeIn();
    await scoreDue(scorer);
  });
  after(() => scorer.stop());

  /** Wallets buy, some in each block. */
  const buy = async (token: Hex, wallets: readonly number[]): Promise<void> => {
    const { devnet } = scorer;
    for (let from = 0; from < wallets.length; from += BUYERS_PER_BLOCK) {
      const bought = await devnet.batch(() =>
        wallets
          .slice(from, from + BUYERS_PER_BLOCK)
          .map((wallet) => devnet.buy(token, wallet, 0.02)),
      );
      for (const { status } of bought) assert.equal(status, 'success');
    }
  };

  /** A token that the first `count` wallets bought. */
  const launchBought = async (
    kind: TokenKind,
    creator: number,
    count: number,
    isBurnt = false,
  ): Promise<DevnetToken> => {
    const { devnet } = scorer;
    const token = await devnet.deployToken(kind, { creator });
    await devnet.addLiquidity(token, 20);
    if (isBurnt) await devnet.burnLiquidity(token);
    const wallets = Array.from({ length: count }, (_, i) => FIRST_BUYER + i);
    await buy(token.address, wallets);
    return token;
  };
  /** The same with its liquidity burnt, so that nobody can take it out. */
  const launchHeld = (kind: TokenKind, creator: number, count: number): Promise<DevnetToken> =>
    launchBought(kind, creator, count, true);

  /** Holders try to sell until a number of sales counts; returns how many could. */
  const trySales = async (kind: TokenKind, token: Hex): Promise<number> => {
    let sold = 0;
    for (let i = 0, tried = 0; tried < SELLERS; i += 1) {
      if (kind === 'HashRefusalToken' && i >= BUYERS) break;
      const { status } = await scorer.devnet.sell(token, FIRST_BUYER + i);
      if (kind === 'HashRefusalToken' && status === 'success') continue;
      tried += 1;
      if (status === 'success') sold += 1;
    }
    return sold;
  };

  CASES.forEach(([kind, name, sales, prediction], place) => {
    it(`a token that ${name}: ${prediction}`, async () => {
      const { address, sold } = played[place] ?? assert.fail(kind);
      if (kind !== 'HashRefusalToken') assert.equal(sold, sales);
      const verdict = await scorer.verdict(address);
      const { checks, probability } = verdict.doc;
      const said = JSON.stringify(
        checks
          .filter(({ status }) => status !== 'not_applicable')
          .map(({ id, status, reason }) => [id, status, reason]),
        null,
        1,
      );
      assert.equal(verdict.prediction, prediction, `${probability} ${said}`);
      const trials = checkOf(verdict.doc, 'holder_trials');
      assert.equal(trials?.status, prediction === 'SCAM' ? 'fail' : 'pass', said);
      const own = checkOf(verdict.doc, 'holder_sales');
      // The one admitted wallet of ten has sold.
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

  it('sales of some whom the token lets through do not hide that all others are trapped', async () => {
    const { devnet } = scorer;
    const token = await devnet.deployToken('HashRefusalToken', { creator: 8 });
    await devnet.addLiquidity(token, 20);
    const isLetThrough = (wallet: number): boolean => {
      const word = encodeAbiParameters([{ type: 'address' }], [devnet.address(wallet)]);
      return BigInt(keccak256(word)) % 10n === 0n;
    };
    const wallets = Array.from({ length: 150 }, (_, i) => FIRST_BUYER + i);
    const accomplices = wallets.filter(isLetThrough).slice(0, 5);
    const victims = wallets.filter((one) => !isLetThrough(one)).slice(0, BUYERS);
    assert.equal(accomplices.length, 5);
    const buyers = [...victims, ...accomplices];
    for (const one of buyers) await devnet.setBalance(devnet.address(one), parseEther('5'));
    await buy(token.address, buyers);
    for (const one of accomplices) {
      const { status } = await devnet.sell(token.address, one);
      assert.equal(status, 'success');
    }
    const doc = await scorer.scored(token.address, 'SCAM');
    assert.deepEqual([doc.holders?.buyers, doc.holders?.sellers], [BUYERS + 5, 5]);
    assert.deepEqual(statusesOf(doc, 'holder_sales', 'holder_trials'), ['fail', 'fail']);
    // The new buyer of the simulation is random: one of ten is admitted.
    assert.ok(['fail', 'unknown'].includes(checkOf(doc, 'sell_simulation')?.status ?? ''));
  });

  it('a trap is found by trials of its holders before anyone has tried to sell', async () => {
    const token = await launchBought('GasPriceTrapToken', 9, FEW);
    const doc = await scorer.scored(token.address, 'SCAM');
    const statuses = statusesOf(doc, 'sell_simulation', 'holder_sales', 'holder_trials');
    assert.deepEqual(statuses, ['unknown', 'unknown', 'fail']);
  });

  it('anything can be sent to a drained pool: that is not called a sale', async () => {
    const { devnet } = scorer;
    const token = await launchBought('honest', 9, FEW);
    await devnet.removeLiquidity(token);
    const doc = await scorer.scored(token.address, 'SCAM');
    const trials = checkOf(doc, 'holder_trials');
    assert.deepEqual(
      [trials?.status, trials?.reason],
      ['unknown', 'The pool is too small for a trade to show anything.'],
    );
    assert.equal(doc.holders?.trials, null);
  });

  const holderSalesOf = async (address: Hex) => {
    const { prediction, doc } = await scorer.score(address);
    const check = checkOf(doc, 'holder_sales');
    assert.ok(check);
    return { prediction, check };
  };
  /** A sale that fails because of its price: more is asked than the pool holds. */
  const sellTooDear = async (token: Hex, seller: number): Promise<Hex> => {
    const { devnet } = scorer;
    const owner = devnet.address(seller);
    const { router, weth } = DEVNET_ADDRESSES;
    const approve = {
      abi: DEVNET_ABI,
      functionName: 'approve',
      args: [router, maxUint256],
    } as const;
    const amount = await devnet.balanceOf(token, owner);
    const swap = {
      abi: DEVNET_ABI,
      functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
      args: [amount, parseEther('1000'), [token, weth], owner, maxUint256],
    } as const;
    const [, sale] = await devnet.transact([
      { from: seller, to: token, data: encodeFunctionData(approve) },
      { from: seller, to: router, data: encodeFunctionData(swap) },
    ]);
    assert.equal(sale?.status, 'reverted');
    return sale.hash;
  };

  it('sales of holders that fail accuse a token, with their transactions, until a reorg takes them back', async () => {
    const { devnet } = scorer;
    const { address } = await launchHeld('GasPriceTrapToken', 1, SELLERS);
    assert.equal((await holderSalesOf(address)).check.status, 'unknown');
    const failed: Hex[] = [];
    for (let i = 0; i < SELLERS; i += 1) {
      const { status, hash } = await devnet.sell(address, FIRST_BUYER + i);
      assert.equal(status, 'reverted');
      failed.push(hash);
    }
    const { prediction, check } = await holderSalesOf(address);
    assert.deepEqual([prediction, check.status, check.value], ['SCAM', 'fail', 0]);
    assert.deepEqual(
      check.evidence?.map(({ ref }) => ref),
      failed.slice(-5),
    );
    assert.equal(
      check.reason,
      'The sales of 13 wallets that bought it failed; since the first of them 0 others sold.',
    );
    const rows = await scorer.clickhouse.query(
      'SELECT transaction_hash FROM failed_sales WHERE token = {address:String} ORDER BY block_number',
      { address },
      z.object({ transaction_hash: z.string() }),
    );
    assert.deepEqual(
      rows.map(({ transaction_hash }) => transaction_hash),
      failed,
    );
    // An approval and a sale by each of seven.
    await scorer.takeBack(14);
    const after = await holderSalesOf(address);
    assert.deepEqual(
      [after.check.status, after.check.evidence?.map(({ ref }) => ref)],
      ['unknown', failed.slice(1, 6)],
    );
  });

  it('sales that fail for their price, or of those who were given the tokens, accuse no honest token', async () => {
    const { devnet } = scorer;
    const { address } = await launchHeld('honest', 2, BUYERS);
    for (let i = 0; i < SELLERS; i += 1) await sellTooDear(address, FIRST_BUYER + i);
    // Some try again; others sell at once.
    for (const i of [0, 1, 2, 20, 21]) {
      assert.equal((await devnet.sell(address, FIRST_BUYER + i)).status, 'success');
    }
    const given = await launchHeld('honest', 3, 1);
    for (let i = 1; i <= SELLERS; i += 1) {
      const to = devnet.address(FIRST_BUYER + i);
      await devnet.transfer(given.address, given.creator, to, parseEther('1'));
      await sellTooDear(given.address, FIRST_BUYER + i);
    }
    const { prediction, check } = await holderSalesOf(address);
    assert.deepEqual([prediction, check.status], ['LEGIT', 'pass']);
    assert.equal(check.evidence?.length, 10);
    const accused = await holderSalesOf(given.address);
    assert.deepEqual(
      [accused.prediction, accused.check.status, accused.check.evidence],
      ['LEGIT', 'unknown', []],
    );
  });
});
