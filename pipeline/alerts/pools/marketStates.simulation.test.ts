import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { saleDepth } from '../../../shared/market/saleDepth.ts';
import { createRandom, type Random } from '../../../shared/testing/random.ts';
import { SEEDS_PER_TEST, testSeeds } from '../../testing/simulation/testSeeds.ts';
import { block, CREATOR, PRICING, TOKEN } from '../testing/chainBuilder.ts';
import { createTickMarket, PANCAKE, SLIPSTREAM, V3, V4 } from '../testing/marketBuilder.ts';
import { type KnownMarket, MarketStates } from './marketStates.ts';

/** Number of each kind of event in one run. */
interface TicksReport {
  readonly blocks: number;
  readonly reorgs: number;
  readonly deaths: number;
  /** How often the state was compared with one computed from the canonical chain only. */
  readonly compared: number;
}

type Kind = typeof V3;
type TickMarket = ReturnType<typeof createTickMarket>;
type Range = { readonly lower: number; readonly upper: number };

/** Effects of one transaction on the pool. */
type Action =
  | { readonly kind: 'mint' | 'burn'; readonly range: Range; readonly liquidity: number }
  | { readonly kind: 'swap'; readonly amount: number; readonly isBuy: boolean };

const KINDS: readonly Kind[] = [V3, PANCAKE, SLIPSTREAM, V4];
/** Ranges that touch, overlap, contain a price of one, or are on one side of it. */
const RANGES: readonly Range[] = [
  { lower: -6_000, upper: -600 },
  { lower: 600, upper: 6_000 },
  { lower: -600, upper: 600 },
  { lower: -60, upper: 60 },
  { lower: -887_220, upper: 887_220 },
  { lower: -6_000, upper: 600 },
];
const ACTIONS_PER_BLOCK_MAX = 3;
const STEPS = 30;
const REORG_DEPTH_MAX = 40;
/** Blocks read again after a crash: more than the rules look back plus the deepest reorg. */
const RECALLED_BLOCKS = 400;

/** Position sizes by range: nobody withdraws more than was added. */
const held = (actions: readonly Action[], range: Range): number =>
  actions.reduce((sum, action) => {
    if (action.kind === 'swap' || action.range !== range) return sum;
    return sum + (action.kind === 'mint' ? action.liquidity : -action.liquidity);
  }, 0);

const randomAction = (random: Random, past: readonly Action[]): Action => {
  const range = random.pick(RANGES);
  const own = held(past, range);
  switch (random.below(4)) {
    case 0:
      return { kind: 'mint', range, liquidity: 1 + random.below(50) };
    case 1:
      // Frequent: ticks then vanish, and return with the reorg.
      if (own > 0) {
        const liquidity = random.oneIn(2) ? own : 1 + random.below(own);
        return { kind: 'burn', range, liquidity };
      }
      return { kind: 'mint', range, liquidity: 1 + random.below(50) };
    default:
      return { kind: 'swap', amount: 1 + random.below(80), isBuy: random.oneIn(2) };
  }
};

const factOf = (market: TickMarket, action: Action, tx: string): Fact =>
  action.kind === 'swap'
    ? market.swap(tx, action.amount, CREATOR, action.isBuy)
    : market[action.kind](tx, action.liquidity, action.range);

/** The blocks of a chain, and the pool's contract after each. */
interface ChainHistory {
  readonly blocks: readonly BlockFacts[];
  readonly states: readonly ReturnType<TickMarket['state']>[];
}

/** A chain with one pool, created in block 1. The pool's own contract is the oracle. */
class PoolChain {
  readonly #kind: Kind;
  #actions: Action[][] = [];
  #market: TickMarket;
  #blocks: BlockFacts[] = [];
  #states: ReturnType<TickMarket['state']>[] = [];

  constructor(kind: Kind) {
    this.#kind = kind;
    this.#market = createTickMarket(kind);
  }

  get height(): number {
    return this.#blocks.length;
  }

