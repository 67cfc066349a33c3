import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { Fact, PoolTerms, TickPrice, TickRange } from '../../../shared/chain/fact.ts';
import type { Protocol } from '../../../shared/chain/protocol.ts';
import {
  type ConcentratedPool,
  changeLiquidity,
  swapExactIn,
} from '../../../shared/market/concentratedPool.ts';
import { sqrtPriceAtTick } from '../../../shared/market/tickMath.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { address, hash, inTx, TOKEN, WETH } from './chainBuilder.ts';

export const FACTORY = address('v3 factory');
const FEE = 3_000;
const SPACING = 60;
/** Both ends of a full range. */
const FULL = { lower: -887_220, upper: 887_220 };

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;
const coins = (amount: number): bigint => BigInt(Math.round(amount * 1e6)) * 10n ** 12n;

/** Identity and log source of a concentrated-liquidity market. */
interface TickMarketKind {
  readonly pool: Hex;
  /** Its creator, and the source of its logs. */
  readonly protocol: Protocol;
  readonly logged: Protocol;
  readonly factory: Hex;
  readonly manager?: Hex;
  /** Token 0 is sold for token 1. */
  readonly sides: { readonly token0: Hex; readonly token1: Hex };
}

/** A pool of Uniswap V3 with TOKEN as token 0, against WETH. */
export const V3: TickMarketKind = {
  pool: address('v3 pool'),
  protocol: 'uniswap_v3',
  logged: 'uniswap_v3',
  factory: FACTORY,
  sides: { token0: TOKEN, token1: WETH },
};
export const PANCAKE: TickMarketKind = { ...V3, protocol: 'pancake_v3', logged: 'pancake_v3' };
export const SLIPSTREAM: TickMarketKind = { ...V3, protocol: 'slipstream' };
/** A pool of Uniswap V4 against native currency, which is token 0. */
export const V4: TickMarketKind = {
  pool: hash('v4 pool'),
  protocol: 'uniswap_v4',
  logged: 'uniswap_v4',
  factory: address('manager'),
  manager: address('manager'),
  sides: { token0: ZERO_ADDRESS, token1: TOKEN },
};

const EMPTY: ConcentratedPool = {
  sqrtPriceX96: 0n,
  tick: 0,
  liquidity: 0n,
  feePips: FEE,
  tickSpacing: SPACING,
  ticks: new Map(),
};

/** Logs of creation and initial price. */
const creationOf = (
  { pool, protocol, logged, factory, manager, sides }: TickMarketKind,
  tx: string,
  price: TickPrice,
): Fact[] => {
  const terms: PoolTerms = { fee: FEE, tickSpacing: SPACING, stable: false, hooks: ZERO_ADDRESS };
  const made = { protocol, factory, pool, ...sides, terms, ...inTx(tx) };
  if (manager) return [factOf('poolCreated', 0, { ...made, price })];
  const priced = { protocol: logged, pool, ...price, ...inTx(tx) };
  return [factOf('poolCreated', 0, made), factOf('priced', 0, priced)];
};

const depthOf = ({ sqrtPriceX96, tick, liquidity }: ConcentratedPool) => ({
  sqrtPriceX96: quantity(sqrtPriceX96),
  tick,
  liquidity: quantity(liquidity),
});

/** A concentrated-liquidity pool as its contract keeps it; each action returns its logs. */
export const createTickMarket = (kind: TickMarketKind) => {
  const { pool, logged, manager, sides } = kind;
  const isBase0 = sides.token1 === TOKEN;
  let state = EMPTY;
  const at = { protocol: logged, pool, ...(manager ? { manager } : {}) };
  const change = (range: { lower: number; upper: number }, liquidity: bigint): TickRange => {
    state = changeLiquidity(state, { ...range, change: liquidity });
    const size = quantity(liquidity < 0n ? -liquidity : liquidity);
    const { lower: tickLower, upper: tickUpper } = range;
    return { owner: address('positions'), tickLower, tickUpper, liquidity: size, salt: ZERO_HASH };
  };
  const common = { ...at, sender: address('positions'), amount0: '0x0', amount1: '0x0' } as const;
  return {
    /** Creation and initial price. */
    create: (tx: string, tick = 0): Fact[] => {
      const sqrtPriceX96 = sqrtPriceAtTick(tick);
      state = { ...state, sqrtPriceX96, tick };
      return creationOf(kind, tx, { sqrtPriceX96: quantity(sqrtPriceX96), tick });
    },
    /** Liquidity in coins: at a price of one, a full range holds as much of both sides. */
    mint: (tx: string, liquidity: number, range = FULL): Fact =>
      factOf('mint', 0, { ...common, range: change(range, coins(liquidity)), ...inTx(tx) }),
    burn: (tx: string, liquidity: number, range = FULL): Fact =>
      factOf('burn', 0, { ...common, range: change(range, -coins(liquidity)), ...inTx(tx) }),
    /** Sells tokens, or base if `isBuy`. */
    swap: (tx: string, amount: number, to: Hex, isBuy = false): Fact => {
      const isToken0 = isBase0 === isBuy;
      const { amountIn, amountOut, pool: after } = swapExactIn(state, coins(amount), isToken0);
      state = after;
      const [paid, taken] = [quantity(amountIn), quantity(amountOut)];
      const amounts = isToken0
        ? { amount0In: paid, amount1Out: taken }
        : { amount1In: paid, amount0Out: taken };
      const traded = { ...at, sender: address('router'), to, after: depthOf(after) };
      return factOf('swap', 0, { ...traded, ...amounts, ...inTx(tx) });
    },
    /** The current state of the pool. */
    state: () => state,
  };
};

export const SOLIDLY = address('solidly pool');
const SOLIDLY_FACTORY = address('solidly factory');

/** A Solidly pool of TOKEN and WETH. */
export const solidlyCreated = (tx: string, stable: boolean): Fact => {
  const terms = { fee: 0, tickSpacing: 0, stable, hooks: ZERO_ADDRESS };
  const market = { protocol: 'solidly', factory: SOLIDLY_FACTORY, pool: SOLIDLY } as const;
  return factOf('poolCreated', 0, { ...market, token0: TOKEN, token1: WETH, terms, ...inTx(tx) });
};
/** The facts of Uniswap V2 as Solidly logs them; its `Mint` is the same event. */
export const ofSolidly = (fact: Fact): Fact =>
  'protocol' in fact && fact.kind !== 'mint'
    ? { ...fact, protocol: 'solidly', pool: SOLIDLY }
    : { ...fact, ...('pool' in fact ? { pool: SOLIDLY } : {}) };
