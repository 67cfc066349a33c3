import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import {
  type Fact,
  isOtherMarket,
  type MarketFact,
  NAMED_BY_HASH,
  type PoolCreatedFact,
  type Protocol,
} from '../../../shared/chain/fact.ts';
import type { ConcentratedPool } from '../../../shared/market/concentratedPool.ts';
import { type Digits, stablePrice } from '../../../shared/market/stableCurve.ts';
import { growingTo } from '../../../shared/platform/growingTo.ts';
import { tickSteps, transfersOf } from './marketSteps.ts';
import { type PoolChange, poolChange } from './poolChange.ts';
import { type PoolSeries, prune, rollBack } from './poolSeries.ts';
import { type PoolSides, type Pricing, poolSides } from './poolSides.ts';
import { ASK_AGAIN_S, type PoolState, UNDATED } from './poolStates.ts';
import { type Amounts, type PoolStep, poolSteps } from './poolSteps.ts';
import { TickBook } from './tickBook.ts';

/** Protocols whose depth follows from ticks; the creation says which one it is, logs may be of another. */
const TICK_PROTOCOLS: ReadonlySet<Protocol> = new Set([
  'uniswap_v3',
  'pancake_v3',
  'uniswap_v4',
  'slipstream',
]);

/** A market as its creation describes it. */
export type MarketTerms = Pick<
  PoolCreatedFact,
  'protocol' | 'factory' | 'pool' | 'token0' | 'token1' | 'terms'
>;

/** A market as the index knows it before the blocks that are about to be applied. */
export interface KnownMarket extends MarketTerms {
  /** Reserves of Solidly; null where none are recorded. */
  readonly reserves: Amounts | null;
  /** Price and ticks; null where the protocol has none, or no price is recorded. */
  readonly concentrated: ConcentratedPool | null;
}

interface Market extends PoolSeries {
  readonly terms: MarketTerms;
  /** Null where no side is a base token. */
  readonly sides: PoolSides | null;
  /** Null for pools with reserves. */
  readonly book: TickBook | null;
  /** Block of the creation; 0 for what the index knew. */
  readonly createdAt: number;
}

const MARKETS_MAX = 100_000;
const UNANSWERED_MAX = 100_000;
/** Markets pruned with each block: one that fell silent is not touched again. */
const SWEPT_PER_BLOCK = 64;
const STEP_KINDS: ReadonlySet<string> = new Set(['sync', 'swap', 'mint', 'burn']);

const isTracked = (protocol: Protocol): boolean =>
  protocol === 'solidly' || TICK_PROTOCOLS.has(protocol);

const trackedEvent = (fact: Fact): MarketFact | undefined =>
  'protocol' in fact && isOtherMarket(fact) && isTracked(fact.protocol) ? fact : undefined;

/** Solidly logs Uniswap V2's own `Mint`. */
const isOfSolidly = (fact: MarketFact): boolean =>
  fact.protocol === 'solidly' || (fact.kind === 'mint' && fact.protocol === 'uniswap_v2');

/**
 * Rolling state of the markets beside Uniswap V2 that the chain has touched lately. A market counts when
 * a factory that the chain's profile knows created it: any contract can log what a pool logs.
 */
export class MarketStates {
  readonly #pricing: Pricing;
  /** Factories that count; null: all. */
  readonly #factories: ReadonlySet<Hex> | null;
  readonly #markets: LRUCache<Hex, Market>;
  readonly #askAgainS = new LRUCache<Hex, number>(growingTo(UNANSWERED_MAX));
  readonly #decimals = new LRUCache<Hex, number>(growingTo(UNANSWERED_MAX));
  #sweep: Iterator<Market | undefined>;
  #evicted = 0;
  #pointsDropped = 0;