  history(): ChainHistory {
    return { blocks: this.#blocks, states: this.#states };
  }

  mine(random: Random): void {
    const past = this.#actions.flat();
    const actions: Action[] = [];
    const count = random.below(ACTIONS_PER_BLOCK_MAX + 1);
    for (let i = 0; i < count; i += 1) actions.push(randomAction(random, [...past, ...actions]));
    this.#append(actions);
  }

  /** Orphans the last blocks: the contract then replays the others. */
  drop(depth: number): void {
    const kept = this.#actions.slice(0, -depth);
    this.#actions = [];
    this.#blocks = [];
    this.#states = [];
    this.#market = createTickMarket(this.#kind);
    for (const actions of kept) this.#append(actions);
  }

  #append(actions: Action[]): void {
    const number = this.height + 1;
    const created = number === 1 ? this.#market.create('create') : [];
    const facts = actions.map((action, i) => factOf(this.#market, action, `t${number}.${i}`));
    this.#actions.push(actions);
    this.#blocks.push(block(number, [...created, ...facts]));
    this.#states.push(this.#market.state());
  }
}

/** The process under test: its state, and the last applied block. */
class Process {
  readonly #kind: Kind;
  #states = new MarketStates('others', PRICING);
  #reached = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Follows a chain whose first blocks it has seen. */
  follow({ blocks, states }: ChainHistory): void {
    for (const each of blocks.slice(this.#reached)) {
      const asked = this.#states.unknown(each.facts, each.timestampS);
      const before = states[each.number - 2];
      const found = asked.length > 0 && before ? [this.#known(before)] : [];
      this.#states.learn(asked, found, each.timestampS);
      this.#states.apply(each);
      this.#reached = each.number;
    }
  }

  rollBack(ancestor: number): void {
    this.#states.rollBack(ancestor);
    this.#reached = Math.min(this.#reached, ancestor);
  }

  /** Restarts: its state is read from the index, and the last blocks from the stream. */
  die(height: number): void {
    this.#states = new MarketStates('others', PRICING);
    this.#reached = Math.max(0, height - RECALLED_BLOCKS);
  }

  state() {
    return this.#states.stateOf(this.#kind.pool);
  }

  /** What the index holds of the pool before a block. */
  #known(concentrated: ReturnType<TickMarket['state']>): KnownMarket {
    const { protocol, factory, pool, sides } = this.#kind;
    return { protocol, factory, pool, ...sides, isListed: true, reserves: null, concentrated };
  }
}

/** The state computed from the canonical chain only, and the depth of the pool's contract. */
const assertState = (process: Process, chain: PoolChain, kind: Kind): void => {
  const history = chain.history();
  const fresh = new Process(kind);
  fresh.follow(history);
  const [own, canonical] = [process.state(), fresh.state()];
  const last = own?.last;
  // For a pool without events so far, the price may be known from orphaned blocks.
  const { amount0 = 0, amount1 = 0, price = last?.price } = canonical?.last ?? {};
  assert.deepEqual(
    [last?.amount0 ?? 0, last?.amount1 ?? 0, last?.price],
    [amount0, amount1, price],
  );
  const pool = history.states.at(-1);
  if (!pool || !own) return;
  const depth = saleDepth(pool, kind.sides.token0 === TOKEN);
  assert.equal(own.sides.isBase0 ? last?.amount0 : last?.amount1, depth);
};

/**
 * Runs the alerts role's state of a concentrated-liquidity pool over reorgs and crashes: after each, price and depth
 * are exactly those of the canonical chain. The same seed gives the same run.
 */
const simulateTicks = (seed: number): TicksReport => {
  const random = createRandom(seed);
  const kind = random.pick(KINDS);
  const chain = new PoolChain(kind);
  const process = new Process(kind);
  const report = { blocks: 0, reorgs: 0, deaths: 0, compared: 0 };
  chain.mine(random);
  for (let step = 0; step < STEPS; step += 1) {
    const choice = random.below(10);
    if (choice === 0 && chain.height > 2) {
      const depth = 1 + random.below(Math.min(REORG_DEPTH_MAX, chain.height - 1));
      chain.drop(depth);
      process.rollBack(chain.height);
      report.reorgs += 1;
    } else if (choice === 1) {
      process.die(chain.height);
      report.deaths += 1;
    } else {
      const count = 1 + random.below(3);
      for (let i = 0; i < count; i += 1) chain.mine(random);
      report.blocks += count;
    }
    if (random.oneIn(3)) process.follow(chain.history());
    if (!random.oneIn(8)) continue;
    process.follow(chain.history());
    assertState(process, chain, kind);
    report.compared += 1;
  }
  process.follow(chain.history());
  assertState(process, chain, kind);
  return { ...report, compared: report.compared + 1 };
};

describe('what is held of liquidity between ticks is what the canonical chain alone gives', () => {
  testSeeds(simulateTicks, ({ reorgs = 0, deaths = 0 }) => {
    assert.ok(reorgs > SEEDS_PER_TEST && deaths > SEEDS_PER_TEST, 'blocks are taken back');
  });
});
