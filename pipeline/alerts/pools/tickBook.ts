import type { MarketFact, TickPrice, TickRange } from '../../../shared/chain/fact.ts';
import { type ConcentratedPool, changeLiquidity } from '../../../shared/market/concentratedPool.ts';
import { saleDepth } from '../../../shared/market/saleDepth.ts';
import { REORG_BLOCKS_MAX } from './poolSeries.ts';
import type { Depth } from './poolSteps.ts';

type Price = Pick<ConcentratedPool, 'sqrtPriceX96' | 'tick' | 'liquidity'>;
type RangeChange = Parameters<typeof changeLiquidity>[1];

/** Data for undoing a block. */
interface Undo {
  readonly number: number;
  readonly price: Price;
  readonly changes: RangeChange[];
}

const EMPTY: ConcentratedPool = {
  sqrtPriceX96: 0n,
  tick: 0,
  liquidity: 0n,
  // Neither affects the output of a sale of the whole supply.
  feePips: 0,
  tickSpacing: 1,
  ticks: new Map(),
};
const Q96 = 2 ** 96;

/** Price and ticks of one concentrated-liquidity pool, block by block, so that a reorg can be undone. */
export class TickBook {
  #pool: ConcentratedPool;
  #undo: Undo[] = [];

  constructor(pool: ConcentratedPool = EMPTY) {
    this.#pool = pool;
  }

  /** Sets the initial price, which a pool gets only once. */
  open(number: number, { sqrtPriceX96, tick }: TickPrice): void {
    if (this.#pool.sqrtPriceX96 !== 0n) return;
    this.#undoOf(number);
    this.#pool = { ...this.#pool, sqrtPriceX96: BigInt(sqrtPriceX96), tick };
  }

  /** Applies an event of the pool. */
  apply(number: number, fact: MarketFact): void {
    if (fact.kind === 'priced') this.open(number, fact);
    if (fact.kind === 'swap' && fact.after && 'tick' in fact.after) {
      const { sqrtPriceX96, tick, liquidity } = fact.after;
      this.#undoOf(number);
      const price = { sqrtPriceX96: BigInt(sqrtPriceX96), tick, liquidity: BigInt(liquidity) };
      this.#pool = { ...this.#pool, ...price };
    }
    if ((fact.kind === 'mint' || fact.kind === 'burn') && fact.range) {
      this.#change(number, fact.range, fact.kind === 'mint' ? 1n : -1n);
    }
  }

  /** Output of a sale of the whole supply, for each requested side; the other is zero. */
  depth(isBase0: boolean): Depth {
    const base = saleDepth(this.#pool, !isBase0);
    const root = Number(this.#pool.sqrtPriceX96) / Q96;
    return {
      amount0: isBase0 ? base : 0,
      amount1: isBase0 ? 0 : base,
      price: root > 0 ? root * root : null,
    };
  }

  /** Forgets the blocks above `ancestor`. */
  rollBack(ancestor: number): void {
    for (let last = this.#undo.at(-1); last && last.number > ancestor; last = this.#undo.at(-1)) {
      // In reverse order: a position is then never negative, and no tick seems empty by mistake.
      for (const { lower, upper, change } of last.changes.toReversed()) {
        this.#pool = changeLiquidity(this.#pool, { lower, upper, change: -change });
      }
      this.#pool = { ...this.#pool, ...last.price };
      this.#undo.pop();
    }
  }

  /** Keeps only what a reorg can orphan. */
  prune(number: number): void {
    this.#undo = this.#undo.filter((block) => block.number >= number - REORG_BLOCKS_MAX);
  }

  #change(number: number, { tickLower, tickUpper, liquidity }: TickRange, sign: bigint): void {
    const range = { lower: tickLower, upper: tickUpper, change: sign * BigInt(liquidity) };
    if (range.change === 0n) return;
    this.#undoOf(number).changes.push(range);
    this.#pool = changeLiquidity(this.#pool, range);
  }

  #undoOf(number: number): Undo {
    const last = this.#undo.at(-1);
    if (last?.number === number) return last;
    const { sqrtPriceX96, tick, liquidity } = this.#pool;
    const undo = { number, price: { sqrtPriceX96, tick, liquidity }, changes: [] };
    this.#undo.push(undo);
    return undo;
  }
}
