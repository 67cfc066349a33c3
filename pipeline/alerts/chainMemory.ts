import { LRUCache } from 'lru-cache';
import { assembleBlocks } from '../../shared/chain/assembleBlocks.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ChainEvent } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { chainMessageId } from '../../shared/messages/chainMessage.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { COUNTERPARTY_AGE_S, Counterparties } from './counterparties/counterparties.ts';
import type { CounterpartyReader } from './counterparties/counterpartyReader.ts';
import type { IndexReader } from './indexReader.ts';
import type { MarketReader } from './marketReader.ts';
import { MainMarkets } from './pools/mainMarkets.ts';
import { type KnownMarket, MarketStates, type PoolState } from './pools/marketStates.ts';
import type { Pricing } from './pools/poolSides.ts';
import type { Audience, FoundInBlock } from './raise/candidate.ts';
import { findAll } from './rules/allRules.ts';

/** Reads of the index that complete the memory of a chain. */
type PoolIndex = Pick<IndexReader, 'pools' | 'decimals'> & MarketReader & CounterpartyReader;

/** Dependencies of the chain memory. */
export interface MemoryPorts {
  readonly chainId: number;
  readonly audience: Audience;
  readonly pricing: Pricing;
  /** Factories whose markets count; null for a chain without a profile, where all count. */
  readonly factories: ReadonlySet<Hex> | null;
  readonly index: PoolIndex;
}

/** The recent past of the chain, as the rules need it. Each event is applied once, in order. */
class ChainFold {
  /** Uniswap V2 pools. */
  readonly pools: MarketStates;
  /** All other markets. */
  readonly markets: MarketStates;
  readonly mains: MainMarkets;
  readonly counterparties: Counterparties;
  readonly #ports: MemoryPorts;
  #open: BlockFacts | null = null;

  constructor(ports: MemoryPorts) {
    const { pricing, factories, audience } = ports;
    this.#ports = ports;
    this.counterparties = new Counterparties((address) =>
      audience
        .watchesOf(address)
        .some(({ type, alerts }) => type === 'wallet' && alerts.includes('address_poisoning')),
    );
    this.pools = new MarketStates('uniswapV2', pricing, factories);
    this.markets = new MarketStates('others', pricing, factories);
    this.mains = new MainMarkets(pricing, factories);
  }

  /** Tokens of the markets in these facts whose other markets have not been looked up. */
  unaskedTokens(facts: readonly Fact[]): Hex[] {
    const tokens = facts.flatMap((fact): Hex | [] => {
      if (!('protocol' in fact)) return [];
      if (fact.kind === 'poolCreated') return this.mains.tokenOf(fact) ?? [];
      const sides = this.pools.sidesOf(fact.pool) ?? this.markets.sidesOf(fact.pool);
      return sides?.token ?? [];
    });
    return this.mains.unasked(tokens);
  }

