import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { concatHex, encodeAbiParameters, parseEther } from 'viem';
import type { Hex } from '../shared/chain/block.ts';
import { swapExactIn } from '../shared/market/concentratedPool.ts';
import { compileSources } from '../shared/testing/devnet/compileContracts.ts';
import type { Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { deployUniswapV3 } from '../shared/testing/devnet/uniswapV3.ts';
import { createConcentratedMarketStore } from './scorer/pool/concentratedMarkets.ts';
import { CHAIN_ID, failedIds, startDevnetScorer } from './testing/devnetScorer.ts';

const { weth } = DEVNET_ADDRESSES;
const BUYER = 20;
/** Dollars that the stable pool of the devnet gives for an ether. */
const ETHER_USD = 2_000;
const AMOUNTS = { eth: parseEther('10'), tokens: parseEther('100000') };
const FIXTURES = './scorer/simulation/fixtures';
/** `CUSTOM_ERROR` of TrickToken.sol: sales revert. */
const NO_SALES = 7;

describe('tokens on pools with concentrated liquidity', () => {
  let stack: Awaited<ReturnType<typeof startDevnetScorer>>;
  let devnet: Devnet;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let creator = 100;

  before(async () => {
    stack = await startDevnetScorer();
    ({ devnet } = stack);
    await devnet.setBalance(devnet.address(BUYER), parseEther('10000'));
    uniswap = await deployUniswapV3(devnet);
  });
  after(() => stack?.stop());

  const nextCreator = async (): Promise<number> => {
    creator += 1;
    await devnet.setBalance(devnet.address(creator), parseEther('1000'));
    return creator;
  };
  const deployHonest = async () => devnet.deployToken('honest', { creator: await nextCreator() });

  /** Takes all in, scores the token, and reads the verdict. */
  const score = async (token: Hex) => {
    await stack.takeIn();
    await stack.analyzer.analyze(token);
    return stack.verdict(token);
  };
  const liquidityOf = async (token: Hex): Promise<number> =>
    (await score(token)).doc.features['liquidity_usd'] ?? Number.NaN;
  const assertNear = (actual: number, expected: number): void =>
    assert.ok(Math.abs(actual - expected) <= expected * 0.02, `${actual} is not about ${expected}`);

  it('an honest one can be sold, and its pool is no holder', async () => {
    const token = await deployHonest();
    await uniswap.launch(token.creator, token.address, {
      ...AMOUNTS,
      tokens: parseEther('1000000'),
    });
    const { prediction, doc } = await score(token.address);
    const sale = doc.checks.find(({ id }) => id === 'sell_simulation');
    assert.deepEqual([prediction, failedIds(doc), sale?.status], ['LEGIT', [], 'pass']);
    // Rounding of the position leaves its creator a few units.
    assert.ok((doc.features['top_10_concentration'] ?? 1) < 1e-15);
  });

  it('one that cannot be sold is a scam', async () => {
    const compiled = await compileSources(import.meta.url, [
      `${FIXTURES}/TrickToken.sol`,
      `${FIXTURES}/PoolFactory.sol`,
    ]);
    const from = await nextCreator();
    const create = async (name: string, types: readonly string[], values: readonly unknown[]) => {
      const creation = compiled(`${FIXTURES}/${name}.sol`, name).creation;
      const parameters = encodeAbiParameters(
        types.map((type) => ({ type })),
        values,
      );
      const data = concatHex([creation, parameters]);
      const [deployment] = await devnet.transact([{ from, data, gas: 12_000_000n }]);
      assert.ok(deployment?.contractAddress, name);
      return deployment.contractAddress.toLowerCase() as Hex;
    };
    const pools = await create('PoolFactory', ['address'], [uniswap.factory]);
    const types = ['uint8', 'address', 'address'];
    const token = await create('TrickToken', types, [NO_SALES, pools, weth]);
    await uniswap.launch(from, token, AMOUNTS);
    const { prediction, doc } = await score(token);
    assert.deepEqual([prediction, failedIds(doc).includes('sell_simulation')], ['SCAM', true]);
  });

  it('liquidity is what a sale of all tokens takes out, as the pool computes it', async () => {
    const token = await deployHonest();
    const { pool, position } = await uniswap.launch(token.creator, token.address, {
      ...AMOUNTS,
      withEther: false,
    });
    assert.equal(await liquidityOf(token.address), 0, 'tokens alone are no liquidity');

    await uniswap.wrap(BUYER, parseEther('1'));
    await uniswap.approve(BUYER, weth);
    await uniswap.swap(BUYER, pool, parseEther('1'), pool.token0 === weth);
    // A sale of all tokens takes out what was paid in, but for the fee of the purchase.
    assertNear(await liquidityOf(token.address), 2 * ETHER_USD);

    const store = createConcentratedMarketStore(stack.clickhouse);
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    const place = { chainId: CHAIN_ID, tokens: [token.address], bases: [weth], upTo: head };
    const [market] = await store.find(place);
    assert.ok(market);
    const depths = await store.depths(CHAIN_ID, [{ pool: market.pool, untilBlock: head }]);
    const depth = depths.get(market.pool);
    assert.ok(depth);
    const amount = await devnet.balanceOf(token.address, devnet.address(BUYER));
    const { feePips, tickSpacing, isToken0 } = market;
    const expected = swapExactIn({ ...depth, feePips, tickSpacing }, amount, isToken0);
    const before = await devnet.balanceOf(weth, devnet.address(BUYER));
    await uniswap.approve(BUYER, token.address);
    await uniswap.swap(BUYER, pool, amount, isToken0);
    const after = await devnet.balanceOf(weth, devnet.address(BUYER));
    assert.equal(after - before, expected.amountOut);

    await uniswap.swap(BUYER, pool, parseEther('0.5'), pool.token0 === weth);
    assertNear(await liquidityOf(token.address), ETHER_USD);
    await uniswap.removePosition(token.creator, position);
    assert.equal(await liquidityOf(token.address), 0, 'nothing is left');
  });

  it('the deepest of several markets is the one that trades are tried on', async () => {
    const token = await deployHonest();
    await devnet.addLiquidity(token, 1);
    await uniswap.launch(token.creator, token.address, AMOUNTS);
    const { doc } = await score(token.address);
    // One ether in reserves; of the ten others a sale of the whole supply, ten times what the pool has of it, takes out ten elevenths.
    assertNear(doc.features['liquidity_usd'] ?? 0, 2 * ETHER_USD * (1 + 100 / 11));
    const sale = doc.checks.find(({ id }) => id === 'sell_simulation');
    assert.equal(sale?.status, 'pass');
  });
});
