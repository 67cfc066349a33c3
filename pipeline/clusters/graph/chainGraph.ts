import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { createEdgeTable, isMoney, kindCode, NO_EDGE, NO_WALLET } from './edgeTable.ts';

import type { BlockFacts, ValueEdge } from './facts.ts';
import { createHubs } from './hubs.ts';
import type { DetectorOptions } from './ringDetector.ts';
import { type Naming, NO_NAMING } from './ringNaming.ts';
import {
  createFundingPhases,
  createTokenRegistry,
  createVicinity,
  type TokenCreation,
} from './tokenRegistry.ts';

import { createWalletTable } from './walletTable.ts';

const EDGES_MAX = 12_000_000;
const WALLETS_MAX = 8_000_000;

interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly edges: number[];
  readonly creations: TokenCreation[];
  /** What it did to the ids of rings. */
  naming: Naming;
}

/** Names an edge that must stay when the table is full. */
type IsKept = (edge: number) => boolean;

/** The stores, with the caches that a change must invalidate. */
const createGround = (options: DetectorOptions) => {
  const wallets = createWalletTable(options.walletsMax ?? WALLETS_MAX);
  const edges = createEdgeTable(options.edgesMax ?? EDGES_MAX, wallets.capacity);
  const tokens = createTokenRegistry();
  const phases = createFundingPhases(edges, tokens, wallets.capacity);
  const hubs = createHubs(edges, wallets, options.hubs ?? []);
  const vicinity = createVicinity(edges, tokens, wallets.capacity);
  const isToken = new Uint8Array(wallets.capacity);
  const isScammer = new Uint8Array(wallets.capacity);
  const forget = (edge: number): void => {
    for (const wallet of [edges.from[edge] as number, edges.to[edge] as number]) {
      phases.forget(wallet);
      hubs.forget(wallet);
    }
  };
  const refreshCreator = (creator: number): void => {
    isScammer[creator] = tokens.isScammer(creator) ? 1 : 0;
    if (isScammer[creator] === 1) vicinity.enter(creator);
    phases.forget(creator);
  };
  return {
    wallets,
    edges,
    tokens,
    phases,
    hubs,
    vicinity,
    isToken,
    isScammer,
    skipped: { self: 0, dust: 0, evicted: 0 },
    dustValue: options.dustValue ?? 0,
    forget,
    refreshCreator,
    refreshToken: ({ token, creator }: TokenCreation): void => {
      isToken[token] = tokens.isToken(token) ? 1 : 0;
      refreshCreator(creator);
    },
    dropEdge: (edge: number): void => {
      forget(edge);
      edges.remove(edge);
    },
  };
};
type Ground = ReturnType<typeof createGround>;

/** Room for one more edge: an old one goes when the table is full. False where none may go. */
const makeRoom = (ground: Ground, isKept: IsKept): boolean => {
  if (!ground.edges.isFull()) return true;
  const edge = ground.edges.evictable(isKept);
  ground.skipped.evicted += 1;
  if (edge === NO_EDGE) return false;
  ground.dropEdge(edge);
  return true;
};

/** Adds an edge and gives its number, NO_EDGE where it is left out. */
const addEdge = (ground: Ground, edge: ValueEdge, block: number, isKept: IsKept): number => {
  const { edges, wallets, skipped } = ground;
  const kind = kindCode(edge.kind);
  if (edge.from === edge.to) skipped.self += 1;
  else if (isMoney(kind) && edge.value > 0 && edge.value < ground.dustValue) skipped.dust += 1;
  else if (makeRoom(ground, isKept)) {
    const [from, to] = [wallets.intern(edge.from), wallets.intern(edge.to)];
    const token = edge.token === undefined ? NO_WALLET : wallets.intern(edge.token);
    if (from === NO_WALLET || to === NO_WALLET) skipped.evicted += 1;
    else {
      const added = edges.add({ from, to, kind, token, value: edge.value, block, tx: edge.tx });
      ground.forget(added);
      ground.vicinity.link(added);
      return added;
    }
  }
  return NO_EDGE;
};

