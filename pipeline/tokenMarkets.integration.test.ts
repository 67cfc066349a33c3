import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Abi,
  concatHex,
  encodeAbiParameters,
  parseAbi,
  parseEther,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import { z } from 'zod';
import type { Hex } from '../shared/chain/block.ts';
import { amountOut, bookOf } from '../shared/market/marketBook.ts';
import { marketId } from '../shared/market/marketId.ts';
import type { VerdictDoc } from '../shared/messages/verdictDoc.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { DAY_S } from '../shared/platform/durations.ts';
import { compileSources } from '../shared/testing/devnet/compileContracts.ts';
import type { Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { createSend } from '../shared/testing/devnet/devnetNode.ts';
import { deployUniswapV3 } from '../shared/testing/devnet/uniswapV3.ts';
import { DYNAMIC_FEE, deployUniswapV4, type V4Key } from '../shared/testing/devnet/uniswapV4.ts';
import { createHorizonStore } from './scorer/horizon/horizonStore.ts';
import { createTokenMarketStore } from './scorer/pool/tokenMarkets.ts';
import { createSimulatingNode } from './scorer/simulation/simulatingNode.ts';
import { createSimulations } from './scorer/simulation/simulations.ts';
import { headOf, withoutSimulations } from './scorer/testing/simulations.ts';
import {
  CHAIN_ID,
  checkOf,
  failedIds,
  runUntil,
  startDevnetScorer,
} from './testing/devnetScorer.ts';

const { weth } = DEVNET_ADDRESSES;
const BUYER = 20;
/** Dollars per ether in the devnet's stablecoin pool. */
const ETHER_USD = 2_000;
const AMOUNTS = { eth: parseEther('10'), tokens: parseEther('100000') };
const FIXTURES = './scorer/simulation/fixtures';
/** `CUSTOM_ERROR` of TrickToken.sol: sales revert. */
const NO_SALES = 7;
/** `REFUSES_WHO_PAYS_FOR_GAS`: sales work in simulations that pay for nothing. */
const NO_PAID_SALES = 15;
const GAS = 12_000_000n;
/** Accounts that buy in turn: half of them sell. */
const HOLDERS = Array.from({ length: 10 }, (_, i) => 60 + i);
const SOLIDLY_ABI = parseAbi([
  'function sync()',
  'function createPool(address, address, bool)',
  'function getAmountOut(uint256, address) view returns (uint256)',
]);
const FORK_ABI = parseAbi([
  'function createPool(address, address, uint256)',
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 length)',
]);
const CURVE_ABI = parseAbi([
  'function createToken(string, string, bool) payable',
  'function buyTokenAMAP(address, uint256, uint256) payable',
]);
const BONDING_ABI = parseAbi([
  'function launch(string, string, bool, uint256)',
  'function buy(uint256, address, uint256, uint256) payable',
  'function sell(uint256, address, uint256, uint256)',
  'function router() view returns (address)',
  'function approve(address, uint256) returns (bool)',
  'event Launched(address indexed token, address indexed pair, uint256 count)',
  'event Graduated(address indexed token, address agentToken)',
]);
const ROUTER_ABI = parseAbi([
  'function getAmountsOut(uint256, address[]) view returns (uint256[])',
]);

