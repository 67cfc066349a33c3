import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact, MarketFact, PoolCreatedFact } from '../../../shared/chain/fact.ts';
import {
  NAMED_BY_HASH,
  type Protocol,
  poolKindOf,
  protocolsOf,
} from '../../../shared/chain/protocol.ts';
import type { ConcentratedPool } from '../../../shared/market/concentratedPool.ts';
import { type Digits, stablePrice } from '../../../shared/market/stableCurve.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { growingTo } from '../growingTo.ts';
import { tickSteps, transfersOf } from './marketSteps.ts';
import { baseOf, type PoolChange, poolChange } from './poolChange.ts';
import { type PoolPoint, type PoolSeries, prune, rollBack } from './poolSeries.ts';
import { type PoolSides, type Pricing, poolSides, stableUnit } from './poolSides.ts';
import { type Amounts, type PoolStep, poolSteps } from './poolSteps.ts';
import { TickBook } from './tickBook.ts';

/** Protocols whose depth follows from ticks; the creation decides which one it is, because logs are shared. */
const TICK_PROTOCOLS = protocolsOf('concentrated', 'managed');
/** Protocols besides Uniswap V2 whose markets are followed. */
export const OTHER_PROTOCOLS = [...TICK_PROTOCOLS, ...protocolsOf('solidly')];

/** Raw units of one native coin. */
const NATIVE_UNITS = 1e18;
/** Native coins below which a pool's price is noise. */
const NATIVE_RESERVE_MIN = 1;

/** The last known state of a market. */
export interface PoolState {
  /** Whether a counted factory lists it: logs of any other contract may be made up. */
  readonly isListed: boolean;
  readonly sides: PoolSides;
  readonly last: PoolPoint;
}

/** US dollars per native coin in the largest WETH/stablecoin pool, or null if none counts. */
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

/** A market as its creation describes it. */
export type MarketTerms = Pick<
  PoolCreatedFact,
  'protocol' | 'factory' | 'pool' | 'token0' | 'token1' | 'terms'
>;

/** A market in the index, before the blocks that are about to be applied. */
export interface KnownMarket extends MarketTerms {
  /** Whether a counted factory lists it. */
  readonly isListed: boolean;
  /** Reserves of Uniswap V2 and Solidly; null if none are recorded. */
  readonly reserves: Amounts | null;
  /** Price and ticks; null if the protocol has none, or no price is recorded. */
  readonly concentrated: ConcentratedPool | null;
}

/** A Uniswap V2 pool in the index that a factory lists. */
export const knownPool = (
  pool: Hex,
  [token0, token1]: readonly [Hex, Hex],
  reserves: Amounts | null,
): KnownMarket => {
  const sides = { pool, token0, token1 };
  const terms = { protocol: 'uniswap_v2', factory: ZERO_ADDRESS, ...sides } as const;
  return { ...terms, isListed: true, reserves, concentrated: null };
};

interface Market extends PoolSeries {
  /** Undefined while unknown: only Uniswap V2 pools are followed without it. */
  readonly terms?: MarketTerms;
  readonly isListed: boolean;
  /** Undefined while the tokens are unknown, null if neither is a base token. */
  readonly sides?: PoolSides | null;
  /** Null for pools with reserves. */
  readonly book: TickBook | null;
  /** Block of the creation: a reorg of it removes the market; 0 for markets that no reorg can remove. */
  readonly createdAt: number;
}

/** Which markets are cached, and which events belong to them. */
interface Group {
  readonly protocols: ReadonlySet<Protocol>;
  readonly touching: ReadonlySet<string>;
  /** Whether an event can explain a change of reserves. */
  readonly explains: (fact: MarketFact) => boolean;
}

/**
 * Uniswap V2 pools are cached apart from all other markets: any contract can log the creation of a Uniswap V2 pool
 * under the id of another market.
 */
const GROUPS = {
  uniswapV2: {
    protocols: new Set(['uniswap_v2']),
    touching: new Set(['sync']),
    explains: ({ protocol }) => protocol === 'uniswap_v2',
  },
  others: {
    protocols: new Set(OTHER_PROTOCOLS),
    touching: new Set(['sync', 'swap', 'mint', 'burn']),
    // Solidly logs the same `Mint` as Uniswap V2.
    explains: ({ protocol, kind }) =>
      poolKindOf(protocol) === 'solidly' || (kind === 'mint' && protocol === 'uniswap_v2'),
  },
} satisfies Record<string, Group>;

