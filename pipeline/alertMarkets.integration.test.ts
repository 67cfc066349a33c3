import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../shared/chain/block.ts';
import type { BlocksEvent } from '../shared/chain/chainEvent.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { createRpcChainSource } from '../shared/platform/rpc/createRpc.ts';
import { createEndpoint } from '../shared/platform/rpc/endpoint.ts';
import { createEndpointPool, type EndpointPool } from '../shared/platform/rpc/endpointPool.ts';
import { createHttpPost } from '../shared/platform/rpc/httpPost.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import {
  deployUniswapV3,
  UNISWAP_V3_ABI,
  type V3Pool,
} from '../shared/testing/devnet/uniswapV3.ts';
import { deployUniswapV4 } from '../shared/testing/devnet/uniswapV4.ts';
import { startAnvil } from '../shared/testing/services.ts';
import { clickhouse, emptyTables } from '../shared/testing/tables.ts';
import { createMarketReader } from './alerts/marketReader.ts';
import { createBench } from './alerts/testing/alerterBench.ts';
import {
  block,
  blocksEvent,
  CHAIN_ID,
  PRICING,
  sync,
  TOKEN,
  WETH,
  watchItem,
} from './alerts/testing/chainBuilder.ts';
import {
  createTickMarket,
  ofSolidly,
  SOLIDLY,
  solidlyCreated,
  V4,
} from './alerts/testing/marketBuilder.ts';
import { createFactStore } from './scorer/ingest/factStore.ts';
import { rangeOfBlocks } from './watcher/blockRange.ts';

const OWNER = 0;
const COIN = 10n ** 18n;
const FULL = { lower: -887_220, upper: 887_220 };
const lower = (address: string): Hex => address.toLowerCase() as Hex;
const weth = lower(DEVNET_ADDRESSES.weth);
const pricing = { ...PRICING, weth, stables: [] };

const anvil = await startAnvil();
after(anvil.stop);

