import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { concatHex, encodeAbiParameters, encodeFunctionData, parseAbi, parseEther } from 'viem';
import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../shared/chain/block.ts';
import { compileSources } from '../shared/testing/devnet/compileContracts.ts';
import type { Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { deployUniswapV3 } from '../shared/testing/devnet/uniswapV3.ts';
import { createLossStore } from './clusters/wallets/lossStore.ts';
import { CHAIN_ID, checkOf, failedIds, startDevnetScorer } from './testing/devnetScorer.ts';

const FIXTURE = './scorer/simulation/fixtures/MadeUpPool.sol';
const ABI = parseAbi(['function claim(address, uint112, uint112)']);
const { factory, weth } = DEVNET_ADDRESSES;
const ATTACKER = 90;
const CREATOR = 91;
const FORTUNE = parseEther('200000');

describe('a pool that holds nothing of what it logs', () => {
  let stack: Awaited<ReturnType<typeof startDevnetScorer>>;
  let devnet: Devnet;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let creation: Hex;

  before(async () => {
    stack = await startDevnetScorer({ factories: new Set([factory]) });
    ({ devnet } = stack);
    for (const account of [ATTACKER, CREATOR]) {
      await devnet.setBalance(devnet.address(account), parseEther('1000'));
    }
    uniswap = await deployUniswapV3(devnet);
    ({ creation } = (await compileSources(import.meta.url, [FIXTURE]))(FIXTURE, 'MadeUpPool'));
  });
  after(() => stack?.stop());

  /** Deploys one for a token, which claims that the known factory created it. */
  const makeUp = async (token: Hex) => {
    const types = [{ type: 'address' }, { type: 'address' }, { type: 'address' }];
    const data = concatHex([creation, encodeAbiParameters(types, [token, weth, factory])]);
    const [deployment] = await devnet.transact([{ from: ATTACKER, data, gas: 3_000_000n }]);
    const to = deployment?.contractAddress;
    assert.ok(to, 'it is deployed');
    return async (reserve: bigint): Promise<void> => {
      const claim = encodeFunctionData({ abi: ABI, args: [weth, reserve, reserve] });
      await devnet.transact([{ from: ATTACKER, to, data: claim, gas: 200_000n }]);
    };
  };
  /** What counts against a token's creator: the highest holdings of its market, and what emptied it. */
  const record = async (token: Hex) => {
    const losses = createLossStore(stack.clickhouse, CHAIN_ID, weth);
    const [market] = await losses.markets([token]);
    assert.ok(market);
    return market;
  };
  const score = async (token: Hex) => {
    const { prediction, doc } = await stack.score(token);
    const sale = checkOf(doc, 'sell_simulation')?.status;
    return { prediction, fails: failedIds(doc), sale, usd: doc.features['liquidity_usd'] };
  };

  for (const [market, launch] of [
    ['Uniswap V2', async (token) => devnet.addLiquidity(token, 10)],
    [
      'Uniswap V3',
      async ({ address }) =>
        uniswap.launch(CREATOR, address, { eth: parseEther('10'), tokens: parseEther('100000') }),
    ],
  ] as [string, (token: Awaited<ReturnType<Devnet['deployToken']>>) => Promise<unknown>][]) {
    it(`changes nothing about a token on ${market}, whether its reserves rise or fall`, async () => {
      const token = await devnet.deployToken('honest', { creator: CREATOR });
      await launch(token);
      const honest = await score(token.address);
      assert.equal(honest.prediction, 'LEGIT');
      assert.equal(honest.sale, 'pass');
      const claim = await makeUp(token.address);
      await claim(FORTUNE);
      assert.deepEqual(await score(token.address), honest);
      const known = await record(token.address);
      await claim(1n);
      assert.deepEqual(await score(token.address), honest);
      const { peak, drain } = await record(token.address);
      assert.deepEqual([peak > 5 && peak < 20, drain], [true, null]);
      assert.deepEqual(known.peak, peak);
    });
  }

  it('is stored as one that no factory lists', async () => {
    const token = await devnet.deployToken('honest', { creator: CREATOR });
    await devnet.addLiquidity(token, 10);
    const claim = await makeUp(token.address);
    await claim(FORTUNE);
    await stack.takeIn();
    const sql = `SELECT concat('0x', lower(hex(assumeNotNull(factory)))) AS lister FROM dim_pools FINAL
      WHERE token = unhex({token:String}) ORDER BY lister`;
    const params = { token: token.address.slice(2) };
    const rows = await stack.clickhouse.query(sql, params, z.object({ lister: z.string() }));
    assert.deepEqual(
      rows.map(({ lister }) => lister),
      [ZERO_ADDRESS, factory],
    );
  });

  it('hides no trap', async () => {
    const token = await devnet.deployToken('honeypot', { creator: CREATOR });
    await devnet.addLiquidity(token, 10);
    await (await makeUp(token.address))(FORTUNE);
    const { prediction, sale } = await score(token.address);
    assert.deepEqual([prediction, sale], ['SCAM', 'fail']);
  });
});
