import type { Hex } from '../../../shared/chain/block.ts';
import { isMoney, kindCode } from './edgeKinds.ts';
import { createEdgeTable, NO_EDGE, NO_WALLET } from './edgeTable.ts';
import type { BlockFacts } from './facts.ts';
import { createFundingPhases } from './fundingPhases.ts';
import { createMarker } from './marker.ts';
import type { DetectorOptions } from './ringDetector.ts';
import { createTokenBook, type TokenBirth } from './tokenBook.ts';
import { createWalletTable } from './walletTable.ts';

const EDGES_MAX = 12_000_000;
const WALLETS_MAX = 8_000_000;

/** Counterparties from which a wallet is a service whatever it does; dim_wallets says the same. */
const HUB_COUNTERPARTIES_MIN = 1_000;
/** Money edges from which a wallet is a service without its counterparties being told apart. */
const HUB_EDGES_MIN = 20_000;
const UNKNOWN = 0;
const NO = 1;
const YES = 2;
const LISTED = 3;

interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly edges: number[];
  readonly births: TokenBirth[];
}

const createStores = (options: DetectorOptions) => {
  const wallets = createWalletTable(options.walletsMax ?? WALLETS_MAX);
  const edges = createEdgeTable(options.edgesMax ?? EDGES_MAX, wallets.capacity);
  return { wallets, edges, tokens: createTokenBook() };
};

/** Which wallets are services: by list, or by the number of their counterparties. Cached a wallet. */
const createHubs = (graph: ReturnType<typeof createStores>, listed: Iterable<Hex>) => {
  const { edges, wallets } = graph;
  const state = new Uint8Array(wallets.capacity);
  const seen = createMarker(wallets.capacity);
  for (const address of listed) {
    const wallet = wallets.intern(address);
    if (wallet !== NO_WALLET) state[wallet] = LISTED;
  }
  const isManyHanded = (wallet: number): boolean => {
    const { outs, ins, kind } = edges;
    const count = (outs.count[wallet] as number) + (ins.count[wallet] as number);
    if (count < HUB_COUNTERPARTIES_MIN || count >= HUB_EDGES_MIN) return count >= HUB_EDGES_MIN;
    seen.clear();
    let distinct = 0;
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      if (isMoney(kind[e] as number) && seen.add(edges.to[e] as number)) distinct += 1;
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      if (isMoney(kind[e] as number) && seen.add(edges.from[e] as number)) distinct += 1;
    }
    return distinct >= HUB_COUNTERPARTIES_MIN;
  };
  return {
    bytes: wallets.capacity * 5,
    forget: (wallet: number): void => {
      if (state[wallet] !== LISTED) state[wallet] = UNKNOWN;
    },
    isHub: (wallet: number): boolean => {
      if (state[wallet] === UNKNOWN) state[wallet] = isManyHanded(wallet) ? YES : NO;
      return (state[wallet] as number) >= YES;
    },
    count: (): number => {
      let hubs = 0;
      for (let wallet = 0; wallet < wallets.count(); wallet += 1) {
        if ((state[wallet] as number) >= YES) hubs += 1;
      }
      return hubs;
    },
  };
};

