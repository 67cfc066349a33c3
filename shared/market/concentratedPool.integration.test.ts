import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDevnet, type Devnet } from '../testing/devnet/createDevnet.ts';
import { deployUniswapV3, UNISWAP_V3_ABI, type V3Pool } from '../testing/devnet/uniswapV3.ts';
import { createRandom, PROPERTY_SEED, type Random } from '../testing/random.ts';
import { type Service, startAnvil } from '../testing/services.ts';
import { type ConcentratedPool, changeLiquidity, swapExactIn } from './concentratedPool.ts';
import { sqrtPriceAtTick } from './tickMath.ts';

const OWNER = 0;
const POSITIONS = 12;
const TRADES = 30;
/** More base units than any pool here can take: the trade ends where the liquidity does. */
const MORE_THAN_ALL = 10n ** 22n;
/** Fees in millionths with the factory's tick spacing for them. */
const KINDS = [
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 },
] as const;
const abi = UNISWAP_V3_ABI;

describe('a concentrated pool beside the contract', () => {
  let anvil: Service;
  let devnet: Devnet;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let tokens: readonly [`0x${string}`, `0x${string}`];

  before(async () => {
    anvil = await startAnvil();
    devnet = await createDevnet({ url: anvil.url });
    uniswap = await deployUniswapV3(devnet);
    const made = [await devnet.deployToken('honest'), await devnet.deployToken('honest')];
    const [low, high] = made.map(({ address }) => address).toSorted();
    assert.ok(low && high);
    tokens = [low, high];
    for (const token of tokens) await uniswap.approve(OWNER, token);
  });
  after(() => anvil.stop());

  const stateOf = async ({ address }: V3Pool) => {
    const read = { address, abi } as const;
    const [sqrtPriceX96, tick] = await devnet.publicClient.readContract({
      ...read,
      functionName: 'slot0',
    });
    const liquidity = await devnet.publicClient.readContract({
      ...read,
      functionName: 'liquidity',
    });
    return { sqrtPriceX96, tick, liquidity };
  };
  const balances = () => Promise.all(tokens.map((t) => devnet.balanceOf(t, devnet.address(OWNER))));

  /** Ranges of every kind: around the price, beside it, narrow, wide, and adjacent ones. */
  const rangeOf = (random: Random, tick: number, tickSpacing: number) => {
    const middle = Math.round(tick / tickSpacing) + random.below(41) - 20;
    const width = random.pick([1, 2, 5, 20, 300, 2_000]);
    const lower = (middle - random.below(width + 1)) * tickSpacing;
    const amounts = { amount0: 10n ** 18n, amount1: 10n ** 18n };
    return { lower, upper: lower + width * tickSpacing, ...amounts };
  };

  for (const { fee, tickSpacing } of KINDS) {
    it(`gives what the contract gives, to the last unit, at a fee of ${fee / 10_000} %`, async () => {
      const random = createRandom(PROPERTY_SEED + fee);
      const tick = random.below(20_000) - 10_000;
      const address = await uniswap.createPool(
        OWNER,
        tokens,
        fee,
        (sqrtPriceAtTick(tick) * 100_001n) / 100_000n,
      );
      let pool: ConcentratedPool = {
        ...(await stateOf(address)),
        feePips: fee,
        tickSpacing,
        ticks: new Map(),
      };
      assert.equal(pool.tick, tick);
      const positions: { tokenId: bigint; liquidity: bigint; lower: number; upper: number }[] = [];
      for (let n = 0; n < POSITIONS; n += 1) {
        const range = rangeOf(random, pool.tick, tickSpacing);
        const made = await uniswap.addPosition(OWNER, address, range);
        positions.push({ ...made, ...range });
        pool = changeLiquidity(pool, { ...range, change: made.liquidity });
      }
      for (let n = 0; n < TRADES; n += 1) {
        if (random.oneIn(6)) {
          const position = random.pick(positions);
          const liquidity = position.liquidity / BigInt(1 + random.below(2));
          if (liquidity > 0n) {
            await uniswap.removePosition(OWNER, { ...position, liquidity });
            position.liquidity -= liquidity;
            pool = changeLiquidity(pool, { ...position, change: -liquidity });
          }
        }
        const isToken0 = random.oneIn(2);
        const amountIn = random.oneIn(8)
          ? MORE_THAN_ALL
          : BigInt(1 + random.below(1_000_000_000)) ** BigInt(1 + random.below(2));
        const expected = swapExactIn(pool, amountIn, isToken0);
        const held = await balances();
        const swap = uniswap.swap(OWNER, address, amountIn, isToken0);
        if (expected.amountIn === 0n) {
          // The price is already at its limit: the contract refuses trades that cannot move it.
          await assert.rejects(swap, /reverted/);
          continue;
        }
        await swap;
        const after = await balances();
        const changes = after.map((balance, i) => balance - (held[i] ?? 0n));
        const { amountIn: paid, amountOut } = expected;
        assert.deepEqual(changes, isToken0 ? [-paid, amountOut] : [amountOut, -paid], `trade ${n}`);
        pool = expected.pool;
        const { sqrtPriceX96, liquidity } = pool;
        assert.deepEqual(
          { sqrtPriceX96, tick: pool.tick, liquidity },
          await stateOf(address),
          `trade ${n}`,
        );
      }
    });
  }
});
