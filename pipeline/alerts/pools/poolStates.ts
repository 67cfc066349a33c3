import { LRUCache } from 'lru-cache';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { type Fact, isOtherMarket } from '../../../shared/chain/fact.ts';
import { growingTo } from '../../../shared/platform/growingTo.ts';
import { baseOf, type PoolChange, poolChange } from './poolChange.ts';
import { type PoolPoint, type PoolSeries, prune, rollBack } from './poolSeries.ts';
import { type PoolSides, type Pricing, poolSides, stableUnit } from './poolSides.ts';
import { type Amounts, type PoolStep, poolSteps } from './poolSteps.ts';

/** Raw units of one native coin. */
const NATIVE_UNITS = 1e18;
/** Native coins below which a pool's price is noise. */
const NATIVE_RESERVE_MIN = 1;

/** A pool as it was last seen. */
export interface PoolState {
  readonly sides: PoolSides;
  readonly last: PoolPoint;
}

/** US dollars of a native coin in the WETH/stable pool that holds most, or null without one that counts. */
const nativePrice = (pools: Iterable<PoolState>, pricing: Pricing): number | null => {
  let deepest = NATIVE_RESERVE_MIN;
  let price: number | null = null;
  for (const { sides, last } of pools) {
    const unit = stableUnit(sides.base, pricing);
    if (unit === null) continue;
    const native = (sides.isBase0 ? last.amount1 : last.amount0) / NATIVE_UNITS;
    if (native < deepest) continue;
    deepest = native;
    price = (baseOf(last, sides) * unit) / native;
  }
  return price;
};

/** A pool as the index knows it. */
export interface KnownPool {
  readonly pool: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  /** Reserves before the blocks that are about to be applied; null where none are recorded. */
  readonly reserves: Amounts | null;
}

/** Pools held before the least recently touched ones are evicted; they are looked up again when touched. */
const POOLS_MAX = 100_000;
/** Chain seconds before a pool that was not found is looked up again. */
export const ASK_AGAIN_S = 60;
const UNANSWERED_MAX = 100_000;
/** Pools pruned with each block: one that fell silent is not touched again. */
const SWEPT_PER_BLOCK = 64;

interface Pool extends PoolSeries {
  /** Undefined while the tokens are not known, null where neither is a base token. */
  sides: PoolSides | null | undefined;
}

/** Before every block: reserves that were there before this process saw the pool. */
export const UNDATED = { number: 0, timestampS: 0 };

/** Rolling state of all pools the chain has touched lately. */
export class PoolStates {
  readonly #pricing: Pricing;
  readonly #pools: LRUCache<Hex, Pool>;
  readonly #askAgainS = new LRUCache<Hex, number>(growingTo(UNANSWERED_MAX));
  readonly #pricePools = new Set<Hex>();
  #sweep: Iterator<Pool | undefined>;
  #evicted = 0;
  #pointsDropped = 0;