/** Wallets, edges and tokens of one chain, with what is cheap to know of each: the ground rings grow on. */
export const createChainGraph = (options: DetectorOptions) => {
  const stores = createStores(options);
  const { wallets, edges, tokens } = stores;
  const phases = createFundingPhases(edges, tokens, wallets.capacity);
  const hubs = createHubs(stores, options.hubs ?? []);
  const isTokenOf = new Uint8Array(wallets.capacity);
  const isScammerOf = new Uint8Array(wallets.capacity);
  const dustValue = options.dustValue ?? 0;
  const blocks = new Map<Hex, Block>();
  const skipped = { self: 0, dust: 0, evicted: 0 };
  let finalized = -1;

  const forget = (edge: number): void => {
    for (const wallet of [edges.from[edge] as number, edges.to[edge] as number]) {
      phases.forget(wallet);
      hubs.forget(wallet);
    }
  };
  const refreshCreator = (creator: number): void => {
    isScammerOf[creator] = tokens.isScammer(creator) ? 1 : 0;
    phases.forget(creator);
  };
  const refreshToken = ({ token, creator }: TokenBirth): void => {
    isTokenOf[token] = tokens.isToken(token) ? 1 : 0;
    refreshCreator(creator);
  };
  const dropEdge = (edge: number): void => {
    forget(edge);
    edges.remove(edge);
  };
  /** Room for one more edge: an old one goes when the table is full. */
  const makeRoom = (isKept: (edge: number) => boolean): boolean => {
    if (!edges.isFull()) return true;
    const edge = edges.evictable((e) => (edges.block[e] as number) > finalized || isKept(e));
    skipped.evicted += 1;
    if (edge === NO_EDGE) return false;
    dropEdge(edge);
    return true;
  };
  const addEdges = (facts: BlockFacts, held: number[], isKept: (edge: number) => boolean): void => {
    for (const { kind, from, to, value, token, tx } of facts.edges) {
      const code = kindCode(kind);
      if (from === to) skipped.self += 1;
      else if (isMoney(code) && value > 0 && value < dustValue) skipped.dust += 1;
      else if (makeRoom(isKept)) {
        const row = { from: wallets.intern(from), to: wallets.intern(to), kind: code };
        if (row.from < 0 || row.to < 0) skipped.evicted += 1;
        else {
          const named = token === undefined ? NO_WALLET : wallets.intern(token);
          const block = facts.block.number;
          held.push(edges.add({ ...row, token: named, value, block, tx }));
          forget(held[held.length - 1] as number);
        }
      }
    }
  };
  const addBirths = (facts: BlockFacts, held: TokenBirth[]): void => {
    for (const { token, creator, tx, codeHash } of facts.deployments) {
      const birth = {
        token: wallets.intern(token),
        creator: wallets.intern(creator),
        block: facts.block.number,
        tx,
        codeHash,
      };
      if (birth.token < 0 || birth.creator < 0) continue;
      tokens.add(birth);
      refreshToken(birth);
      held.push(birth);
    }
  };

  return {
    wallets,
    edges,
    tokens,
    skipped,
    bytes: wallets.bytes + edges.bytes + phases.bytes + hubs.bytes + wallets.capacity * 2,
    isHub: hubs.isHub,
    hubCount: hubs.count,
    /** Whether an edge is first money of a wallet: what it had in hand when it first acted. Hubs have none. */
    isFunding: (edge: number): boolean =>
      !hubs.isHub(edges.to[edge] as number) && phases.isFunding(edge),
    /** Whether an edge matters to one of its ends: a tenth of the largest sum it ever moved, or unknown. */
    isMaterial: phases.isMaterial,
    isToken: (wallet: number): boolean => isTokenOf[wallet] === 1,
    /** Deployed a scam, and is no service. */
    isScammer: (wallet: number): boolean => isScammerOf[wallet] === 1 && !hubs.isHub(wallet),
    /** Whether a block's facts would change anything. */
    isNew: ({ block }: BlockFacts): boolean => !blocks.has(block.hash) && block.number > finalized,
    addBlock: (facts: BlockFacts, isKept: (edge: number) => boolean): void => {
      const block: Block = { ...facts.block, edges: [], births: [] };
      addEdges(facts, block.edges, isKept);
      addBirths(facts, block.births);
      blocks.set(block.hash, block);
    },
    block: (hash: Hex): Block | undefined => blocks.get(hash),
    removeBlock: (hash: Hex): void => {
      const block = blocks.get(hash);
      for (const edge of block?.edges ?? []) dropEdge(edge);
      for (const birth of block?.births ?? []) {
        tokens.remove(birth);
        refreshToken(birth);
      }
      blocks.delete(hash);
    },
    judge: (token: number, isScam: boolean): void => {
      tokens.judge(token, isScam);
      const birth = tokens.birthOf(token);
      if (birth) refreshCreator(birth.creator);
    },
    finalize: (number: number): void => {
      finalized = Math.max(finalized, number);
      for (const block of blocks.values()) if (block.number <= number) blocks.delete(block.hash);
    },
    undoable: () =>
      [...blocks.values()]
        .map(({ number, hash }) => ({ number, hash }))
        .sort((a, b) => a.number - b.number),
  };
};
export type ChainGraph = ReturnType<typeof createChainGraph>;
