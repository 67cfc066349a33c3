import type { ChainGraph } from '../graph/chainGraph.ts';
import { isMoney, NATIVE, NO_EDGE } from '../graph/edgeTable.ts';

/**
 * All pairs of wallets with transactions between them, services excluded. Pair p has the ends 2p and 2p + 1, one at
 * each wallet; `end ^ 1` is the other one.
 */
export interface DealingPairs {
  /** The ends of every wallet. */
  readonly endsOf: readonly (readonly number[])[];
  /** By end: the wallet on the other side. */
  readonly across: readonly number[];
  /** By pair: the block of the first transaction. */
  readonly blocks: readonly number[];
  /** By pair: whether money moved more than once, or its purpose is named. */
  readonly isAgain: readonly boolean[];
  /** By wallet: whether a service paid it. */
  readonly isServed: readonly boolean[];
}

export const readDealingPairs = (graph: ChainGraph): DealingPairs => {
  const { edges, isHub, isToken } = graph;
  const { from, to, kind, block, outs, ins } = edges;
  const endsOf = Array.from({ length: graph.wallets.count() }, (): number[] => []);
  const isServed = endsOf.map(() => false);
  const across: number[] = [];
  const blocks: number[] = [];
  const isAgain: boolean[] = [];
  const meet = (wallet: number, met: Map<number, number>, other: number, edge: number): void => {
    if (!isMoney(kind[edge] as number) || isToken(other)) return;
    if (isHub(other)) isServed[wallet] ||= to[edge] === wallet;
    if (isHub(other) || other < wallet) return;
    const pair = met.get(other);
    if (pair !== undefined) {
      isAgain[pair] = true;
      blocks[pair] = Math.min(blocks[pair] as number, block[edge] as number);
      return;
    }
    met.set(other, blocks.length);
    endsOf[wallet]?.push(across.length);
    endsOf[other]?.push(across.length + 1);
    across.push(other, wallet);
    blocks.push(block[edge] as number);
    isAgain.push(kind[edge] !== NATIVE);
  };
  for (let wallet = 0; wallet < endsOf.length; wallet += 1) {
    if (isHub(wallet) || isToken(wallet)) continue;
    const met = new Map<number, number>();
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      meet(wallet, met, to[e] as number, e);
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      meet(wallet, met, from[e] as number, e);
    }
  }
  return { endsOf, across, blocks, isAgain, isServed };
};

/**
 * How close a transaction is in time to others, as the probability that a random one is as close to any of them; 1 if
 * there are none. Several at once do not change this, because a random one has to fall into the same few blocks.
 */
export interface Nearness {
  /** By end: closeness to other transactions of the wallet on the other side. */
  readonly toDealings: readonly number[];
  /** By end: closeness to token creations by the wallet on the other side. */
  readonly toCreations: readonly number[];
}

/**
 * The share of all transactions that lie within a number of blocks of any of the given ones, which are sorted.
 */
export const createShareAround = (blocks: readonly number[]) => {
  const sorted = Float64Array.from(blocks).sort();
  const countBelow = (block: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as number) < block) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (some: readonly number[], gap: number): number => {
    let [around, next] = [0, 0];
    for (const block of some) {
      around += countBelow(block + gap + 1) - countBelow(Math.max(next, block - gap));
      next = block + gap + 1;
    }
    return around / sorted.length;
  };
};

/**
 * Measures the probability of chance from the transactions of all wallets: random ones occur at their overall rate.
 */
export const measureNearness = (graph: ChainGraph, pairs: DealingPairs): Nearness => {
  const { endsOf, blocks } = pairs;
  const shareAround = createShareAround(blocks);
  const blockAt = (end: number): number => blocks[end >> 1] as number;
  const nearnessTo = (some: readonly number[], block: number): number =>
    some.length === 0
      ? 1
      : shareAround(some, Math.min(...some.map((other) => Math.abs(other - block))));
  const toDealings = blocks.flatMap(() => [1, 1]);
  const toCreations = blocks.flatMap(() => [1, 1]);
  endsOf.forEach((ends, wallet) => {
    const inOrder = ends.toSorted((a, b) => blockAt(a) - blockAt(b));
    const times = inOrder.map(blockAt);
    const creations = graph.tokens.createdBy(wallet).map(({ block }) => block);
    creations.sort((a, b) => a - b);
    inOrder.forEach((end, i) => {
      toDealings[end ^ 1] = nearnessTo(times.toSpliced(i, 1), blockAt(end));
      toCreations[end ^ 1] = nearnessTo(creations, blockAt(end));
    });
  });
  return { toDealings, toCreations };
};