describe('tokens on markets beside Uniswap V2', () => {
  let stack: Awaited<ReturnType<typeof startDevnetScorer>>;
  let devnet: Devnet;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let v4: Awaited<ReturnType<typeof deployUniswapV4>>;
  let compiled: Awaited<ReturnType<typeof compileSources>>;
  let creator = 100;

  before(async () => {
    stack = await startDevnetScorer();
    ({ devnet } = stack);
    await devnet.setBalance(devnet.address(BUYER), parseEther('10000'));
    uniswap = await deployUniswapV3(devnet);
    v4 = await deployUniswapV4(devnet);
    const names = [
      'TrickToken',
      'PoolFactory',
      'ForkFactory',
      'SolidlyFactory',
      'CurveManager',
      'Bonding',
    ];
    const paths = names.map((name) => `${FIXTURES}/${name}.sol`);
    compiled = await compileSources(import.meta.url, paths);
  });
  after(() => stack?.stop());

  const nextCreator = async (): Promise<number> => {
    creator += 1;
    await devnet.setBalance(devnet.address(creator), parseEther('1000'));
    return creator;
  };
  const deployHonest = async () => devnet.deployToken('honest', { creator: await nextCreator() });

  /** Deploys a fixture contract, each in a file named after it. */
  const create = async (
    from: number,
    name: string,
    types: readonly string[] = [],
    values: readonly unknown[] = [],
  ) => {
    const { creation } = compiled(`${FIXTURES}/${name}.sol`, name);
    const parameters = encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    );
    const data = concatHex([creation, parameters]);
    const [deployment] = await devnet.transact([{ from, data, gas: GAS }]);
    assert.ok(deployment?.contractAddress, name);
    return deployment.contractAddress.toLowerCase() as Hex;
  };
  const createTrick = (from: number, trick: number, pools: Hex) =>
    create(from, 'TrickToken', ['uint8', 'address', 'address'], [trick, pools, weth]);

  /** Sends calls of functions of an ABI. */
  const sendOf = <const A extends Abi>(abi: A) => createSend(devnet, abi, GAS);
  const logsOf = async ({ hash }: { hash: Hex }) =>
    (await devnet.publicClient.getTransactionReceipt({ hash })).logs;

  /** Scores a token that can be sold, with nothing against it. */
  const scoredSound = async (token: Hex) => {
    const doc = await stack.scored(token, 'LEGIT', []);
    assert.equal(checkOf(doc, 'sell_simulation')?.status, 'pass');
    return doc;
  };
  /** Scores a token that cannot be sold. */
  const scoredTrap = async (token: Hex) => {
    const doc = await stack.scored(token, 'SCAM');
    assert.ok(failedIds(doc).includes('sell_simulation'));
    return doc;
  };
  const liquidityOf = async (token: Hex): Promise<number> =>
    (await stack.score(token)).doc.features['liquidity_usd'] ?? Number.NaN;
  const assertNear = (actual: number, expected: number): void =>
    assert.ok(Math.abs(actual - expected) <= expected * 0.02, `${actual} is not about ${expected}`);

  it('an honest one can be sold, and its pool is no holder', async () => {
    const token = await deployHonest();
    await uniswap.launch(token.creator, token.address, {
      ...AMOUNTS,
      tokens: parseEther('1000000'),
    });
    const doc = await scoredSound(token.address);
    // Rounding of the position leaves its creator a few units.
    assert.ok((doc.features['top_10_concentration'] ?? 1) < 1e-15);
  });

  it('one that cannot be sold is a scam', async () => {
    const from = await nextCreator();
    const pools = await create(from, 'PoolFactory', ['address'], [uniswap.factory]);
    const token = await createTrick(from, NO_SALES, pools);
    await uniswap.launch(from, token, AMOUNTS);
    await scoredTrap(token);
  });

  it('one that those who bought cannot sell is a scam, whatever a simulation for nothing says', async () => {
    const from = await nextCreator();
    const pools = await create(from, 'PoolFactory', ['address'], [uniswap.factory]);
    const token = await createTrick(from, NO_PAID_SALES, pools);
    const { pool } = await uniswap.launch(from, token, AMOUNTS);
    for (const holder of HOLDERS) {
      await devnet.setBalance(devnet.address(holder), parseEther('5'));
      await uniswap.wrap(holder, parseEther('0.01'));
      await uniswap.approve(holder, weth);
      await uniswap.swap(holder, pool, parseEther('0.01'), pool.token0 === weth);
    }
    const doc = await stack.scored(token, 'SCAM');
    for (const id of ['holder_trials', 'simulation_detected'])
      assert.ok(failedIds(doc).includes(id), id);
    assert.equal(doc.holders?.trials?.refused.length, HOLDERS.length);
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
    // A sale of all tokens takes out what was paid in, minus the fee of the purchase.
    assertNear(await liquidityOf(token.address), 2 * ETHER_USD);

    const store = createTokenMarketStore(stack.clickhouse);
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    const place = { chainId: CHAIN_ID, tokens: [token.address], bases: [weth], upTo: head };
    const [market] = await store.find(place);
    assert.ok(market);
    const places = [{ market, untilBlock: head }];
    const [state] = await store.states(CHAIN_ID, places);
    assert.ok(state && state.ticks.length > 0);
    // Any contract can log events of a Uniswap V4 pool whose id is this pool's address in 32 bytes.
    await stack.clickhouse.exec(`INSERT INTO fact_market_events
      SELECT * REPLACE ('uniswap_v4' AS protocol, repeat('m', 20) AS manager, log_index + 1000 AS log_index,
        sqrt_price_x96 * 2 AS sqrt_price_x96, position_liquidity * 1000 AS position_liquidity)
      FROM fact_market_events WHERE market = unhex('${marketId(market.pool).slice(2)}')`);
    assert.deepEqual(await store.states(CHAIN_ID, places), [state]);
    const amount = await devnet.balanceOf(token.address, devnet.address(BUYER));
    const book = bookOf(market.created, state, undefined);
    assert.ok(book);
    const expected = amountOut(book, amount, market.isToken0);
    const before = await devnet.balanceOf(weth, devnet.address(BUYER));
    await uniswap.approve(BUYER, token.address);
    await uniswap.swap(BUYER, pool, amount, market.isToken0);
    const after = await devnet.balanceOf(weth, devnet.address(BUYER));
    assert.equal(after - before, expected);

    await uniswap.swap(BUYER, pool, parseEther('0.5'), pool.token0 === weth);
    assertNear(await liquidityOf(token.address), ETHER_USD);
    await uniswap.removePosition(token.creator, position);
    assert.equal(await liquidityOf(token.address), 0, 'nothing is left');
    const { prediction, doc } = await stack.verdict(token.address);
    assert.deepEqual([prediction, failedIds(doc)], ['SCAM', ['liquidity_drained']]);
    assert.equal(doc.creator.scam_rate, 1, 'as it is judged now');

    // Its creator's next token is judged by that record, on any market; events in the same second are neither earlier
    // nor later.
    const again = { creator: token.creator };
    await devnet.increaseTime(1);
    const next = await devnet.deployToken('honest', again);
    await uniswap.launch(token.creator, next.address, AMOUNTS);
    assert.equal(
      (await stack.score(next.address)).doc.creator.risk_score,
      67,
      '100 * (1 + 1) / (1 + 2)',
    );
    await devnet.increaseTime(1);
    const last = await devnet.deployToken('honest', again);
    await devnet.addLiquidity(last, 10);
    const { features, creator: record } = (await stack.score(last.address)).doc;
    assert.deepEqual([features['creatorPools'], features['creatorDrained']], [2, 1]);
    assert.equal(record.risk_score, 50);
  });

  it('one whose liquidity was moved to prices out of reach is drained', async () => {
    const token = await deployHonest();
    const { pool, position } = await uniswap.launch(token.creator, token.address, AMOUNTS);
    await stack.scored(token.address, 'LEGIT');
    const part = (position.liquidity * 3n) / 10n;
    await uniswap.removePosition(token.creator, { ...position, liquidity: part });
    await stack.scored(token.address, 'LEGIT');
    await devnet.increaseTime(DAY_S);
    await uniswap.removePosition(token.creator, { ...position, liquidity: part });
    const pulled = await stack.scored(token.address, 'SCAM', ['liquidity_drained']);
    const check = checkOf(pulled, 'liquidity_drained');
    assert.deepEqual([check?.severity, check?.value], ['warning', 0.6]);
    const rest = { ...position, liquidity: position.liquidity - 2n * part };
    await uniswap.removePosition(token.creator, rest);
    // Below the token's price there is native currency, down to a billionth of it.
    const isLower = pool.token0 === token.address;
    const far = isLower ? { lower: -887_220, upper: -400_020 } : { lower: 400_020, upper: 887_220 };
    const eth = parseEther('9');
    const [amount0, amount1] = isLower ? [0n, eth] : [eth, 0n];
    await uniswap.addPosition(token.creator, pool, { ...far, amount0, amount1 });
    const doc = await stack.scored(token.address, 'SCAM', ['liquidity_drained']);
    assert.equal(doc.features.liquidity_usd, 0);
  });

  it('the deepest of several markets is the one that trades are tried on', async () => {
    const token = await deployHonest();
    await devnet.addLiquidity(token, 1);
    await uniswap.launch(token.creator, token.address, AMOUNTS);
    const { doc } = await stack.score(token.address);
    // One pool holds 1 ether in its reserves. The other market holds 10: a sale of the whole supply (ten times the
    // pool's tokens) takes out ten elevenths of it.
    assertNear(doc.features['liquidity_usd'] ?? 0, 2 * ETHER_USD * (1 + 100 / 11));
    assert.equal(checkOf(doc, 'sell_simulation')?.status, 'pass');
  });

  it('depth is what a sale of a part of the tokens in other hands takes out, as the pool computes it', async () => {
    const token = await deployHonest();
    await devnet.addLiquidity(token, 10, 0.9);
    const { doc } = await stack.score(token.address);
    const held = await devnet.balanceOf(token.address, devnet.address(token.creator));
    for (const percent of [1n, 5n, 100n]) {
      const [, out] = await devnet.publicClient.readContract({
        address: DEVNET_ADDRESSES.router,
        abi: ROUTER_ABI,
        functionName: 'getAmountsOut',
        args: [(held * percent) / 100n, [token.address, weth]],
      });
      const usd = (Number(out) / 1e18) * ETHER_USD;
      const depth = doc.features[`depth_${percent}pct_usd`] ?? 0;
      assert.ok(Math.abs(depth / usd - 1) < 1e-9, `${depth} is not ${usd}`);
    }
    assertNear(doc.features['price_native'] ?? 0, 10 / 900_000);
    assertNear(doc.features['price_usd'] ?? 0, (10 / 900_000) * ETHER_USD);
    const hops = doc.market?.route.map(({ protocol, from, to }) => [protocol, from, to]);
    const stable = DEVNET_ADDRESSES.stable;
    assert.deepEqual(hops, [
      ['uniswap_v2', token.address, weth],
      ['uniswap_v2', weth, stable],
    ]);
  });

  /** Adds a token to a pool with another one, ten thousand to one. */
  const poolWith = async (owner: number, token: Hex, other: Hex) => {
    for (const one of [token, other]) await uniswap.approve(owner, one);
    const isLower = token < other;
    const pair = isLower ? ([token, other] as const) : ([other, token] as const);
    const amounts = [parseEther('100000'), parseEther('10')] as const;
    const [amount0, amount1] = isLower ? amounts : amounts.toReversed();
    const sqrtPriceX96 = isLower ? 2n ** 96n / 100n : 2n ** 96n * 100n;
    const pool = await uniswap.createPool(owner, pair, 3_000, sqrtPriceX96);
    const range = {
      lower: -887_220,
      upper: 887_220,
      amount0: amount0 ?? 0n,
      amount1: amount1 ?? 0n,
    };
    await uniswap.addPosition(owner, pool, range);
    return pool.address.toLowerCase() as Hex;
  };

  it('a token that is traded against another one is priced through the markets of that one', async () => {
    const quote = await deployHonest();
    const { pool } = await uniswap.launch(quote.creator, quote.address, AMOUNTS);
    const token = await devnet.deployToken('honest', { creator: quote.creator });
    const own = await poolWith(quote.creator, token.address, quote.address);
    const doc = await stack.scored(token.address, 'LEGIT');
    const quoteUsd = (10 / 100_000) * ETHER_USD;
    assertNear(doc.features['price_usd'] ?? 0, quoteUsd / 10_000);
    assertNear(doc.features.liquidity_usd, 2 * 10 * quoteUsd * (10 / 11));
    assert.deepEqual(
      doc.market?.route.map(({ market, to }) => [market, to]),
      [
        [own, quote.address],
        [pool.address.toLowerCase(), weth],
        [doc.market?.route[2]?.market, DEVNET_ADDRESSES.stable],
      ],
    );
    const sale = checkOf(doc, 'sell_simulation');
    assert.equal(sale?.status, 'unknown', 'only trades against the native coin are tried');
  });

  it('a price that little money could have made is none', async () => {
    const quote = await deployHonest();
    await uniswap.launch(quote.creator, quote.address, { eth: parseEther('4'), tokens: 1_000n });
    const token = await devnet.deployToken('honest', { creator: quote.creator });
    await poolWith(quote.creator, token.address, quote.address);
    const { doc } = await stack.score(token.address);
    assert.deepEqual([doc.features['price_usd'], doc.features.liquidity_usd], [undefined, 0]);
    const sale = checkOf(doc, 'sell_simulation');
    assert.match(sale?.reason ?? '', /^Only trades against/, 'it has a pool');
  });

  describe('on Uniswap V4', () => {
    /** Results of the hook checks: status, severity, value. */
    const hookChecks = ({ checks }: VerdictDoc) =>
      checks
        .filter(({ id }) => id.startsWith('hook_'))
        .map(({ id, status, severity, value }) => [id, status, severity, value]);
    /** Sends a check's evidence to the node. */
    const replay = async (doc: VerdictDoc, id: string) => {
      const requests = (checkOf(doc, id)?.evidence ?? []).flatMap(({ request }) => request ?? []);
      assert.ok(requests.length > 0);
      const answers = await stack.node.batch(requests);
      return answers.map((answer) => (answer.ok ? answer.result : assert.fail(answer.message)));
    };
    /** An honest token in a pool with a hook, and the hook. */
    const launchHooked = async (
      name: string,
      flags: number,
      values: (token: Hex, creator: Hex) => readonly (readonly [string, unknown])[] = () => [],
      fee?: number,
    ) => {
      const { address, creator: from } = await deployHonest();
      const given = values(address, devnet.address(from));
      const types = given.map(([type]) => type);
      const hooks = await v4.deployHook(
        name,
        flags,
        types,
        given.map(([, value]) => value),
      );
      const pool = await v4.launch(from, address, { ...AMOUNTS, hooks, ...(fee && { fee }) });
      return { token: address, hooks, ...pool };
    };

    const launchTaxed = () =>
      launchHooked('SaleTaxHook', 0x44, (address, creator) => [
        ['address', v4.manager],
        ['address', address],
        ['address', creator],
      ]);

    it('an honest one against native currency can be sold, and its depth is what the manager pays', async () => {
      const token = await deployHonest();
      const tokens = AMOUNTS.tokens;
      const { key, id } = await v4.launch(token.creator, token.address, {
        ...AMOUNTS,
        isNative: true,
      });
      await v4.swap(BUYER, key, parseEther('1'), true);
      const doc = await scoredSound(token.address);
      assert.deepEqual(hookChecks(doc), []);
      assert.ok((doc.features['top_10_concentration'] ?? 1) < 1);

      const store = createTokenMarketStore(stack.clickhouse);
      const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
      const bases = [zeroAddress, weth];
      const place = { chainId: CHAIN_ID, tokens: [token.address], bases, upTo: head };
      const [market] = await store.find(place);
      assert.deepEqual([market?.pool, market?.base, market?.kind], [id, zeroAddress, 'managed']);
      assert.ok(market?.entry);
      const [state] = await store.states(CHAIN_ID, [{ market, untilBlock: head }]);
      const book = state && bookOf(market.created, state, undefined);
      assert.ok(book);
      const ever = { market, untilBlock: head, sinceS: 0 };
      const peak = (await store.peaks(CHAIN_ID, [ever])).get(id);
      assertNear(peak?.base ?? 0, 11e18);
      assert.equal(peak?.withdrawnShare, 0);
      const { isToken0 } = market;
      const sold = tokens / 50n;
      await devnet.transfer(token.address, token.creator, devnet.address(BUYER), sold);
      const expected = amountOut(book, sold, isToken0);
      await v4.approve(BUYER, token.address);
      const balance = () =>
        devnet.publicClient.getBalance({ address: devnet.address(BUYER), blockTag: 'latest' });
      const before = await balance();
      const { gasUsed, hash } = await v4.swap(BUYER, key, sold, isToken0);
      const { effectiveGasPrice } = await devnet.publicClient.getTransactionReceipt({ hash });
      const earned = (await balance()) - before + gasUsed * effectiveGasPrice;
      assert.equal(earned, expected);
    });

    it('one that holders bought and sold there has passed what they experienced', async () => {
      const { address, creator: from } = await deployHonest();
      const { key } = await v4.launch(from, address, { ...AMOUNTS, isNative: true });
      const sellers = HOLDERS.slice(0, HOLDERS.length / 2);
      for (const holder of HOLDERS) {
        await devnet.setBalance(devnet.address(holder), parseEther('5'));
        await v4.swap(holder, key, parseEther('0.01'), true);
      }
      for (const seller of sellers) {
        await v4.approve(seller, address);
        await v4.swap(seller, key, parseEther('1'), false);
      }
      const { doc } = await stack.score(address);
      const { buyers, sellers: sold, trials } = doc.holders ?? {};
      assert.deepEqual([buyers, sold], [HOLDERS.length, sellers.length]);
      assert.deepEqual([trials?.sold.length, trials?.refused], [HOLDERS.length, []]);
      const passed = ['holder_sales', 'holder_trials'].map((id) => checkOf(doc, id)?.status);
      assert.deepEqual(passed, ['pass', 'pass']);
    });

    it('one whose liquidity was moved to prices out of reach is drained', async () => {
      const { address, creator: from } = await deployHonest();
      const launch = { ...AMOUNTS, isNative: true };
      const { key, position } = await v4.launch(from, address, launch);
      await v4.swap(BUYER, key, parseEther('1'), true);
      await stack.scored(address, 'LEGIT', []);
      const { hash } = await v4.removePosition(from, key, position);
      // Native currency is currency 0: alone it buys tokens at prices above.
      const beyond = { lower: 600_000, upper: 887_220, liquidity: position.liquidity * 10n ** 9n };
      const added = await v4.addPosition(from, key, beyond, parseEther('11'));
      const { value } = await devnet.publicClient.getTransaction({ hash: added.hash });
      assert.equal(value, parseEther('11'));
      const doc = await stack.scored(address, 'SCAM');
      const drained = checkOf(doc, 'liquidity_drained');
      assert.deepEqual([drained?.status, drained?.evidence?.[0]?.ref], ['fail', hash]);
      assert.deepEqual(hookChecks(doc), []);
    });

    it('an empty pool that keeps all that is paid in stops no verdict', async () => {
      const { address: token, creator: from } = await deployHonest();
      const isLower = token < weth;
      const [currency0, currency1] = isLower ? [token, weth] : [weth, token];
      const terms = { fee: 1_000_000, tickSpacing: 60, hooks: zeroAddress };
      await v4.createPool(from, { currency0, currency1, ...terms }, 2n ** 96n);
      assert.equal((await stack.scored(token, 'LEGIT')).features.liquidity_usd, 0);
    });

    it('a pool that keeps nearly all that is paid in is a trap, whatever its token is', async () => {
      const { address: token, creator: from } = await deployHonest();
      const { id } = await v4.launch(from, token, { ...AMOUNTS, fee: 900_000 });
      const doc = await stack.scored(token, 'SCAM', ['pool_fee']);
      const [[log]] = (await replay(doc, 'pool_fee')) as [[{ topics: Hex[] }]];
      assert.equal(log.topics[1], id);

      const other = await deployHonest();
      await devnet.addLiquidity(other, 4);
      await v4.launch(other.creator, other.address, { ...AMOUNTS, fee: 900_000 });
      const beside = await stack.scored(other.address, 'LEGIT');
      assert.equal(beside.market?.route[0]?.protocol, 'uniswap_v2');
    });

    it('one with a hook that only counts is honest', async () => {
      const { token } = await launchHooked('CountingHook', 0xc0);
      const doc = await stack.scored(token, 'LEGIT', []);
      assert.deepEqual(hookChecks(doc), [
        ['hook_power', 'fail', 'info', 'fixed'],
        ['hook_tax', 'pass', 'warning', 0],
      ]);
      const [logs] = await replay(doc, 'hook_power');
      assert.equal((logs as unknown[]).length, 1, 'the log that names the hook');
    });

    it('a hook that keeps a part of sales is found by what it keeps', async () => {
      const { token } = await launchTaxed();
      const doc = await stack.scored(token, 'SCAM', ['hook_tax']);
      assert.deepEqual(hookChecks(doc), [
        ['hook_power', 'fail', 'info', 'fixed'],
        ['hook_tax', 'fail', 'warning', 0.3],
      ]);
      assert.equal((await replay(doc, 'hook_tax')).length, 4);
    });

    it('a fee that the hook sets counts as what it keeps, and that its owner can raise it is tried', async () => {
      const { token } = await launchHooked(
        'OwnedFeeHook',
        0xc0,
        (_address, creator) => [
          ['address', creator],
          ['uint24', 120_000],
        ],
        DYNAMIC_FEE,
      );
      const doc = await stack.scored(token, 'LEGIT', ['hook_power', 'hook_tax']);
      const [power, tax] = hookChecks(doc);
      assert.deepEqual(power, ['hook_power', 'fail', 'warning', 'freeze']);
      assert.match(checkOf(doc, 'hook_power')?.reason ?? '', /owner.*stop sales/);
      const [trial] = await replay(doc, 'hook_power');
      assert.match(JSON.stringify(trial), /"status":"0x0"/);
      const kept = Number(tax?.[3]);
      assert.ok(Math.abs(kept - 0.12) < 0.001, `${kept} of a trade`);
    });

    it('a hook that refuses sales from a block on is found before and after it', async () => {
      const head = await devnet.publicClient.getBlockNumber({ cacheTime: 0 });
      const { token } = await launchHooked('BlockTrapHook', 0xc0, (address) => [
        ['address', address],
        ['uint256', head + 30n],
      ]);
      const before = await stack.scored(token, 'SCAM', ['sell_later']);
      assert.match(checkOf(before, 'sell_later')?.reason ?? '', /hook.*sales are over/);
      const [later] = await replay(before, 'sell_later');
      assert.match(JSON.stringify(later), /"status":"0x0"/);
      await devnet.mine(30);
      const after = await stack.scored(token, 'SCAM');
      assert.deepEqual(hookChecks(after), [
        ['hook_power', 'fail', 'critical', 'refuses'],
        ['hook_tax', 'unknown', 'warning', undefined],
      ]);
      const labels = await stack.clickhouse.query(
        `SELECT is_scam FROM code_labels FINAL WHERE token = unhex('${token.slice(2)}')`,
        {},
        z.object({ is_scam: z.number() }),
      );
      assert.deepEqual(labels, [{ is_scam: 0 }], 'the code of the token is not accused');
      const shown = await replay(after, 'hook_power');
      const fails = shown.map((answer) => JSON.stringify(answer).includes('"status":"0x0"'));
      assert.deepEqual(fails, [true, false], 'with the hook, and without');
    });

    it('a token that refuses sales itself is accused, and not the hook of its pool', async () => {
      const from = await nextCreator();
      const pools = await v4.deployHook('ManagerAsPair', 0, ['address'], [v4.manager]);
      const token = await createTrick(from, NO_SALES, pools);
      const hooks = await v4.deployHook('CountingHook', 0xc0);
      await v4.launch(from, token, { ...AMOUNTS, hooks });
      const doc = await scoredTrap(token);
      assert.deepEqual(hookChecks(doc), [
        ['hook_power', 'fail', 'info', 'fixed'],
        ['hook_tax', 'unknown', 'warning', undefined],
      ]);
    });

    it('a node without eth_simulateV1 shows the same', async () => {
      const taxed = await launchTaxed();
      const { address, creator: from } = await deployHonest();
      const plain = await v4.launch(from, address, { ...AMOUNTS, isNative: true });
      const entryOf = ({ hooks, fee, tickSpacing }: V4Key, isNative: boolean) => {
        return { manager: v4.manager, hooks, fee, tickSpacing, isNative };
      };
      const requests = [
        { token: taxed.token, pool: taxed.id, entry: entryOf(taxed.key, false), baseToken: weth },
        { token: address, pool: plain.id, entry: entryOf(plain.key, true), baseToken: zeroAddress },
      ].map((one) => ({ kind: 'managed', ...one }) as const);
      const without = createSimulatingNode(withoutSimulations(stack.node), systemClock);
      const [shown, emulated] = await Promise.all(
        [stack.node, without].map(async (node) => {
          const simulator = createSimulations({ node, weth, clock: systemClock });
          return (await simulator.simulate(requests, await headOf(node))).map((one) => {
            if (one.kind !== 'traded') return one;
            const { buyTax, sellTax, transfer, limits, hook } = one;
            return {
              buyTax,
              sellTax,
              transfer,
              limits,
              hook: hook && [hook.buyTake, hook.sellTake],
            };
          });
        }),
      );
      const free = { buyTax: 0, sellTax: 0, transfer: { kind: 'moved', tax: 0 }, limits: [] };
      assert.deepEqual(shown, [
        { ...free, hook: [0, 0.3] },
        { ...free, hook: undefined },
      ]);
      assert.deepEqual(emulated, shown);
    });

    it('a hook whose code can be replaced is reported, and makes no token a scam', async () => {
      const code = await v4.deployHook('CountingHook', 0);
      const { token } = await launchHooked('UpgradableHook', 0xc0, (_address, creator) => [
        ['address', code],
        ['address', creator],
      ]);
      const doc = await stack.scored(token, 'LEGIT', ['hook_power']);
      assert.deepEqual(hookChecks(doc), [
        ['hook_power', 'fail', 'warning', 'replaceable'],
        ['hook_tax', 'pass', 'warning', 0],
      ]);
      const [, slot] = await replay(doc, 'hook_power');
      assert.equal(String(slot).slice(-40), code.slice(2), 'the code that the hook runs');
    });
  });

  describe('on a bonding curve', () => {
    const launchCurve = async (
      manager: Hex,
      { isTrap = false, ownPurchase = 0n }: { isTrap?: boolean; ownPurchase?: bigint } = {},
    ): Promise<{ token: Hex; from: number }> => {
      const from = await nextCreator();
      const args = ['Curve', 'CURVE', isTrap] as const;
      const made = await sendOf(CURVE_ABI)(from, manager, 'createToken', args, ownPurchase);
      const [log] = await logsOf(made);
      assert.ok(log);
      return { token: log.address.toLowerCase() as Hex, from };
    };
    const buy = (manager: Hex, token: Hex, value: bigint) =>
      sendOf(CURVE_ABI)(BUYER, manager, 'buyTokenAMAP', [token, value, 0n], value);
    const createManager = async () =>
      create(
        await nextCreator(),
        'CurveManager',
        ['address', 'address'],
        [DEVNET_ADDRESSES.factory, weth],
      );

    it('an honest one can be sold before and after it graduates, and the verdict says what it does not rest on', async () => {
      const manager = await createManager();
      const { token } = await launchCurve(manager);
      await buy(manager, token, parseEther('4'));
      const young = await scoredSound(token);
      assert.deepEqual(
        [young.market?.protocol, young.market?.market, checkOf(young, 'trade_tax')?.value],
        ['four_meme', token, 0],
      );
      // The raised amount can be taken out; only the curve knows what a part of it would give.
      assertNear(young.features.liquidity_usd, 2 * 3.96 * ETHER_USD);
      assert.equal(young.features['depth_1pct_usd'], undefined);
      assertNear(young.features['price_native'] ?? 0, 3.96 / (800e6 * (3.96 / 11.96)));
      const pattern = checkOf(young, 'market_pattern');
      assert.equal(pattern?.status, 'unknown');
      assert.match(pattern?.reason ?? '', /four_meme/);
      assert.equal(checkOf(young, 'launch_snipe')?.status, 'not_applicable');

      await buy(manager, token, parseEther('22'));
      const grown = await scoredSound(token);
      assert.equal(grown.market?.protocol, 'uniswap_v2');
      assertNear(grown.features.liquidity_usd, 2 * (3.96 + 21.78) * ETHER_USD);
    });

    it('one whose creator buys in the block of its creation is reported, with what the creator holds', async () => {
      const manager = await createManager();
      const { token } = await launchCurve(manager, { ownPurchase: parseEther('8') });
      const { doc } = await stack.score(token);
      const snipe = checkOf(doc, 'launch_snipe');
      const share = (0.8 * 7.92) / 15.92;
      assertNear(Number(snipe?.value), share);
      assert.deepEqual([snipe?.status, snipe?.severity], ['fail', 'warning']);
      assert.match(snipe?.reason ?? '', /by the creator, who now holds/);
      const [request] = (snipe?.evidence ?? []).flatMap(({ request: one }) => one ?? []);
      assert.ok(request);
      const [answer] = await stack.node.batch([request]);
      assert.ok(answer?.ok && answer.result);
    });

    it('one that only its creator can sell is a scam', async () => {
      const manager = await createManager();
      const { token } = await launchCurve(manager, { isTrap: true });
      await buy(manager, token, parseEther('1'));
      await scoredTrap(token);
    });
  });

  describe('on a bonding curve that is a pair, priced in another token', () => {
    /** Price of the curves' quote token in ether, and the initial amount of it. */
    const ASSET_ETH = 0.001;
    const START = 6_000;
    const SUPPLY = 1e9;
    let asset: Hex;
    let bonding: Hex;

    const eventsOf = async (sent: Promise<{ hash: Hex }>) =>
      parseEventLogs({ abi: BONDING_ABI, logs: await logsOf(await sent) });
    const launch = async (isTrap = false, purchase = 0n) => {
      const from = await nextCreator();
      await devnet.transfer(asset, BUYER, devnet.address(from), purchase);
      await approve(from, asset, bonding);
      const args = ['Agent', 'AGENT', isTrap, purchase] as const;
      const logs = await eventsOf(sendOf(BONDING_ABI)(from, bonding, 'launch', args));
      const made = logs.find((log) => log.eventName === 'Launched');
      assert.ok(made?.eventName === 'Launched');
      const [token, pair] = [made.args.token, made.args.pair].map(
        (one) => one.toLowerCase() as Hex,
      );
      assert.ok(token && pair);
      return { token, pair, from };
    };
    const approve = (from: number, token: Hex, spender: Hex) =>
      sendOf(BONDING_ABI)(from, token, 'approve', [spender, parseEther('1000000000')]);
    const buy = (token: Hex, amount: bigint) =>
      eventsOf(sendOf(BONDING_ABI)(BUYER, bonding, 'buy', [amount, token, 0n, 2n ** 64n]));

    before(async () => {
      const made = await deployHonest();
      asset = made.address;
      await devnet.addLiquidity(made, 500, 0.5);
      bonding = await create(
        made.creator,
        'Bonding',
        ['address', 'address'],
        [DEVNET_ADDRESSES.factory, asset],
      );
      const router = await devnet.publicClient.readContract({
        address: bonding,
        abi: BONDING_ABI,
        functionName: 'router',
      });
      await devnet.transfer(asset, made.creator, devnet.address(BUYER), parseEther('100000'));
      await approve(BUYER, asset, router.toLowerCase() as Hex);
    });

    it('an honest one can be sold until it graduates, and what becomes of it is priced on', async () => {
      const { token, pair } = await launch();
      // The contract that launched it may burn anybody's tokens, and burns those of the pair at the end.
      const fresh = await stack.scored(token, 'LEGIT', ['confiscation_power']);
      assert.equal(checkOf(fresh, 'sell_simulation')?.status, 'pass', 'before anybody bought');
      assertNear(fresh.features['price_native'] ?? 0, (START / SUPPLY) * ASSET_ETH);
      assert.equal(fresh.features.liquidity_usd, 0, 'unpaid amounts are no liquidity');

      await buy(token, parseEther('4000'));
      const young = await stack.scored(token, 'LEGIT', ['confiscation_power']);
      const { market, features } = young;
      const sale = checkOf(young, 'sell_simulation');
      assert.deepEqual(
        [sale?.status, market?.protocol, market?.market],
        ['pass', 'virtuals', pair],
      );
      assertNear(features.liquidity_usd, 2 * 3_960 * ASSET_ETH * ETHER_USD);
      const left = (START * SUPPLY) / (START + 3_960);
      assertNear(features['price_native'] ?? 0, ((START + 3_960) / left) * ASSET_ETH);
      assert.deepEqual(
        market?.route.map(({ protocol, from, to }) => [protocol, from, to]),
        [
          ['virtuals', token, asset],
          ['uniswap_v2', asset, weth],
          ['uniswap_v2', weth, DEVNET_ADDRESSES.stable],
        ],
      );
      assertNear(features['top_10_concentration'], 1 - left / SUPPLY);
      const pattern = checkOf(young, 'market_pattern');
      assert.equal(pattern?.status, 'unknown');
      assert.match(pattern?.reason ?? '', /virtuals/);

      const graduated = (await buy(token, parseEther('20000'))).find(
        (log) => log.eventName === 'Graduated',
      );
      assert.ok(graduated?.eventName === 'Graduated');
      const old = await stack.scored(token, 'LEGIT');
      assert.deepEqual([old.market, old.features.liquidity_usd], [undefined, 0]);
      const agentToken = graduated.args.agentToken.toLowerCase() as Hex;
      await stack.analyzer.analyze(agentToken);
      const agent = await stack.verdict(agentToken);
      assert.equal(agent.prediction, 'LEGIT');
      const [shown] = await stack.clickhouse.query(
        `SELECT price, depth1 FROM markets WHERE chain_id = {chainId:UInt64} AND market = {pair:String}`,
        { chainId: CHAIN_ID, pair },
        z.object({ price: z.number().nullable(), depth1: z.number() }),
      );
      assert.deepEqual(shown, { price: null, depth1: 0 });
      assertNear(agent.doc.features.liquidity_usd, 2 * (3_960 + 19_800) * ASSET_ETH * ETHER_USD);
    });

    it('depth is what the curve pays for a part of the tokens in other hands, and what moves says who traded', async () => {
      const { token } = await launch();
      await buy(token, parseEther('4000'));
      const { doc } = await stack.score(token);
      const held = await devnet.balanceOf(token, devnet.address(BUYER));
      const sold = Number(held) / 1e20;
      const reserve0 = SUPPLY - Number(held) / 1e18;
      const out = (sold * (START + 3_960)) / (reserve0 + sold);
      const depth = doc.features['depth_1pct_usd'] ?? 0;
      assert.ok(Math.abs(depth / (out * ASSET_ETH * ETHER_USD) - 1) < 0.001, String(depth));
      const rows = await stack.clickhouse.query(
        `SELECT trader, token_out, symbol_in != '' AS is_known FROM trades WHERE chain_id = {chainId:UInt64} AND token_out = {token:String}`,
        { chainId: CHAIN_ID, token },
        z.object({ trader: z.string(), token_out: z.string(), is_known: z.number() }),
      );
      assert.deepEqual(rows, [
        { trader: devnet.address(BUYER).toLowerCase(), token_out: token, is_known: 1 },
      ]);
      const [shown] = await stack.clickhouse.query(
        `SELECT price, depth0, depth1, token1 FROM markets WHERE chain_id = {chainId:UInt64} AND token0 = {token:String}`,
        { chainId: CHAIN_ID, token },
        z.object({ price: z.number(), depth0: z.number(), depth1: z.number(), token1: z.string() }),
      );
      assertNear(shown?.price ?? 0, (START + 3_960) / reserve0);
      assertNear(shown?.depth0 ?? 0, reserve0 * 1e18);
      assertNear(shown?.depth1 ?? 0, 3_960e18);
      assert.equal(shown?.token1, asset);
    });

    it('one whose creator buys with the launch is reported, though the launching contract hands the tokens on', async () => {
      const { token } = await launch(false, parseEther('2000'));
      const { doc } = await stack.score(token);
      const snipe = checkOf(doc, 'launch_snipe');
      assertNear(Number(snipe?.value), 1_980 / (START + 1_980));
      assert.deepEqual([snipe?.status, snipe?.severity], ['fail', 'warning']);
      assert.match(snipe?.reason ?? '', /24\.81% by the creator, who now holds 24\.81%/);
    });

    it('one that only its creator can sell is a scam, also without eth_simulateV1', async () => {
      const { token, pair } = await launch(true);
      await buy(token, parseEther('10'));
      const doc = await scoredTrap(token);
      const [route] = doc.market?.route.slice(1) ?? [];
      const entry = {
        manager: bonding,
        fee: 0,
        tickSpacing: 0,
        hooks: zeroAddress,
        isNative: false,
      };
      const request = {
        kind: 'bonding',
        token,
        pool: pair,
        entry,
        baseToken: asset,
        lender: route?.market,
      } as const;
      const node = createSimulatingNode(withoutSimulations(stack.node), systemClock);
      const simulator = createSimulations({ node, weth, clock: systemClock });
      const honest = await launch();
      const [trap, traded] = await simulator.simulate(
        [request, { ...request, token: honest.token, pool: honest.pair }],
        await headOf(node),
      );
      assert.deepEqual([trap?.kind, traded?.kind], ['sellFails', 'traded']);
    });
  });

  describe('on a fork of Uniswap V2', () => {
    /** Adds an honest token and ether to a pool with a fee in thousandths. */
    const launch = async (fee: number) => {
      const { address: token, creator: from } = await deployHonest();
      const to = await create(from, 'ForkFactory');
      const made = await sendOf(FORK_ABI)(from, to, 'createPool', [token, weth, BigInt(fee)]);
      const [created] = parseEventLogs({ abi: FORK_ABI, logs: await logsOf(made) });
      assert.ok(created);
      const { pair } = created.args;
      await uniswap.wrap(from, AMOUNTS.eth);
      await devnet.transfer(token, from, pair, AMOUNTS.tokens);
      await devnet.transfer(weth, from, pair, AMOUNTS.eth);
      await sendOf(SOLIDLY_ABI)(from, pair, 'sync', []);
      return token;
    };

    for (const fee of [0, 2, 10, 30, 100]) {
      it(`an honest token can be sold, where the pool keeps ${fee} thousandths`, async () => {
        assert.equal(checkOf(await scoredSound(await launch(fee)), 'trade_tax')?.value, 0);
      });
    }
  });

  describe('on Solidly', () => {
    /**
     * Adds a token and ether to a pool in one transaction, like a router: the pool is synced, then the token moves
     * on.
     */
    const launch = async (from: number, token: Hex, { eth, tokens } = AMOUNTS): Promise<Hex> => {
      await stack.takeIn();
      const place = {
        chainId: CHAIN_ID,
        tokens: [token],
        bases: [weth],
        upTo: Number.MAX_SAFE_INTEGER,
      };
      const [market] = await createTokenMarketStore(stack.clickhouse).find(place);
      assert.equal(market?.kind, 'solidly');
      await uniswap.wrap(from, eth);
      await devnet.transfer(token, from, market.pool, tokens);
      await devnet.transfer(weth, from, market.pool, eth);
      await sendOf(SOLIDLY_ABI)(from, market.pool, 'sync', []);
      await devnet.transfer(token, from, devnet.address(BUYER), 1n);
      return market.pool;
    };

    for (const [kind, isStable, amounts] of [
      ['volatile', false, AMOUNTS],
      ['stable', true, { eth: AMOUNTS.eth, tokens: AMOUNTS.eth }],
    ] as const) {
      it(`an honest token can be sold in a ${kind} pool, whose liquidity is that of the reserves`, async () => {
        const token = await deployHonest();
        const to = await create(token.creator, 'SolidlyFactory');
        const args = [token.address, weth, isStable] as const;
        await sendOf(SOLIDLY_ABI)(token.creator, to, 'createPool', args);
        const address = await launch(token.creator, token.address, amounts);
        const doc = await scoredSound(token.address);
        assertNear(doc.features.liquidity_usd, 2 * ETHER_USD * 10);
        // The pool takes 1 %.
        const held = await devnet.balanceOf(token.address, devnet.address(token.creator));
        const sold = (held * 101n) / 10_000n;
        const call = { address, abi: SOLIDLY_ABI, functionName: 'getAmountOut' } as const;
        const asked = [sold, token.address] as const;
        const out = await devnet.publicClient.readContract({ ...call, args: asked });
        const usd = (Number(out) / 1e18) * ETHER_USD;
        const depth = doc.features['depth_1pct_usd'] ?? 0;
        assert.ok(Math.abs(depth / usd - 1) < 0.001, `${depth} is not ${usd}`);
      });
    }

    it('a token that cannot be sold is a scam', async () => {
      const from = await nextCreator();
      const token = await createTrick(from, NO_SALES, await create(from, 'SolidlyFactory'));
      await launch(from, token);
      await scoredTrap(token);
    });
  });

  // Last, because it advances the chain's time by a month.
  it('one that lies still grows older, and silence is not called safety', async () => {
    const token = await deployHonest();
    await uniswap.launch(token.creator, token.address, AMOUNTS);
    const { doc: young } = await stack.score(token.address);
    const launchedS = Number((await devnet.publicClient.getBlock()).timestamp);
    await devnet.increaseTime(31 * DAY_S);
    await devnet.mine(1);
    await stack.takeIn();
    // Evidence shared by the other tokens is left out.
    const scoredUntilS = launchedS + 30 * DAY_S - 60;
    const horizons = createHorizonStore(stack.clickhouse);
    await horizons.saveScoredUntil(CHAIN_ID, scoredUntilS, Date.now());
    const trigger = async () => (await stack.verdict(token.address)).doc.provenance.trigger;
    await runUntil(stack.loop, async () => (await trigger()) === 'horizon:30d');
    const old = await stack.verdict(token.address);
    assert.ok(old.doc.probability < young.probability);
    const pattern = checkOf(old.doc, 'market_pattern');
    assert.equal(pattern?.status, 'unknown');
    assert.match(
      pattern?.reason ?? '',
      /nothing has happened to it for \d+ days\. Silence is not safety/,
    );
  });
});
