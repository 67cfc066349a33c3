import type { Hex } from '../../../shared/chain/block.ts';
import { createChainGraph, type Piece } from './chainGraph.ts';
import { createDescribeRing } from './describeRing.ts';
import { createDirtyMarks } from './dirtyMarks.ts';
import { kindCode, NO_EDGE, NO_WALLET } from './edgeTable.ts';
import { createFlows } from './flows.ts';
import { type CreateWeighing, createGrowRing } from './growRing.ts';
import type { Ring, RingChanges } from './ring.ts';
import type { DetectorBlock, DetectorFact, DetectorOptions, KnownRing } from './ringDetector.ts';
import { joinNamings, type Naming, NO_NAMING } from './ringNaming.ts';
import { createRingRegistry, type HeldRing } from './ringRegistry.ts';
import { createTradeEvidence } from './tradeEvidence.ts';
import { createWeighWallet } from './weighWallet.ts';

/** With hand-chosen weights (weights.ts). */
const weighByRules: CreateWeighing = ({ graph, flows, trade }) => ({
  weigh: createWeighWallet(graph, flows, trade),
  linkingWalletsMin: 0,
});

const createParts = (options: DetectorOptions, createWeighing: CreateWeighing) => {
  const graph = createChainGraph(options);
  const flows = createFlows(graph);
  const trade = createTradeEvidence(graph);
  const weighing = createWeighing({ graph, flows, trade });
  const grow = createGrowRing({ graph, trade, weighing });
  const registry = createRingRegistry(graph, createDescribeRing({ graph, flows, trade }));
  return { graph, grow, registry, dirty: createDirtyMarks(graph, flows, registry) };
};
type Parts = ReturnType<typeof createParts>;

/** Regroups wallets around scammers; rings that a part overlaps are released and join it. */
const regroup = (
  { graph, grow, registry }: Parts,
  scammers: Iterable<number>,
  released: Set<HeldRing>,
): number[][] => {
  const partOf = new Map<number, number[]>();
  const parts = new Set<number[]>();
  for (const seed of scammers) {
    if (!graph.isScammer(seed) || partOf.has(seed)) continue;
    const wallets = grow([seed], (wallet) => {
      const ring = registry.ringOf(wallet);
      if (ring && !released.has(ring)) released.add(ring);
      return partOf.get(wallet) ?? ring?.wallets;
    });
    if (wallets.length < 2) continue;
    for (const wallet of wallets) {
      const swallowed = partOf.get(wallet);
      if (swallowed) parts.delete(swallowed);
      partOf.set(wallet, wallets);
    }
    parts.add(wallets);
  }
  return [...parts];
};

/** Regroups everything marked, and restores ids that reverted blocks had passed on. */
const update = (
  all: Parts,
  undone: Naming = NO_NAMING,
): { changes: RingChanges; naming: Naming } => {
  const { rings: marked, scammers } = all.dirty.take();
  const bearers = undone.before.flatMap(({ id }) => all.registry.rings.get(id) ?? []);
  const released = new Set([...marked, ...bearers]);
  const rings = [...released];
  for (const ring of rings) all.registry.release(ring);
  const seeds = [...scammers, ...rings.flatMap(({ wallets }) => wallets)].sort((a, b) => a - b);
  const parts = regroup(all, seeds, released);
  for (const ring of released) all.registry.release(ring);
  return all.registry.replace([...released], parts, undone);
};

/**
 * Marks what depends on the wallets before a change, applies it, and marks again: deep if a wallet's nature changed.
 */
const changeAt = (
  { graph, dirty }: Parts,
  wallets: ReadonlySet<number>,
  change: () => void,
): void => {
  const { isHub, isToken, isScammer } = graph;
  const natureOf = (wallet: number): string =>
    [isHub, isToken, isScammer].map((is) => is(wallet)).join();
  const before = new Map([...wallets].map((wallet) => [wallet, natureOf(wallet)]));
  for (const wallet of wallets) dirty.mark(wallet, false);
  change();
  for (const wallet of wallets) dirty.mark(wallet, before.get(wallet) !== natureOf(wallet));
};

/** The ends of facts that are edges or creations. */
const walletsOf = ({ graph }: Parts, facts: readonly DetectorFact[]): Set<number> => {
  const ends = facts.flatMap(({ kind, from, to }) =>
    kindCode(kind) < 0 && kind !== 'created' ? [] : [from, to],
  );
  const wallets = ends.map((address) => graph.wallets.intern(address));
  return new Set(wallets.filter((wallet) => wallet !== NO_WALLET));
};

const walletsOfBlock = ({ graph }: Parts, hash: Hex): Set<number> => {
  const { from, to } = graph.edges;
  return new Set(
    graph
      .piecesOf([hash])
      .flatMap(({ edges, creations }) => [
        ...edges.flatMap((edge) => [from[edge] as number, to[edge] as number]),
        ...creations.flatMap(({ token, creator }) => [token, creator]),
      ]),
  );
};

const funderOf = ({ graph }: Parts, address: Hex): Hex | undefined => {
  const { edges, wallets } = graph;
  const wallet = wallets.find(address);
  if (wallet === NO_WALLET) return undefined;
  let first = NO_EDGE;
  for (let e = edges.ins.head[wallet] as number; e !== NO_EDGE; e = edges.ins.next[e] as number) {
    if (!graph.isFunding(e)) continue;
    if (first === NO_EDGE || (edges.block[e] as number) < (edges.block[first] as number)) first = e;
  }
  return first === NO_EDGE ? undefined : wallets.addressOf(edges.from[first] as number);
};