const addCreations = (ground: Ground, { block, deployments }: BlockFacts): TokenCreation[] => {
  const creations: TokenCreation[] = [];
  for (const { token: address, creator: by, tx, codeHash } of deployments) {
    const [token, creator] = [ground.wallets.intern(address), ground.wallets.intern(by)];
    if (token === NO_WALLET || creator === NO_WALLET) continue;
    const creation = { token, creator, block: block.number, tx, codeHash };
    ground.tokens.add(creation);
    ground.refreshToken(creation);
    ground.vicinity.bear(creation);
    creations.push(creation);
  }
  return creations;
};

/** Blocks that can still be undone, with what they added. */
const createJournal = (ground: Ground) => {
  const blocks = new Map<Hex, Block>();
  let finalized = -1;
  const isCreated = (token: Hex): boolean =>
    ground.tokens.creationOf(ground.wallets.find(token)) !== undefined;
  return {
    /** Whether a block's facts would change anything. */
    isNew: ({ block, edges, deployments }: BlockFacts): boolean => {
      if (blocks.has(block.hash)) return false;
      // Creations may arrive when their block has long been final; movements come with their block.
      const isCreationNew =
        edges.length === 0 && deployments.some(({ token }) => !isCreated(token));
      return block.number > finalized || isCreationNew;
    },
    addBlock: (facts: BlockFacts, isKept: IsKept): void => {
      const isBound: IsKept = (edge) =>
        (ground.edges.block[edge] as number) > finalized || isKept(edge);
      const edges = facts.edges
        .map((edge) => addEdge(ground, edge, facts.block.number, isBound))
        .filter((edge) => edge !== NO_EDGE);
      blocks.set(facts.block.hash, {
        ...facts.block,
        edges,
        creations: addCreations(ground, facts),
        naming: NO_NAMING,
      });
    },
    block: (hash: Hex): Block | undefined => blocks.get(hash),
    /** Those of the blocks that are held, in the order they came. */
    inOrder: (hashes: readonly Hex[]): Block[] => {
      const wanted = new Set(hashes);
      return [...blocks.values()].filter(({ hash }) => wanted.has(hash));
    },
    removeBlock: (hash: Hex): void => {
      const block = blocks.get(hash);
      for (const edge of block?.edges ?? []) ground.dropEdge(edge);
      for (const creation of block?.creations ?? []) {
        ground.tokens.remove(creation);
        ground.refreshToken(creation);
      }
      blocks.delete(hash);
    },
    finalize: (number: number): void => {
      finalized = Math.max(finalized, number);
      for (const block of blocks.values()) if (block.number <= number) blocks.delete(block.hash);
    },
    undoable: (): BlockRef[] =>
      [...blocks.values()]
        .map(({ number, hash }) => ({ number, hash }))
        .sort((a, b) => a.number - b.number),
  };
};

/** Wallets, edges and tokens of one chain, with what is cheap to know of each: the ground rings grow on. */
export const createChainGraph = (options: DetectorOptions) => {
  const ground = createGround(options);
  const { wallets, edges, tokens, phases, hubs, vicinity, isToken, isScammer } = ground;
  return {
    wallets,
    edges,
    tokens,
    skipped: ground.skipped,
    bytes:
      wallets.bytes +
      edges.bytes +
      phases.bytes +
      hubs.bytes +
      vicinity.bytes +
      wallets.capacity * 2,
    isNear: vicinity.isNear,
    /** Says that a wallet is in a ring now. */
    enterRing: vicinity.enter,
    isHub: hubs.isHub,
    hubCount: hubs.count,
    /** Whether an edge is first money of a wallet: what it had in hand when it first acted. Hubs have none. */
    isFunding: (edge: number): boolean =>
      !hubs.isHub(edges.to[edge] as number) && phases.isFunding(edge),
    /** How much an edge is to one of its ends: its share of the largest sum the wallet ever moved, 0 to 1. */
    shareOf: phases.shareOf,
    /** Whether evidence is weighed by how scammers and others deal. */
    areDealingsMeasured: options.areDealingsMeasured ?? false,
    isToken: (wallet: number): boolean => isToken[wallet] === 1,
    /** Deployed a scam, and is no service. */
    isScammer: (wallet: number): boolean => isScammer[wallet] === 1 && !hubs.isHub(wallet),
    setVerdict: (token: number, isScam: boolean): void => {
      tokens.setVerdict(token, isScam);
      const creation = tokens.creationOf(token);
      if (creation) ground.refreshCreator(creation.creator);
    },
    ...createJournal(ground),
  };
};
export type ChainGraph = ReturnType<typeof createChainGraph>;
