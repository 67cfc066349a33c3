import { LRUCache } from 'lru-cache';
import { assembleBlocks } from '../../shared/chain/assembleBlocks.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ChainEvent } from '../../shared/chain/chainEvent.ts';
import { chainMessageId } from '../../shared/messages/chainMessage.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import type { IndexReader } from './indexReader.ts';
import type { Pricing } from './pools/poolSides.ts';
import { type KnownPool, PoolStates } from './pools/poolStates.ts';
import type { FoundInBlock } from './raise/candidate.ts';
import { findAll } from './rules/allRules.ts';

/** What the chain has done so far, as the rules need it. Each event is folded in once, in order. */
class ChainFold {
  readonly #states: PoolStates;
  #open: BlockFacts | null = null;

  constructor(states: PoolStates) {
    this.#states = states;
  }

  /** Pools of an event whose tokens have to be looked up before it is folded in. */
  unknownPools(event: ChainEvent): Hex[] {
    if (event.kind !== 'blocks') return [];
    const facts = event.blocks.flatMap((block) => block.facts);
    return this.#states.unknown(facts, event.to.timestampS);
  }

  /** Takes over the answer to `unknownPools`. */
  learnPools(event: ChainEvent, asked: readonly Hex[], found: readonly KnownPool[]): void {
    if (event.kind === 'blocks') this.#states.learn(asked, found, event.to.timestampS);
  }

  /** Folds an event in and returns what the rules found in the blocks it completes. */
  fold(event: ChainEvent): FoundInBlock[] {
    switch (event.kind) {
      case 'finalize':
        return [];
      case 'reorg':
        this.#open = null;
        this.#states.rollBack(event.ancestor.number);
        return [];
      case 'blocks': {
        const { whole, open } = assembleBlocks(this.#open, event);
        this.#open = open;
        return whole.flatMap((block) => this.#inspect(block));
      }
    }
  }

  counts(): ReturnType<PoolStates['counts']> {
    return this.#states.counts();
  }

  #inspect(block: BlockFacts): FoundInBlock[] {
    const pools = this.#states.apply(block);
    const { number, hash, timestampS } = block;
    const usdPerUnit = (base: Hex): number | null => this.#states.usdPerUnit(base);
    return findAll({ block, pools, usdPerUnit }).map((finding) => ({
      finding,
      block: { number, hash, timestampS },
    }));
  }
}

/** What an event brought about. */
interface Folded {
  readonly findings: readonly FoundInBlock[];
  /** Blocks that a reorg had taken back and that are canonical again. */
  readonly restored: readonly Hex[];
}

/** The chain as far as it was folded, and what events that are not done brought about. */
interface ChainMemory {
  /** Looks up at once what the events of a batch need to be known of; does nothing when repeated. */
  prepare(batch: readonly SequencedEvent[]): Promise<void>;
  /** Folds an event in, once, however often it is called until it is done. */
  fold(placed: SequencedEvent): Promise<Folded>;
  done(batch: readonly SequencedEvent[]): void;
  /** Whether a block was taken back by a reorg and has not come again. */
  isOrphaned(blockHash: Hex): boolean;
  /** Number of reorgs so far, as the stream counts them. */
  epoch(): number;
  counts(): ReturnType<ChainFold['counts']>;
}

/** Pools looked up with one query. */
const POOLS_PER_QUERY_MAX = 4_000;
/** Orphaned blocks remembered: messages on them may come late. */
const ORPHANED_MAX = 4_096;

/** Remembers a chain from the events of its stream, and reads what is older from the index. */
export const createChainMemory = (
  pricing: Pricing,
  index: Pick<IndexReader, 'pools'>,
): ChainMemory => {
  let chain = new ChainFold(new PoolStates(pricing));
  let foldedSeq = 0;
  let epoch = 0;
  /** Where memory begins: what a pool did before it is read from the index, the rest is known here. */
  let firstBlock = Number.POSITIVE_INFINITY;
  const orphaned = new LRUCache<Hex, true>({ max: ORPHANED_MAX });
  const folded = new Map<number, Folded & { readonly eventId: string }>();
  /**
   * Height before which the index is read. Of blocks before memory begins it cannot be wrong: they are
   * final and it has them. Of later ones it may show another branch, being behind a reorg or ahead of it.
   */
  const askedBefore = (from: number): number =>
    chain.counts().poolsEvicted > 0 ? from : Math.min(firstBlock, from);
  /** The stream lost its tail and is read anew: later blocks must not be known already. */
  const forget = (): void => {
    chain = new ChainFold(new PoolStates(pricing));
    firstBlock = Number.POSITIVE_INFINITY;
  };
  /** What an event that is folded in brought about, or undefined: then everything is as before it. */
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
    await learnPools(chain, events, (pools) => index.pools(pools, askedBefore(first.from)));
  };
  return {
    prepare: async (batch) => {
      const first = batch.findIndex((placed) => foldedSoFar(placed) === undefined);
      if (first < 0) return;
      const events = batch.slice(first).map(({ event }) => event);
      await learn(events.filter((event) => event.kind === 'blocks'));
    },
    fold: async (placed) => {
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
    done: (batch) => {
      for (const { seq } of batch) folded.delete(seq);
    },
    isOrphaned: (blockHash) => orphaned.has(blockHash),
    epoch: () => epoch,
    counts: () => chain.counts(),
  };
};

/** Notes which blocks are orphaned by an event; returns those that are canonical again. */
const followOrphans = (orphaned: LRUCache<Hex, true>, event: ChainEvent): Hex[] => {
  if (event.kind === 'reorg') for (const { hash } of event.orphaned) orphaned.set(hash, true);
  if (event.kind !== 'blocks') return [];
  const hashes = [...new Set([...event.blocks, event.to].map(({ hash }) => hash))];
  const restored = hashes.filter((hash) => orphaned.has(hash));
  for (const hash of restored) orphaned.delete(hash);
  return restored;
};

/** Looks up the pools that these events touch and that are unknown. */
const learnPools = async (
  chain: ChainFold,
  events: readonly BlocksEvent[],
  find: (pools: readonly Hex[]) => Promise<KnownPool[]>,
): Promise<void> => {
  const last = events.at(-1);
  if (!last) return;
  const unknown = [...new Set(events.flatMap((event) => chain.unknownPools(event)))];
  for (let at = 0; at < unknown.length; at += POOLS_PER_QUERY_MAX) {
    const some = unknown.slice(at, at + POOLS_PER_QUERY_MAX);
    chain.learnPools(last, some, await find(some));
  }
};