  constructor(pricing: Pricing, poolsMax = POOLS_MAX) {
    this.#pricing = pricing;
    this.#pools = new LRUCache({
      ...growingTo(poolsMax),
      dispose: (_pool, _address, reason) => {
        if (reason === 'evict') this.#evicted += 1;
      },
    });
    this.#sweep = this.#pools.rvalues();
  }

  /** Pools of these facts whose tokens have to be looked up. */
  unknown(facts: readonly Fact[], timestampS: number): Hex[] {
    const created = new Set<Hex>();
    const touched = new Set<Hex>();
    for (const fact of facts) {
      if (isOtherMarket(fact)) continue;
      if (fact.kind === 'poolCreated') created.add(fact.pool);
      if (fact.kind === 'sync') touched.add(fact.pool);
    }
    return [...touched].filter(
      (pool) =>
        this.#pools.peek(pool)?.sides === undefined &&
        !created.has(pool) &&
        (this.#askAgainS.peek(pool) ?? 0) <= timestampS,
    );
  }

  /** Takes over what a look-up gave; a pool it did not find is asked for again later. */
  learn(asked: readonly Hex[], found: readonly KnownPool[], timestampS: number): void {
    for (const address of asked) this.#askAgainS.set(address, timestampS + ASK_AGAIN_S);
    for (const { pool: address, token0, token1, reserves } of found) {
      const pool = this.#setTokens(address, token0, token1);
      if (pool.points.length === 0 && reserves) pool.points.push({ ...UNDATED, ...reserves });
    }
  }

  /** Adds a block and returns what it changed. Blocks come in order. */
  apply(block: BlockFacts): PoolChange[] {
    for (const fact of block.facts) {
      if (isOtherMarket(fact)) continue;
      if (fact.kind === 'poolCreated') this.#setTokens(fact.pool, fact.token0, fact.token1);
    }
    this.#sweepSome(block);
    return [...poolSteps(block.facts)].flatMap(([address, steps]) => {
      const pool = this.#touch(address);
      const first = steps[0]?.before;
      if (pool.points.length === 0 && first) pool.points.push({ ...UNDATED, ...first });
      const change = pool.sides && poolChange(address, pool.sides, pool, steps, block.timestampS);
      this.#extend(pool, steps, block);
      return change ?? [];
    });
  }

  /** Forgets the blocks above `ancestor`. */
  rollBack(ancestor: number): void {
    for (const pool of this.#pools.values()) rollBack(pool, ancestor);
  }

  /** US dollars per raw unit of a base token, or null where it is unknown. */
  usdPerUnit(base: Hex): number | null {
    if (base !== this.#pricing.weth) return stableUnit(base, this.#pricing);
    const price = nativePrice(this.#pricePoolsNow(), this.#pricing) ?? this.#pricing.nativePriceUsd;
    return price > 0 ? price / NATIVE_UNITS : null;
  }

  /** A pool as it is now, or undefined where that is not known. */
  stateOf(address: Hex): PoolState | undefined {
    const { sides, points } = this.#pools.peek(address) ?? {};
    const last = points?.at(-1);
    return sides && last ? { sides, last } : undefined;
  }

  /** The sides of a pool: undefined while they are not known, null where neither is a base token. */
  sidesOf(address: Hex): PoolSides | null | undefined {
    return this.#pools.peek(address)?.sides;
  }

  /** Pools held, and what the limits have cost so far. */
  counts(): { pools: number; poolsEvicted: number; pointsDropped: number } {
    return {
      pools: this.#pools.size,
      poolsEvicted: this.#evicted,
      pointsDropped: this.#pointsDropped,
    };
  }

  /** Prunes a few pools, those touched longest ago first. */
  #sweepSome(block: BlockFacts): void {
    for (let swept = 0; swept < SWEPT_PER_BLOCK; swept += 1) {
      const { value: pool, done } = this.#sweep.next();
      if (done || !pool) {
        this.#sweep = this.#pools.rvalues();
        return;
      }
      this.#pointsDropped += prune(pool, block);
    }
  }

  #touch(address: Hex): Pool {
    const pool = this.#pools.peek(address) ?? { sides: undefined, points: [], payouts: [] };
    this.#pools.set(address, pool);
    return pool;
  }

  #setTokens(address: Hex, token0: Hex, token1: Hex): Pool {
    const pool = this.#touch(address);
    pool.sides = poolSides(token0, token1, this.#pricing);
    if (pool.sides?.token === this.#pricing.weth) this.#pricePools.add(address);
    this.#askAgainS.delete(address);
    return pool;
  }

  #extend(pool: Pool, steps: readonly PoolStep[], block: BlockFacts): void {
    const { number, timestampS } = block;
    for (const { paid, wallets } of steps) {
      if (wallets.length > 0) pool.payouts.push({ number, timestampS, wallets, ...paid });
    }
    const last = steps.at(-1);
    if (last) pool.points.push({ number, timestampS, ...last.reserves });
    this.#pointsDropped += prune(pool, block);
  }

  #pricePoolsNow(): PoolState[] {
    return [...this.#pricePools].flatMap((address) => {
      if (!this.#pools.has(address)) this.#pricePools.delete(address);
      return this.stateOf(address) ?? [];
    });
  }
}
