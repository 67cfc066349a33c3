import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fact } from '../../shared/chain/fact.ts';
import type { AlerterPorts } from './alerter.ts';
import { createBench } from './testing/alerterBench.ts';
import {
  address,
  block,
  blocksEvent,
  POOL,
  pairCreated,
  sync,
  watchItem,
} from './testing/chainBuilder.ts';
import { createTickMarket, FACTORY, V3 } from './testing/marketBuilder.ts';

const TYPES = ['rug_pull', 'price_drop', 'liquidity_removed', 'large_sell'] as const;

/** The alerts of an item that watches the token, as `type pool`, for blocks with these facts. */
const alertsOf = async (
  facts: readonly (readonly Fact[])[],
  changes: Partial<AlerterPorts> = {},
): Promise<string[]> => {
  const bench = createBench(undefined, changes);
  bench.watch(watchItem({ alerts: [...TYPES] }));
  bench.add(...facts.map((one, i) => blocksEvent([block(i + 1, one)])));
  await bench.start().handle(bench.stream);
  return bench
    .alerts()
    .map(({ type, details }) => `${type} ${String(details['pool'])}`)
    .toSorted();
};

const v3With = (liquidity: number) => {
  const market = createTickMarket(V3);
  return { market, opened: [...market.create('v3'), market.mint('v3', liquidity)] };
};
const v2With = (base: number): Fact[] => [pairCreated(), sync('open', 1000, base)];
const DRAINED = sync('drain', 1000, 0.5);

describe('the main market of a token', () => {
  it('is the deepest: the drain of a small one raises no alert', async () => {
    const { market, opened } = v3With(10);
    assert.deepEqual(await alertsOf([[...v2With(100), ...opened], [market.burn('rug', 10)]]), []);
    const deep = v3With(1_000);
    assert.deepEqual(await alertsOf([[...v2With(100), ...deep.opened], [DRAINED]]), []);
  });

  it('raises alerts when it is drained, whatever else there is', async () => {
    const { market, opened } = v3With(1_000);
    assert.deepEqual(await alertsOf([[...v2With(100), ...opened], [market.burn('rug', 990)]]), [
      `liquidity_removed ${V3.pool}`,
      `rug_pull ${V3.pool}`,
    ]);
    const small = v3With(10);
    assert.deepEqual(await alertsOf([[...v2With(100), ...small.opened], [DRAINED]]), [
      `price_drop ${POOL}`,
      `rug_pull ${POOL}`,
    ]);
  });

  it('is no other once liquidity has moved to it', async () => {
    const { market, opened } = v3With(1);
    const moved = [sync('move', 10, 1), market.mint('move', 200)];
    assert.deepEqual(await alertsOf([[...v2With(100), ...opened], moved]), []);
  });

  it('leaves pools of Uniswap V2 beside each other as they are', async () => {
    const deep = address('deep');
    const opened = [...v2With(100), pairCreated('two', deep), sync('two', 1000, 1_000, deep)];
    assert.deepEqual(await alertsOf([opened, [DRAINED]]), [
      `price_drop ${POOL}`,
      `rug_pull ${POOL}`,
    ]);
  });

  it('does not hide behind a factory that is not known', async () => {
    const { opened } = v3With(1_000);
    const factories = new Set([address('factory')]);
    assert.equal(
      (await alertsOf([[...v2With(100), ...opened], [DRAINED]], { factories })).length,
      2,
    );
  });

  it('is not one that no known factory lists, beside one that is worth something', async () => {
    const listed = new Set([FACTORY]);
    const madeUp = v2With(100);
    for (const [worth, raised] of [
      [1_000, 0],
      [0.001, 2],
    ] as const) {
      const { opened } = v3With(worth);
      const alerts = await alertsOf([[...madeUp, ...opened], [DRAINED]], { factories: listed });
      assert.equal(alerts.length, raised, `beside a market of ${worth}`);
    }
  });

  it('is found in the index where the stream does not contain it', async () => {
    const { market } = v3With(1_000);
    const index: Partial<AlerterPorts['index']> = {
      marketsOf: async (tokens) =>
        tokens.map((token) => ({ token, pool: V3.pool, isUniswapV2: false })),
      markets: async (pools) =>
        pools.map((pool) => ({
          protocol: V3.protocol,
          factory: FACTORY,
          pool,
          ...V3.sides,
          isListed: true,
          reserves: null,
          concentrated: market.state(),
        })),
    };
    const bench = createBench(undefined, {}, index);
    bench.watch(watchItem({ alerts: [...TYPES] }));
    bench.add(blocksEvent([block(1, v2With(100))]), blocksEvent([block(2, [DRAINED])]));
    await bench.start().handle(bench.stream);
    assert.deepEqual(bench.alerts(), []);
  });
});
