import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact, PoolCreatedFact } from '../../../shared/chain/fact.ts';
import type { Protocol } from '../../../shared/chain/protocol.ts';
import { PROHIBITIVE_FEE_PIPS } from '../../../shared/market/concentratedPool.ts';
import { LISTED_USD_MIN } from '../../../shared/market/listedPools.ts';
import { growingTo } from '../growingTo.ts';
import { marketSides, type PoolState } from './marketStates.ts';
import { baseOf, type PoolChange } from './poolChange.ts';
import type { Pricing } from './poolSides.ts';

/** A market of a token, with the fields that decide whether it is the deepest. */
export interface TokenMarket {
  readonly token: Hex;
  readonly pool: Hex;
  readonly isUniswapV2: boolean;
}

/** Tokens whose markets are cached, and markets per token. */
const TOKENS_MAX = 100_000;
const MARKETS_PER_TOKEN_MAX = 16;

/** Queries of pool state. */
interface Depths {
  readonly stateOf: (pool: Hex, isUniswapV2: boolean) => PoolState | undefined;
  readonly usdPerUnit: (base: Hex) => number | null;
}

/**
 * Decides which market of a token counts: a change in a market raises no alert if the token has a deeper one. Only
 * markets of factories in the chain's profile, without a hook or a prohibitive fee, can suppress an alert, because
 * the depth of any other may be made up. Uniswap V2 pools do not suppress each other, unless no such factory lists
 * the changed one: then its logs may be made up, and another market with value shows that the token is still traded.
 */
export class MainMarkets {
  readonly #pricing: Pricing;
  readonly #factories: ReadonlySet<Hex> | null;
  readonly #markets = new LRUCache<Hex, Map<Hex, boolean>>(growingTo(TOKENS_MAX));
  readonly #asked = new LRUCache<Hex, true>(growingTo(TOKENS_MAX));

  constructor(pricing: Pricing, factories: ReadonlySet<Hex> | null) {
    this.#pricing = pricing;
    this.#factories = factories;
  }

  /** The token of a created market; undefined if it has no base token. */
  tokenOf(fact: PoolCreatedFact): Hex | undefined {
    return marketSides(fact, this.#pricing)?.token;
  }

  /** Those of the tokens whose markets have not been looked up. */
  unasked(tokens: Iterable<Hex>): Hex[] {
    return [...new Set(tokens)].filter(
      // Every second pool is one of the wrapped native token.
      (token) => token !== this.#pricing.weth && !this.#asked.has(token),
    );
  }

  /** Stores the result of a look-up of these tokens. */
  learn(asked: readonly Hex[], found: readonly TokenMarket[]): void {
    for (const token of asked) this.#asked.set(token, true);
    for (const market of found) this.#note(market);
  }

  /** Adds the markets that a block created. */
  follow(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind !== 'poolCreated' || !this.#isTrusted(fact)) continue;
      const token = this.tokenOf(fact);
      if (token) this.#note({ token, pool: fact.pool, isUniswapV2: isV2(fact.protocol) });
    }
  }

  /** Whether the token has no deeper market than the changed one. */
  isMain(change: PoolChange, isUniswapV2: boolean, { stateOf, usdPerUnit }: Depths): boolean {
    const own = usdPerUnit(change.base);
    const isListed = stateOf(change.pool, isUniswapV2)?.isListed ?? true;
    for (const [pool, isOtherV2] of this.#markets.get(change.token) ?? []) {
      const isBesideEachOther = isUniswapV2 && isOtherV2;
      if (pool === change.pool || (isListed && isBesideEachOther)) continue;
      const other = stateOf(pool, isOtherV2);
      if (!other) continue;
      const { base } = other.sides;
      const held = baseOf(other.last, other.sides);
      if (!isListed && other.isListed && 2 * held * (usdPerUnit(base) ?? 0) >= LISTED_USD_MIN)
        return false;
      if (isBesideEachOther) continue;
      // If a price is unknown, only markets in the same base token can be compared.
      const [unit, ownUnit] = base === change.base ? [1, 1] : [usdPerUnit(base), own];
      if (unit === null || ownUnit === null) continue;
      if (held * unit > change.peak * ownUnit) return false;
    }
    return true;
  }

  #isTrusted({ factory, terms }: PoolCreatedFact): boolean {
    const { hooks = ZERO_ADDRESS, fee = 0 } = terms ?? {};
    const isOpenToAll = hooks === ZERO_ADDRESS && fee < PROHIBITIVE_FEE_PIPS;
    return isOpenToAll && (this.#factories?.has(factory) ?? true);
  }

  #note({ token, pool, isUniswapV2 }: TokenMarket): void {
    const markets = this.#markets.get(token) ?? new Map<Hex, boolean>();
    if (markets.size < MARKETS_PER_TOKEN_MAX) markets.set(pool, isUniswapV2);
    this.#markets.set(token, markets);
  }
}

const isV2 = (protocol: Protocol): boolean => protocol === 'uniswap_v2';