describe('alerts on real pools beside Uniswap V2', () => {
  before(emptyTables);
  let rpc: EndpointPool;
  let devnet: Devnet;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let v4: Awaited<ReturnType<typeof deployUniswapV4>>;
  let token: Hex;
  let read = -1;

  before(async () => {
    devnet = await createDevnet({ url: anvil.url });
    // Paid for with wrapped native currency.
    await devnet.deployUniswap();
    rpc = createEndpointPool(
      [createEndpoint({ http: createHttpPost(anvil.url), clock: systemClock })],
      systemClock,
    );
    uniswap = await deployUniswapV3(devnet);
    v4 = await deployUniswapV4(devnet);
    token = lower((await devnet.deployToken('honest')).address);
    await uniswap.wrap(OWNER, 200n * COIN);
    for (const one of [token, weth]) await uniswap.approve(OWNER, one);
  });
  after(async () => {
    rpc?.close();
  });

  /** All blocks since the last time, as the watcher publishes them. */
  const since = async (): Promise<BlocksEvent> => {
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    const source = createRpcChainSource({ pool: rpc, now: Date.now });
    const blocks = await source.blocks(read + 1, head);
    const { from, to, blocks: listed } = rangeOfBlocks(blocks);
    read = head;
    const range = {
      kind: 'blocks',
      chainId: CHAIN_ID,
      epoch: 0,
      from,
      to,
      blocks: listed,
    } as const;
    return { ...range, chunk: 0, last: true, head, readAtMs: 0 };
  };
  const stateOf = async ({ address }: V3Pool) => {
    const at = { address, abi: UNISWAP_V3_ABI } as const;
    const { readContract } = devnet.publicClient;
    const [sqrtPriceX96, tick] = await readContract({ ...at, functionName: 'slot0' });
    return {
      sqrtPriceX96,
      tick,
      liquidity: await readContract({ ...at, functionName: 'liquidity' }),
    };
  };
  const benchOn = (indexed: Parameters<typeof createBench>[2] = {}) => {
    const bench = createBench(
      undefined,
      { pricing, factories: new Set([lower(uniswap.factory)]) },
      indexed,
    );
    bench.watch(watchItem({ address: token, alerts: ['rug_pull', 'liquidity_removed'] }));
    return bench;
  };

  it('come from the stream alone, and from the index where the stream begins later', async () => {
    const [token0, token1] = token < weth ? ([token, weth] as const) : ([weth, token] as const);
    const pool = await uniswap.createPool(OWNER, [token0, token1], 3_000, 1n << 96n);
    const id = lower(pool.address);
    const amounts = { amount0: 100n * COIN, amount1: 100n * COIN };
    const main = await uniswap.addPosition(OWNER, pool, { ...FULL, ...amounts });
    const beside = { lower: 6_000, upper: 12_000, amount0: COIN, amount1: COIN };
    await uniswap.addPosition(OWNER, pool, beside);
    await uniswap.swap(OWNER, pool, 3n * COIN, true);
    await uniswap.removePosition(OWNER, { ...main, liquidity: main.liquidity / 10n });
    const before = await since();
    await createFactStore(clickhouse).insert([before]);

    const bases = [weth];
    const factories = new Set([lower(uniswap.factory)]);
    const reader = createMarketReader(clickhouse, { chainId: CHAIN_ID, bases, factories });
    const [known] = await reader.markets([id], read + 1);
    const { sqrtPriceX96, tick, liquidity } = known?.concentrated ?? {};
    assert.deepEqual({ sqrtPriceX96, tick, liquidity }, await stateOf(pool));
    assert.deepEqual(await reader.marketsOf([token], read + 1), [
      { token, pool: id, isUniswapV2: false },
    ]);
    const strict = createMarketReader(clickhouse, {
      chainId: CHAIN_ID,
      bases,
      factories: new Set([weth]),
    });
    assert.deepEqual(await strict.markets([id], read + 1), []);
    assert.deepEqual(await strict.marketsOf([token], read + 1), []);

    const rest = { ...main, liquidity: main.liquidity - main.liquidity / 10n };
    await uniswap.removePosition(OWNER, rest);
    const rug = await since();
    const whole = benchOn();
    whole.add(before, rug);
    await whole.start().handle(whole.stream);
    const late = benchOn(reader);
    late.add(rug);
    await late.start().handle(late.stream);
    const raised = late.alerts();
    const types = raised.map(({ type, severity }) => `${type} ${severity}`).toSorted();
    assert.deepEqual(types, ['liquidity_removed warning', 'rug_pull critical']);
    const ofRug = whole.alerts().filter(({ blockNumber }) => blockNumber > before.to.number);
    assert.deepEqual(
      ofRug.map(({ type, txHash, logIndex }) => ({ type, txHash, logIndex })),
      raised.map(({ type, txHash, logIndex }) => ({ type, txHash, logIndex })),
    );
  });

  /**
   * Passes blocks to one process as they arrive, and returns which alerts each of them raised on a token, and of
   * which pools.
   */
  const follow = (of: Hex) => {
    const bench = createBench(undefined, { pricing });
    const alerts = ['rug_pull', 'liquidity_removed', 'price_drop', 'large_sell'] as const;
    bench.watch(watchItem({ address: of, alerts: [...alerts] }));
    bench.set('fam1', { dedupe_window_seconds: 0 });
    const alerter = bench.start();
    const known = new Set<number>();
    return async () => {
      const read = bench.stream.length;
      bench.add(await since());
      await alerter.handle(bench.stream.slice(read));
      const raised = bench.alerts().filter(({ id }) => !known.has(id));
      for (const { id } of raised) known.add(id);
      return {
        types: raised.map(({ type, severity }) => `${type} ${severity}`).toSorted(),
        pools: [...new Set(raised.map(({ details }) => details['pool']))],
      };
    };
  };
  const NOTHING = { types: [], pools: [] };

  it('come from the main market of five, one of Uniswap V4, and not from small ones', async () => {
    const launched = await devnet.deployToken('honest', { creator: OWNER });
    const own = lower(launched.address);
    const raised = follow(own);
    const small = { eth: COIN, tokens: 1_000n * COIN };
    await devnet.addLiquidity(launched, 1);
    const inV3 = await uniswap.launch(OWNER, own, small);
    const aside = await v4.launch(OWNER, own, small);
    await v4.launch(OWNER, own, { ...small, fee: 500 });
    const main = { eth: 50n * COIN, tokens: 50_000n * COIN, isNative: true };
    const { key, id, position } = await v4.launch(OWNER, own, main);
    const ofMain = (...types: readonly string[]) => ({ types, pools: [id] });
    assert.deepEqual(await raised(), NOTHING);
    await v4.removePosition(OWNER, aside.key, aside.position);
    await uniswap.removePosition(OWNER, inV3.position);
    assert.deepEqual(await raised(), NOTHING, 'small markets are drained');

    await v4.swap(OWNER, key, 10_000n * COIN, false);
    assert.deepEqual(await raised(), ofMain('large_sell info'));
    await v4.swap(OWNER, key, 30_000n * COIN, false);
    assert.deepEqual(await raised(), ofMain('large_sell warning', 'price_drop warning'));
    const part = { ...position, liquidity: (position.liquidity * 2n) / 5n };
    await v4.removePosition(OWNER, key, part);
    assert.deepEqual(await raised(), ofMain('liquidity_removed info', 'rug_pull warning'));
    await v4.removePosition(OWNER, key, {
      ...position,
      liquidity: position.liquidity - part.liquidity,
    });
    const beyond = { lower: -887_220, upper: -600_000, liquidity: part.liquidity / 1_000_000n };
    await v4.addPosition(OWNER, key, beyond);
    assert.deepEqual(await raised(), ofMain('liquidity_removed warning', 'rug_pull critical'));
  });

  it('come from a pool that its creator filled with tokens alone', async () => {
    const own = lower((await devnet.deployToken('honest', { creator: OWNER })).address);
    const raised = follow(own);
    const amounts = { eth: 10n * COIN, tokens: 100_000n * COIN, withEther: false };
    const { pool, position } = await uniswap.launch(OWNER, own, amounts);
    await uniswap.swap(OWNER, pool, 5n * COIN, own > weth);
    assert.deepEqual(await raised(), NOTHING, 'buyers pay in');
    await uniswap.removePosition(OWNER, position);
    assert.deepEqual(await raised(), {
      types: ['liquidity_removed warning', 'rug_pull critical'],
      pools: [lower(pool.address)],
    });
  });

  it('reads a market of Uniswap V4 as its own manager logs it, and the reserves of Solidly', async () => {
    const market = createTickMarket(V4);
    const opened = [...market.create('create', 120), market.mint('open', 100)];
    const traded = [market.mint('more', 7, { lower: -600, upper: 60 }), market.swap('s', 3, TOKEN)];
    const expected = market.state();
    const lie = { ...market.burn('lie', 90), manager: lower(weth) };
    const pair = [solidlyCreated('pair', true), ofSolidly(sync('pair', 1000, 100))];
    const facts = [...opened, ...traded, lie, ...pair];
    await createFactStore(clickhouse).insert([blocksEvent([block(1_000_000, facts)])]);
    const scope = { chainId: CHAIN_ID, bases: [WETH], factories: null };
    const reader = createMarketReader(clickhouse, scope);
    const known = await reader.markets([V4.pool, SOLIDLY], 1_000_001);
    const byPool = new Map(known.map((one) => [one.pool, one]));
    assert.deepEqual(byPool.get(V4.pool)?.concentrated, expected);
    assert.deepEqual(byPool.get(SOLIDLY)?.reserves, { amount0: 1000e18, amount1: 100e18 });
    assert.equal(byPool.get(SOLIDLY)?.terms?.stable, true);
    assert.deepEqual(
      (await reader.marketsOf([TOKEN], 1_000_001)).map(({ pool }) => pool),
      [V4.pool, SOLIDLY],
    );
    assert.deepEqual(await reader.markets([V4.pool, SOLIDLY], 1_000_000), []);
  });
});