  constructor(
    pricing: Pricing,
    factories: ReadonlySet<Hex> | null = null,
    marketsMax = MARKETS_MAX,
  ) {
    this.#pricing = pricing;
    this.#factories = factories;
    this.#markets = new LRUCache({
      ...growingTo(marketsMax),
      dispose: (_market, _id, reason) => {
        if (reason === 'evict') this.#evicted += 1;
      },
    });
    this.#sweep = this.#markets.rvalues();
  }

  /** Markets of these facts that have to be looked up. */
  unknown(facts: readonly Fact[], timestampS: number): Hex[] {
    const created = new Set<Hex>();
    const touched = new Set<Hex>();
    for (const fact of facts) {
      const event = trackedEvent(fact);
      if (!event) continue;
      if (event.kind === 'poolCreated') {
        if (this.#counts(event.factory)) created.add(event.pool);
      } else if (STEP_KINDS.has(event.kind)) touched.add(event.pool);
    }
    return [...touched].filter(
      (id) =>
        !this.#markets.has(id) && !created.has(id) && (this.#askAgainS.peek(id) ?? 0) <= timestampS,
    );
  }

  /** Takes over what a look-up gave; a market it did not find is asked for again later. */
  learn(asked: readonly Hex[], found: readonly KnownMarket[], timestampS: number): void {
    for (const id of asked) this.#askAgainS.set(id, timestampS + ASK_AGAIN_S);
    for (const known of found) {
      if (this.#markets.has(known.pool) || !this.#counts(known.factory)) continue;
      const market = this.#add(known, 0, known.concentrated);
      const { sides, book } = market;
      if (!sides) continue;
      if (book && known.concentrated) {
        market.points.push({ ...UNDATED, ...book.depth(sides.isBase0) });
      }
      if (known.reserves) {
        const price = this.#priceOf(market, known.reserves);
        market.points.push({ ...UNDATED, ...known.reserves, ...price });
      }
    }
  }

  /** Markets that are held and that these facts touch. */
  touchedBy(facts: readonly Fact[]): MarketTerms[] {
    const created: MarketTerms[] = facts.filter((fact) => fact.kind === 'poolCreated');
    const syncs = facts.filter((fact) => fact.kind === 'sync' && fact.protocol === 'solidly');
    const touched = syncs.flatMap((fact) =>
      'pool' in fact ? (this.#markets.peek(fact.pool)?.terms ?? []) : [],
    );
    return [...created, ...touched];
  }

  /** Tokens among these markets whose decimals are needed. */
  unknownDecimals(markets: readonly MarketTerms[]): Hex[] {
    const tokens = markets.flatMap((market) => {
      const token = market.terms?.stable ? marketSides(market, this.#pricing)?.token : undefined;
      return token && !this.#decimals.has(token) ? token : [];
    });
    return [...new Set(tokens)];
  }

  /** Takes over decimals, which the price in a stable pool needs. */
  learnDecimals(decimals: ReadonlyMap<Hex, number>): void {
    for (const [token, digits] of decimals) this.#decimals.set(token, digits);
  }

  /** Adds a block and returns what it changed. Blocks come in order. */
  apply(block: BlockFacts): PoolChange[] {
    this.#sweepSome(block);
    const events = block.facts.flatMap((fact) => trackedEvent(fact) ?? []);
    if (events.length === 0) return [];
    for (const event of events) {
      if (event.kind === 'poolCreated') this.#create(event, block.number);
    }
    return [...this.#tickSteps(block, events), ...this.#reserveSteps(block)].flatMap(
      ([id, steps]) => {
        const market = this.#markets.get(id);
        if (!market?.sides) return [];
        const first = steps[0]?.before;
        if (market.points.length === 0 && first) market.points.push({ ...UNDATED, ...first });
        const change = poolChange(id, market.sides, market, steps, block.timestampS);
        this.#extend(market, steps, block);
        return change;
      },
    );
  }

  /** Forgets the blocks above `ancestor`. */
  rollBack(ancestor: number): void {
    for (const [id, market] of this.#markets.entries()) {
      if (market.createdAt > ancestor) this.#markets.delete(id);
      rollBack(market, ancestor);
      market.book?.rollBack(ancestor);
    }
  }

  /** What a market is worth now, or undefined where it is not known. */
  stateOf(id: Hex): PoolState | undefined {
    const { sides, points } = this.#markets.peek(id) ?? {};
    const last = points?.at(-1);
    return sides && last ? { sides, last } : undefined;
  }

  /** The sides of a market that is held. */
  sidesOf(id: Hex): PoolSides | null | undefined {
    return this.#markets.peek(id)?.sides;
  }

  /** Markets held, and what the limits have cost so far. */
  counts(): { markets: number; marketsEvicted: number; marketPointsDropped: number } {
    return {
      markets: this.#markets.size,
      marketsEvicted: this.#evicted,
      marketPointsDropped: this.#pointsDropped,
    };
  }

  #counts(factory: Hex): boolean {
    return this.#factories?.has(factory) ?? true;
  }

  #create(fact: PoolCreatedFact, number: number): void {
    if (!this.#counts(fact.factory)) return;
    const market = this.#markets.get(fact.pool) ?? this.#add(fact, number, null);
    if (fact.price && market.terms.factory === fact.factory) market.book?.open(number, fact.price);
  }

  #add(terms: MarketTerms, createdAt: number, pool: ConcentratedPool | null): Market {
    const market: Market = {
      terms,
      sides: marketSides(terms, this.#pricing),
      book: TICK_PROTOCOLS.has(terms.protocol) ? new TickBook(pool ?? undefined) : null,
      createdAt,
      points: [],
      payouts: [],
    };
    this.#markets.set(terms.pool, market);
    this.#askAgainS.delete(terms.pool);
    return market;
  }

  #tickSteps(block: BlockFacts, events: readonly MarketFact[]): [Hex, PoolStep[]][] {
    const byMarket = new Map<Hex, MarketFact[]>();
    for (const event of events) {
      const terms = this.#markets.peek(event.pool)?.terms;
      // Anybody can log the name of another's market.
      if (!terms || managerOf(terms) !== ('manager' in event ? event.manager : undefined)) continue;
      const known = byMarket.get(event.pool);
      if (known) known.push(event);
      else byMarket.set(event.pool, [event]);
    }
    const transfers = transfersOf(block.facts, [...byMarket.values()].flat());
    return [...byMarket].flatMap(([id, own]): [Hex, PoolStep[]][] => {
      const { terms, sides, book } = this.#markets.get(id) ?? {};
      if (!terms || !sides || !book) return [];
      const market = { holder: managerOf(terms) ?? id, sides, book };
      const steps = tickSteps(market, own, transfers, block.number);
      return steps.length > 0 ? [[id, steps]] : [];
    });
  }

  #reserveSteps({ facts }: BlockFacts): [Hex, PoolStep[]][] {
    return [...poolSteps(facts, isOfSolidly)].flatMap(([id, steps]): [Hex, PoolStep[]][] => {
      const market = this.#markets.peek(id);
      if (!market || market.book) return [];
      return [
        [
          id,
          steps.map((step) => ({
            ...step,
            reserves: { ...step.reserves, ...this.#priceOf(market, step.reserves) },
            before: step.before && { ...step.before, ...this.#priceOf(market, step.before) },
          })),
        ],
      ];
    });
  }

  /** The price that reserves do not give: that of a stable pool. */
  #priceOf({ terms, sides }: Market, reserves: Amounts): { price?: number | null } {
    if (!terms.terms?.stable || !sides) return {};
    return { price: stablePrice(reserves, this.#digitsOf(sides)) };
  }

  #digitsOf({ token, base, isBase0 }: PoolSides): Digits | null {
    const ofToken = this.#decimals.get(token);
    const ofBase = base === this.#pricing.weth ? 18 : this.#pricing.stableDecimals.get(base);
    if (ofToken === undefined || ofBase === undefined) return null;
    return isBase0 ? { digits0: ofBase, digits1: ofToken } : { digits0: ofToken, digits1: ofBase };
  }

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
}

/** The contract that must have logged the events of a market, where that is not the market itself. */
const managerOf = ({ protocol, factory }: MarketTerms): Hex | undefined =>
  NAMED_BY_HASH.has(protocol) ? factory : undefined;

/** The sides as they are valued: native currency is worth what its wrapped token is. */
export const marketSides = (
  { token0, token1 }: Pick<MarketTerms, 'token0' | 'token1'>,
  pricing: Pricing,
): PoolSides | null => {
  const valued = (token: Hex): Hex => (token === ZERO_ADDRESS ? pricing.weth : token);
  return poolSides(valued(token0), valued(token1), pricing);
};