const lookups = (all: Parts) => {
  const { graph, registry } = all;
  return {
    *rings(): IterableIterator<Ring> {
      for (const { description } of registry.rings.values()) yield description;
    },
    ring: (id: string): Ring | undefined => registry.rings.get(id)?.description,
    /** The ring that a wallet belongs to. */
    ringOf: (wallet: Hex): Ring | undefined =>
      registry.ringOf(graph.wallets.find(wallet))?.description,
    /** Whether a wallet counts as an exchange, router, bridge, mixer or similar service. */
    isHub: (wallet: Hex): boolean => {
      const number = graph.wallets.find(wallet);
      return number >= 0 && graph.isHub(number);
    },
    /** The latest verdict; false if there is none. */
    isScam: (token: Hex): boolean => graph.tokens.isScam(graph.wallets.find(token)),
    /** Whether the creator of a token is known. */
    isCreated: graph.isCreated,
    isCreator: (wallet: Hex): boolean =>
      graph.tokens.createdBy(graph.wallets.find(wallet)).length > 0,
    /** Who sent a wallet its first material amount. */
    funderOf: (wallet: Hex): Hex | undefined => funderOf(all, wallet),
    /** Size of the detector, for metrics. */
    stats: () => ({
      wallets: graph.wallets.count(),
      edges: graph.edges.held(),
      rings: registry.rings.size,
      hubs: graph.hubCount(),
      /** Edges left out since the start, by reason. */
      skipped: { ...graph.skipped },
      /** Bytes of the graph, outside the JavaScript heap. */
      bytes: graph.bytes,
    }),
  };
};

/**
 * Keeps the rings of one chain up to date; starts empty. Synchronous and without I/O. Rings are grown from scammers
 * over the edges around them (growRing.ts); a change regroups only the rings it can affect (dirtyMarks.ts).
 * The result depends on the facts only, not on how they were split into steps: `apply` block by block gives the same
 * rings as `load` of everything. Blocks may arrive in any order. A block is identified by its hash, and applying it
 * twice changes nothing, except that new creations are added: they may arrive later than their block.
 * @param createWeighing how evidence is weighed; an evaluation of recorded facts uses another way than the service
 */
export const createRingDetector = (
  options: DetectorOptions = {},
  createWeighing = weighByRules,
) => {
  const all = createParts(options, createWeighing);
  const { graph, registry } = all;
  /** An edge inside a ring is kept when the table is full. */
  const isKept = (edge: number): boolean => {
    const ring = registry.ringOf(graph.edges.to[edge] as number);
    return ring !== undefined && ring === registry.ringOf(graph.edges.from[edge] as number);
  };
  const setVerdictOf = (token: Hex, isScam: boolean): void => {
    const number = graph.wallets.intern(token);
    if (number >= 0) graph.setVerdict(number, isScam);
  };
  return {
    /** Adds the facts of a block. */
    apply: (block: DetectorBlock): RingChanges => {
      const facts = graph.newFacts(block);
      if (facts.length === 0) return { changed: [], removed: [] };
      let piece: Piece | undefined;
      changeAt(all, walletsOf(all, facts), () => {
        piece = graph.addBlock({ ...block, facts }, isKept);
      });
      const { changes, naming } = update(all);
      if (piece) piece.naming = naming;
      return changes;
    },
    /** Removes the facts of orphaned blocks; unknown hashes are ignored. */
    undo: (hashes: readonly Hex[]): RingChanges => {
      // The first one recorded the ids from before all of them.
      const undone = joinNamings(graph.piecesOf(hashes).map(({ naming }) => naming));
      for (const hash of hashes) {
        changeAt(all, walletsOfBlock(all, hash), () => graph.removeBlock(hash));
      }
      return update(all, undone).changes;
    },
    /**
     * Sets whether a token is a scam; a later verdict replaces an earlier one. Tokens not yet deployed may have one.
     */
    setVerdict: (token: Hex, isScam: boolean): RingChanges => {
      const creator = graph.tokens.creationOf(graph.wallets.find(token))?.creator;
      changeAt(all, new Set(creator === undefined ? [] : [creator]), () =>
        setVerdictOf(token, isScam),
      );
      return update(all).changes;
    },
    /** Blocks up to this number can no longer be undone; the data for undoing them is freed. */
    finalize: graph.finalize,
    /** Like `apply`, without looking for rings: for a start from stored facts. End with `findRings`. */
    load: (block: DetectorBlock): void =>
      void graph.addBlock({ ...block, facts: graph.newFacts(block) }, isKept),
    /** Like `setVerdict`, without looking for rings. */
    loadVerdict: setVerdictOf,
    /** Looks for all rings at once after `load`; ids of known rings are kept. */
    findRings: (known: readonly KnownRing[] = []): RingChanges => {
      for (const ring of Array.from(registry.rings.values())) registry.release(ring);
      const creators = [...graph.tokens.creators()].sort((a, b) => a - b);
      return registry.adopt(known, regroup(all, creators, new Set()));
    },
    ...lookups(all),
  };
};
export type RingDetector = ReturnType<typeof createRingDetector>;