  /** Applies an event and returns the findings of the rules in the blocks it completes. */
  fold(event: ChainEvent): FoundInBlock[] {
    switch (event.kind) {
      case 'finalize':
        return [];
      case 'reorg':
        this.#open = null;
        this.pools.rollBack(event.ancestor.number);
        this.markets.rollBack(event.ancestor.number);
        this.counterparties.rollBack(event.ancestor.number);
        return [];
      case 'blocks': {
        const { complete, open } = assembleBlocks(this.#open, event);
        this.#open = open;
        return complete.flatMap((block) => this.#inspect(block));
      }
    }
  }

  counts() {
    const [pools, markets] = [this.pools.counts(), this.markets.counts()];
    return {
      pools: pools.held,
      poolsEvicted: pools.evicted,
      pointsDropped: pools.pointsDropped,
      markets: markets.held,
      marketsEvicted: markets.evicted,
      marketPointsDropped: markets.pointsDropped,
      ...this.counterparties.counts(),
    };
  }

  /**
   * US dollars per raw unit of a stablecoin, and of wrapped and native currency (null); null for all others.
   */
  usdOf(token: Hex | null): number | null {
    const { weth, stables } = this.#ports.pricing;
    const base = token ?? weth;
    return base === weth || stables.includes(base) ? this.pools.usdPerUnit(base) : null;
  }

  #inspect(block: BlockFacts): FoundInBlock[] {
    const { number, hash, timestampS } = block;
    this.mains.follow(block.facts);
    const usdPerUnit = (base: Hex): number | null => this.pools.usdPerUnit(base);
    const stateOf = (pool: Hex, isUniswapV2: boolean): PoolState | undefined =>
      (isUniswapV2 ? this.pools : this.markets).stateOf(pool);
    const changes = [
      ...this.pools.apply(block).map((change) => ({ change, isUniswapV2: true })),
      ...this.markets.apply(block).map((change) => ({ change, isUniswapV2: false })),
    ];
    const pools = changes.map(({ change, isUniswapV2 }) => ({
      ...change,
      isMinor: !this.mains.isMain(change, isUniswapV2, { stateOf, usdPerUnit }),
    }));
    const suspects = this.counterparties.apply(block, (token) => this.usdOf(token));
    const { chainId } = this.#ports;
    return findAll({ chainId, block, pools, suspects, usdPerUnit }).map((finding) => ({
      finding,
      block: { number, hash, timestampS },
    }));
  }
}

/** The result of an event. */
interface Folded {
  readonly findings: readonly FoundInBlock[];
  /** Blocks that a reorg had orphaned and that are canonical again. */
  readonly restored: readonly Hex[];
}

/** Pools or tokens per look-up query. */
const POOLS_PER_QUERY_MAX = 4_000;
/** Orphaned blocks remembered: messages about them may arrive late. */
const ORPHANED_MAX = 4_096;

/** Follows a chain through the events of its stream, and reads older data from the index. */
export const createChainMemory = (ports: MemoryPorts) => {
  let chain = new ChainFold(ports);
  let foldedSeq = 0;
  let epoch = 0;
  /** Where memory begins: earlier events of a pool are read from the index, later ones are known here. */
  let firstBlock = Number.POSITIVE_INFINITY;
  const orphaned = new LRUCache<Hex, true>({ max: ORPHANED_MAX });
  const folded = new Map<number, Folded & { readonly eventId: string }>();
  /**
   * Height before which the index is read. For blocks before memory begins the index cannot be wrong: they are final,
   * and it has them. For later blocks it may show another branch, because it is behind a reorg or ahead of it.
   */
  const askedBefore = (from: number): number =>
    chain.counts().poolsEvicted + chain.counts().marketsEvicted > 0
      ? from
      : Math.min(firstBlock, from);
  /** The stream lost its tail and is read again: later blocks must not be known already. */
  const forget = (): void => {
    chain = new ChainFold(ports);
    firstBlock = Number.POSITIVE_INFINITY;
  };
  /** The result of an applied event, or undefined: then the state is as before the event. */
  const foldedSoFar = ({ seq, event }: SequencedEvent) => {
    const known = folded.get(seq);
    if (known?.eventId === chainMessageId(event)) return known;
    if (seq <= foldedSeq) forget();
    foldedSeq = seq - 1;
    return undefined;
  };
  const learn = async (events: readonly BlocksEvent[]): Promise<void> => {
    const [first] = events;
    if (!first) return;
    firstBlock = Math.min(firstBlock, first.from);
    await learnPools(chain, events, ports.index, askedBefore(first.from));
    await learnCounterparties(chain, events, ports, first);
  };
  return {
    /** Looks up everything that a batch of events needs; idempotent. */
    prepare: async (batch: readonly SequencedEvent[]): Promise<void> => {
      const first = batch.findIndex((placed) => foldedSoFar(placed) === undefined);
      if (first < 0) return;
      const events = batch.slice(first).map(({ event }) => event);
      await learnStables(ports);
      await learn(events.filter((event) => event.kind === 'blocks'));
    },
    /** Applies an event exactly once, however often it is called until it succeeds. */
    fold: async (placed: SequencedEvent): Promise<Folded> => {
      const known = foldedSoFar(placed);
      if (known) return known;
      const { seq, event } = placed;
      if (event.kind === 'blocks') await learn([event]);
      epoch = Math.max(epoch, event.epoch);
      const now = { findings: chain.fold(event), restored: followOrphans(orphaned, event) };
      foldedSeq = seq;
      folded.set(seq, { eventId: chainMessageId(event), ...now });
      return now;
    },
    done: (batch: readonly SequencedEvent[]): void => {
      for (const { seq } of batch) folded.delete(seq);
    },
    /** Whether a block is currently orphaned by a reorg. */
    isOrphaned: (blockHash: Hex): boolean => orphaned.has(blockHash),
    /** Number of reorgs so far, as the stream counts them. */
    epoch: (): number => epoch,
    counts: (): ReturnType<ChainFold['counts']> => chain.counts(),
  };
};

/** Records which blocks an event orphans; returns those that are canonical again. */
const followOrphans = (orphaned: LRUCache<Hex, true>, event: ChainEvent): Hex[] => {
  if (event.kind === 'reorg') for (const { hash } of event.orphaned) orphaned.set(hash, true);
  if (event.kind !== 'blocks') return [];
  const hashes = [...new Set([...event.blocks, event.to].map(({ hash }) => hash))];
  const restored = hashes.filter((hash) => orphaned.has(hash));
  for (const hash of restored) orphaned.delete(hash);
  return restored;
};

const factsOf = (event: BlocksEvent): Fact[] => event.blocks.flatMap(({ facts }) => facts);

/** Looks up decimals of stablecoins from the environment, which are unknown until their contracts were read. */
const learnStables = async ({ pricing, index }: MemoryPorts): Promise<void> => {
  const { stables, stableDecimals } = pricing;
  const unknown = stables.filter((token) => !stableDecimals.has(token));
  for (const [token, digits] of await index.decimals(unknown)) stableDecimals.set(token, digits);
};

/**
 * Looks up unknown data that these events need: pools and other markets, then the other markets of their tokens.
 */
const learnPools = async (
  chain: ChainFold,
  events: readonly BlocksEvent[],
  index: PoolIndex,
  beforeBlock: number,
): Promise<void> => {
  const nowS = events.at(-1)?.to.timestampS ?? 0;
  const { pools, markets, mains } = chain;
  const learn = async (
    states: MarketStates,
    ids: readonly Hex[],
    read: (some: readonly Hex[]) => Promise<KnownMarket[]>,
  ): Promise<void> =>
    inGroups(ids, async (some) => {
      const found = await read(some);
      states.learnDecimals(await index.decimals(states.unknownDecimals(found)));
      states.learn(some, found, nowS);
    });
  const learnAll = async (idsOf: (states: MarketStates) => Hex[]): Promise<void> => {
    await learn(pools, idsOf(pools), (some) => index.pools(some, beforeBlock));
    await learn(markets, idsOf(markets), (some) => index.markets(some, beforeBlock));
  };
  await learnAll((states) => [
    ...new Set(events.flatMap((event) => states.unknown(factsOf(event), event.to.timestampS))),
  ]);
  const facts = events.flatMap(factsOf);
  markets.learnDecimals(await index.decimals(markets.unknownDecimals(markets.touchedBy(facts))));
  await inGroups(chain.unaskedTokens(facts), async (tokens) => {
    const found = await index.marketsOf(tokens, beforeBlock);
    await learnAll((states) =>
      found.flatMap(({ pool, isUniswapV2 }) =>
        isUniswapV2 === (states === pools) && states.sidesOf(pool) === undefined ? pool : [],
      ),
    );
    mains.learn(tokens, found);
  });
};

/**
 * Looks up the counterparties of wallets in these events that are unknown because they are newly watched, or have not
 * moved since the start.
 */
const learnCounterparties = async (
  chain: ChainFold,
  events: readonly BlocksEvent[],
  { index, pricing }: MemoryPorts,
  { from, to }: BlocksEvent,
): Promise<void> => {
  const { counterparties } = chain;
  const sinceS = to.timestampS - COUNTERPARTY_AGE_S;
  const valued = [pricing.weth, ...pricing.stables];
  await inGroups(counterparties.unknown(events.flatMap(factsOf)), async (wallets) => {
    const past = await index.counterparties(wallets, { beforeBlock: from, sinceS, valued });
    counterparties.learn(wallets, past, (token) => chain.usdOf(token));
  });
};

const inGroups = async (
  all: readonly Hex[],
  handle: (some: readonly Hex[]) => Promise<void>,
): Promise<void> => {
  for (const some of slicesOf(all, POOLS_PER_QUERY_MAX)) await handle(some);
};