/** Maximum cached markets; the least recently used are evicted and looked up again when needed. */
const MARKETS_MAX = 100_000;
/** Chain seconds before a market that was not found is looked up again. */
export const ASK_AGAIN_S = 60;
const UNANSWERED_MAX = 100_000;
/** Markets pruned with each block, because a market without events is not pruned otherwise. */
const SWEPT_PER_BLOCK = 64;
/** Before every block: state from before this process saw the market. */
const UNDATED = { number: 0, timestampS: 0 };

/**
 * Rolling state of recently active markets of a group. A market of another protocol than Uniswap V2 counts if a
 * factory in the chain's profile created it: any contract can log the events of a pool.
 */
export class MarketStates {
  readonly #pricing: Pricing;
  readonly #isUniswapV2: boolean;
  readonly #group: Group;
  /** Factories that count; null: all. */
  readonly #factories: ReadonlySet<Hex> | null;
  readonly #markets: LRUCache<Hex, Market>;
  readonly #askAgainS = new LRUCache<Hex, number>(growingTo(UNANSWERED_MAX));
  readonly #decimals = new LRUCache<Hex, number>(growingTo(UNANSWERED_MAX));
  /** Markets of the wrapped native token. */
  readonly #nativeMarkets = new Set<Hex>();
  #sweep: Iterator<Market | undefined>;
  #evicted = 0;
  #pointsDropped = 0;

