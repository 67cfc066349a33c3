import { type BlockRef, type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { NO_TOKEN } from '../facts/graphFact.ts';
import { createEdgeTable, isMoney, kindCode, NO_EDGE, NO_WALLET, TOKEN_KIND } from './edgeTable.ts';
import { createHubs } from './hubs.ts';
import { reserve } from './reserve.ts';
import type { DetectorBlock, DetectorFact, DetectorOptions } from './ringDetector.ts';
import { type Naming, NO_NAMING } from './ringNaming.ts';
import { createFundingPhases, createTokenRegistry, type TokenCreation } from './tokenRegistry.ts';
import { createWalletTable } from './walletTable.ts';

const EDGES_MAX = 12_000_000;
const WALLETS_MAX = 8_000_000;

/** The result of adding a block once; creations may follow later. */
export interface Piece extends BlockRef {
  readonly order: number;
  /** Whether it contains the block's movements, not only creations. */
  readonly hasMovements: boolean;
  readonly edges: readonly number[];
  readonly creations: readonly TokenCreation[];
  /** Its effect on the ids of rings. */
  naming: Naming;
}

/** Identifies an edge that must be kept when the table is full. */
type IsKept = (edge: number) => boolean;

/** The stores, with the caches that a change must invalidate. */
const createTables = (options: DetectorOptions) => {
  const wallets = createWalletTable(options.walletsMax ?? WALLETS_MAX);
  const edges = createEdgeTable(options.edgesMax ?? EDGES_MAX, wallets.capacity);
  const tokens = createTokenRegistry();
  const phases = createFundingPhases(edges, tokens, wallets.capacity);
  const hubs = createHubs(edges, wallets, options.hubs ?? []);
  const isToken = reserve(Uint8Array, wallets.capacity);
  const isScammer = reserve(Uint8Array, wallets.capacity);
  const forget = (edge: number): void => {
    for (const wallet of [edges.from[edge] as number, edges.to[edge] as number]) {
      phases.forget(wallet);
      hubs.forget(wallet);
    }
  };
  const refreshCreator = (creator: number): void => {
    isScammer[creator] = tokens.isScammer(creator) ? 1 : 0;
    phases.forget(creator);
  };
  return {
    wallets,
    edges,
    tokens,
    phases,
    hubs,
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
type Tables = ReturnType<typeof createTables>;

/** Makes room for one more edge: an old one is evicted if the table is full. False if none may be. */
const makeRoom = (tables: Tables, isKept: IsKept): boolean => {
  if (!tables.edges.isFull()) return true;
  const edge = tables.edges.evictable(isKept);
  tables.skipped.evicted += 1;
  if (edge === NO_EDGE) return false;
  tables.dropEdge(edge);
  return true;
};

/** Adds an edge and returns its number, NO_EDGE if it is left out. */
const addEdge = (tables: Tables, fact: DetectorFact, block: number, isKept: IsKept): number => {
  const { edges, wallets, skipped } = tables;
  const kind = kindCode(fact.kind);
  if (kind < 0) return NO_EDGE;
  if (fact.from === fact.to) skipped.self += 1;
  else if (isMoney(kind) && fact.value > 0 && fact.value < tables.dustValue) skipped.dust += 1;
  else if (makeRoom(tables, isKept)) {
    const [from, to] = [wallets.intern(fact.from), wallets.intern(fact.to)];
    const isNamed = kind === TOKEN_KIND && fact.token !== NO_TOKEN;
    const token = isNamed ? wallets.intern(fact.token) : NO_WALLET;
    if (from === NO_WALLET || to === NO_WALLET) skipped.evicted += 1;
    else {
      const added = edges.add({ from, to, kind, token, value: fact.value, block, tx: fact.txHash });
      tables.forget(added);
      return added;
    }
  }
  return NO_EDGE;
};

const addCreation = (tables: Tables, fact: DetectorFact, block: number): TokenCreation[] => {
  const [token, creator] = [tables.wallets.intern(fact.to), tables.wallets.intern(fact.from)];
  if (token === NO_WALLET || creator === NO_WALLET) return [];
  const [tx, codeHash] = [fact.txHash, fact.codeHash].map((hash) =>
    hash === ZERO_HASH ? null : hash,
  ) as [Hex | null, Hex | null];
  const creation = { token, creator, block, tx, codeHash };
  tables.tokens.add(creation);
  tables.refreshToken(creation);
  return [creation];
};

/** Blocks that can still be undone, with what they added. */
const createJournal = (tables: Tables) => {
  const blocks = new Map<Hex, Piece[]>();
  let finalized = -1;
  let pieces = 0;
  const isCreated = (token: Hex): boolean => tables.tokens.isToken(tables.wallets.find(token));
  /**
   * Those facts of a block that would change something. Its movements arrive together, once; a creation may arrive
   * earlier, or long after the block is final.
   */
  const newFacts = ({ number, hash, facts }: DetectorBlock): readonly DetectorFact[] => {
    const held = blocks.get(hash) ?? [];
    const isOpen = number > finalized;
    const areMovementsNew = isOpen && !held.some(({ hasMovements }) => hasMovements);
    const isHeld = (token: number): boolean =>
      held.some(({ creations }) => creations.some((creation) => creation.token === token));
    return facts.filter(({ kind, to }) =>
      kind === 'created'
        ? !isCreated(to) || (isOpen && !isHeld(tables.wallets.find(to)))
        : areMovementsNew,
    );
  };
  return {
    isCreated,
    newFacts,
    /** Adds the result of `newFacts`. */
    addBlock: ({ number, hash, facts }: DetectorBlock, isKept: IsKept): Piece => {
      const isBound: IsKept = (edge) =>
        (tables.edges.block[edge] as number) > finalized || isKept(edge);
      pieces += 1;
      const piece: Piece = {
        number,
        hash,
        order: pieces,
        hasMovements: facts.some(({ kind }) => kind !== 'created'),
        edges: facts
          .map((fact) => addEdge(tables, fact, number, isBound))
          .filter((edge) => edge !== NO_EDGE),
        creations: facts
          .filter(({ kind }) => kind === 'created')
          .flatMap((fact) => addCreation(tables, fact, number)),
        naming: NO_NAMING,
      };
      blocks.set(hash, [...(blocks.get(hash) ?? []), piece]);
      return piece;
    },
    /** What is stored of the blocks, in order of arrival. */
    piecesOf: (hashes: Iterable<Hex>): Piece[] =>
      [...new Set(hashes)]
        .flatMap((hash) => blocks.get(hash) ?? [])
        .sort((a, b) => a.order - b.order),
    removeBlock: (hash: Hex): void => {
      for (const { edges, creations } of blocks.get(hash) ?? []) {
        for (const edge of edges) tables.dropEdge(edge);
        for (const creation of creations) {
          tables.tokens.remove(creation);
          tables.refreshToken(creation);
        }
      }
      blocks.delete(hash);
    },
    finalize: (number: number): void => {
      finalized = Math.max(finalized, number);
      for (const [hash, [piece]] of blocks)
        if (piece && piece.number <= number) blocks.delete(hash);
    },
  };
};

/**
 * Wallets, edges and tokens of one chain, with properties that are cheap to compute: the input for growing rings.
 */
export const createChainGraph = (options: DetectorOptions) => {
  const tables = createTables(options);
  const { wallets, edges, tokens, phases, hubs, isToken, isScammer } = tables;
  return {
    wallets,
    edges,
    tokens,
    skipped: tables.skipped,
    bytes: wallets.bytes + edges.bytes + phases.bytes + hubs.bytes + wallets.capacity * 2,
    isHub: hubs.isHub,
    hubCount: hubs.count,
    /** Whether an edge is initial funding of a wallet: money it held when it first acted. Hubs have none. */
    isFunding: (edge: number): boolean =>
      !hubs.isHub(edges.to[edge] as number) && phases.isFunding(edge),
    /**
     * Importance of an edge for one of its ends: its share of the largest amount the wallet ever moved, 0 to 1.
     */
    shareOf: phases.shareOf,
    isToken: (wallet: number): boolean => isToken[wallet] === 1,
    /** Deployed a scam, and is not a service. */
    isScammer: (wallet: number): boolean => isScammer[wallet] === 1 && !hubs.isHub(wallet),
    setVerdict: (token: number, isScam: boolean): void => {
      tokens.setVerdict(token, isScam);
      const creation = tokens.creationOf(token);
      if (creation) tables.refreshCreator(creation.creator);
    },
    ...createJournal(tables),
  };
};
export type ChainGraph = ReturnType<typeof createChainGraph>;