  constructor(
    group: keyof typeof GROUPS,
    pricing: Pricing,
    factories: ReadonlySet<Hex> | null = null,
    marketsMax = MARKETS_MAX,
  ) {
    this.#pricing = pricing;
    this.#isUniswapV2 = group === 'uniswapV2';
    this.#group = GROUPS[group];
    this.#factories = factories;
    this.#markets = new LRUCache({
      ...growingTo(marketsMax),
      dispose: (_market, _id, reason) => {
        if (reason === 'evict') this.#evicted += 1;
      },
    });
    this.#sweep = this.#markets.rvalues();
  }

  /** Markets in these facts that must be looked up. */
  unknown(facts: readonly Fact[], timestampS: number): Hex[] {
    const created = new Set<Hex>();
    const touched = new Set<Hex>();
    for (const event of this.#eventsOf(facts)) {
      if (event.kind === 'poolCreated') {
        if (this.#counts(event.factory)) created.add(event.pool);
      } else if (this.#group.touching.has(event.kind)) touched.add(event.pool);
    }
    return [...touched].filter(
      (id) =>
        this.sidesOf(id) === undefined &&
        !created.has(id) &&
        (this.#askAgainS.peek(id) ?? 0) <= timestampS,
    );
  }

  /** Stores the result of a look-up; a market that was not found is looked up again later. */
  learn(asked: readonly Hex[], found: readonly KnownMarket[], timestampS: number): void {
    for (const id of asked) this.#askAgainS.set(id, timestampS + ASK_AGAIN_S);
    for (const known of found) {
      if (this.sidesOf(known.pool) !== undefined || !this.#counts(known.factory)) continue;
      const market = this.#add(known, 0, known);
      const { sides, book, points } = market;
      if (!sides || points.length > 0) continue;
      if (book && known.concentrated) points.push({ ...UNDATED, ...book.depth(sides.isBase0) });
      if (known.reserves) {
        const price = this.#priceOf(market, known.reserves);
        points.push({ ...UNDATED, ...known.reserves, ...price });
      }
    }
  }

  /** Cached markets in these facts. */
  touchedBy(facts: readonly Fact[]): MarketTerms[] {
    const created: MarketTerms[] = facts.filter((fact) => fact.kind === 'poolCreated');
    const syncs = facts.filter(
      (fact) => fact.kind === 'sync' && poolKindOf(fact.protocol) === 'solidly',
    );
    const touched = syncs.flatMap((fact) =>
      'pool' in fact ? (this.#markets.peek(fact.pool)?.terms ?? []) : [],
    );
    return [...created, ...touched];
  }

  /** Tokens of these markets whose decimals are needed. */
  unknownDecimals(markets: readonly MarketTerms[]): Hex[] {
    const tokens = markets.flatMap((market) => {
      const token = market.terms?.stable ? marketSides(market, this.#pricing)?.token : undefined;
      return token && !this.#decimals.has(token) ? token : [];
    });
    return [...new Set(tokens)];
  }

  /** Stores decimals, which the price in a stable pool needs. */
  learnDecimals(decimals: ReadonlyMap<Hex, number>): void {
    for (const [token, digits] of decimals) this.#decimals.set(token, digits);
  }

  /** Applies a block and returns the changes. Blocks arrive in order. */
  apply(block: BlockFacts): PoolChange[] {
    this.#sweepSome(block);
    const events = this.#eventsOf(block.facts);
    if (events.length === 0) return [];
    for (const event of events) {
      if (event.kind === 'poolCreated') this.#create(event, block.number);
    }
    const steps = [...this.#tickSteps(block, events), ...this.#reserveSteps(block)];
    return steps.flatMap(([id, own]) => this.#change(id, own, block) ?? []);
  }

  /** Forgets the blocks above `ancestor`. */
  rollBack(ancestor: number): void {
    for (const [id, market] of this.#markets.entries()) {
      if (market.createdAt > ancestor) this.#markets.delete(id);
      rollBack(market, ancestor);
      market.book?.rollBack(ancestor);
    }
  }

  /** US dollars per raw unit of a base token by the cached markets, or null if unknown. */
  usdPerUnit(base: Hex): number | null {
    if (base !== this.#pricing.weth) return stableUnit(base, this.#pricing);
    const price = nativePrice(this.#nativeStates(), this.#pricing) ?? this.#pricing.nativePriceUsd;
    return price > 0 ? price / NATIVE_UNITS : null;
  }

  /** Current value of a market, or undefined if unknown. */
  stateOf(id: Hex): PoolState | undefined {
    const { sides, points, isListed = false } = this.#markets.peek(id) ?? {};
    const last = points?.at(-1);
    return sides && last ? { isListed, sides, last } : undefined;
  }

  /** The sides of a market: undefined while unknown, null if neither is a base token. */
  sidesOf(id: Hex): PoolSides | null | undefined {
    return this.#markets.peek(id)?.sides;
  }

  /** Number of cached markets, and of evictions so far. */
  counts(): { held: number; evicted: number; pointsDropped: number } {
    const held = this.#markets.size;
    return { held, evicted: this.#evicted, pointsDropped: this.#pointsDropped };
  }

  #eventsOf(facts: readonly Fact[]): MarketFact[] {
    return facts.filter(
      (fact): fact is MarketFact => 'protocol' in fact && this.#group.protocols.has(fact.protocol),
    );
  }

  #counts(factory: Hex): boolean {
    return this.#isUniswapV2 || (this.#factories?.has(factory) ?? true);
  }

  #create(fact: PoolCreatedFact, number: number): void {
    if (!this.#counts(fact.factory)) return;
    if (this.#isUniswapV2) {
      // Any contract can log the creation of an existing pool, with its own token.
      const isKnown = this.#markets.peek(fact.pool)?.terms !== undefined;
      const isListed = this.#factories?.has(fact.factory) ?? true;
      if (!isKnown || (this.#factories && isListed)) this.#add(fact, 0, { isListed });
      return;
    }
    const market = this.#markets.get(fact.pool) ?? this.#add(fact, number, { isListed: true });
    if (fact.price && market.terms?.factory === fact.factory) market.book?.open(number, fact.price);
  }

  #add(
    terms: MarketTerms,
    createdAt: number,
    {
      isListed,
      concentrated,
    }: Pick<KnownMarket, 'isListed'> & Partial<Pick<KnownMarket, 'concentrated'>>,
  ): Market {
    const { points = [], payouts = [] } = this.#markets.peek(terms.pool) ?? {};
    const sides = marketSides(terms, this.#pricing);
    const book = TICK_PROTOCOLS.includes(terms.protocol)
      ? new TickBook(concentrated ?? undefined)
      : null;
    const market: Market = { terms, isListed, sides, book, createdAt, points, payouts };
    this.#markets.set(terms.pool, market);
    if (sides?.token === this.#pricing.weth) this.#nativeMarkets.add(terms.pool);
    this.#askAgainS.delete(terms.pool);
    return market;
  }

  #tickSteps(block: BlockFacts, events: readonly MarketFact[]): [Hex, PoolStep[]][] {
    const own = events.filter((event) => {
      const { terms, book } = this.#markets.peek(event.pool) ?? {};
      // Any contract can log the id of another's market.
      return terms && book && managerOf(terms) === ('manager' in event ? event.manager : undefined);
    });
    const transfers = transfersOf(block.facts, own);
    return [...groupBy(own, ({ pool }) => pool)].flatMap(([id, some]): [Hex, PoolStep[]][] => {
      const { terms, sides, book } = this.#markets.get(id) ?? {};
      if (!terms || !sides || !book) return [];
      const market = { holder: managerOf(terms) ?? id, sides, book };
      const steps = tickSteps(market, some, transfers, block.number);
      return steps.length > 0 ? [[id, steps]] : [];
    });
  }

  #reserveSteps({ facts }: BlockFacts): [Hex, PoolStep[]][] {
    return [...poolSteps(facts, this.#group.explains)].flatMap(
      ([id, steps]): [Hex, PoolStep[]][] => {
        const market = this.#markets.peek(id);
        if (!market && !this.#isUniswapV2) return [];
        if (market?.book) return [];
        if (!market?.terms?.terms?.stable) return [[id, steps]];
        const priced = steps.map((step) => ({
          ...step,
          reserves: { ...step.reserves, ...this.#priceOf(market, step.reserves) },
          before: step.before && { ...step.before, ...this.#priceOf(market, step.before) },
        }));
        return [[id, priced]];
      },
    );
  }

  /** The change of a followed market from the steps of a block; undefined while it has no known base token. */
  #change(id: Hex, steps: readonly PoolStep[], block: BlockFacts): PoolChange | undefined {
    const unknown: Market = { isListed: false, book: null, createdAt: 0, points: [], payouts: [] };
    const market = this.#markets.get(id) ?? unknown;
    if (market.sides === null) return undefined;
    this.#markets.set(id, market);
    const first = steps[0]?.before;
    if (market.points.length === 0 && first) market.points.push({ ...UNDATED, ...first });
    const change = market.sides && poolChange(id, market.sides, market, steps, block.timestampS);
    this.#extend(market, steps, block);
    return change;
  }

  /** The price, if reserves alone do not give it: that of a stable pool. */
  #priceOf({ terms, sides }: Market, reserves: Amounts): { price?: number | null } {
    if (!terms?.terms?.stable || !sides) return {};
    return { price: stablePrice(reserves, this.#digitsOf(sides)) };
  }

  #digitsOf({ token, base, isBase0 }: PoolSides): Digits | null {
    const ofToken = this.#decimals.get(token);
    const ofBase = base === this.#pricing.weth ? 18 : this.#pricing.stableDecimals.get(base);
    if (ofToken === undefined || ofBase === undefined) return null;
    return isBase0 ? { digits0: ofBase, digits1: ofToken } : { digits0: ofToken, digits1: ofBase };
  }

  /** Prunes a few markets, least recently used first. */
  #sweepSome(block: BlockFacts): void {
    for (let swept = 0; swept < SWEPT_PER_BLOCK; swept += 1) {
      const { value: market, done } = this.#sweep.next();
      if (done || !market) {
        this.#sweep = this.#markets.rvalues();
        return;
      }
      this.#prune(market, block);
    }
  }

  #extend(market: Market, steps: readonly PoolStep[], block: BlockFacts): void {
    const { number, timestampS } = block;
    for (const { paid, wallets } of steps) {
      if (wallets.length > 0) market.payouts.push({ number, timestampS, wallets, ...paid });
    }
    const last = steps.at(-1);
    if (last) market.points.push({ number, timestampS, ...last.reserves });
    this.#prune(market, block);
  }

  #prune(market: Market, block: BlockFacts): void {
    this.#pointsDropped += prune(market, block);
    market.book?.prune(block.number);
  }

  #nativeStates(): PoolState[] {
    return [...this.#nativeMarkets].flatMap((id) => {
      if (!this.#markets.has(id)) this.#nativeMarkets.delete(id);
      return this.stateOf(id) ?? [];
    });
  }
}

/** The contract that must have logged a market's events, if that is not the market itself. */
const managerOf = ({ protocol, factory }: MarketTerms): Hex | undefined =>
  NAMED_BY_HASH.has(protocol) ? factory : undefined;

/** The sides for valuation: native currency has the value of its wrapped token. */
export const marketSides = (
  { token0, token1 }: Pick<MarketTerms, 'token0' | 'token1'>,
  pricing: Pricing,
): PoolSides | null => {
  const valued = (token: Hex): Hex => (token === ZERO_ADDRESS ? pricing.weth : token);
  return poolSides(valued(token0), valued(token1), pricing);
};
