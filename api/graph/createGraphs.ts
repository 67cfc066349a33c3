import type { Hex } from '../../shared/chain/block.ts';
import { shortAddress } from '../present/shortAddress.ts';
import {
  funderEdges,
  HUB_COUNTERPARTIES_MAX,
  holderEdges,
  madeEdges,
  makerEdges,
  pairEdges,
  poolEdges,
  storedEdges,
} from '../queries/graphEdges.ts';
import type { Database } from '../queries/verdict.ts';
import { creatorSummaries } from '../queries/wallets.ts';
import { creatorRisk } from '../wallets/creatorReputation.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { edgeKey, expandGraph, otherEnd } from './expandGraph.ts';
import { findPaths } from './findPaths.ts';
import type { GraphEdge, GraphSource, Graphs, NodeFacts } from './graph.ts';
import { createNodeReader, type NodeReader } from './nodeReader.ts';

/** Tokens of one step whose holders are read; those of further ones are left out. */
const HOLDER_TOKENS_MAX = 4;
/** Milliseconds a search for ways may take. */
const PATH_MS_MAX = 2_000;

const counterparties = (edges: readonly GraphEdge[], address: Hex): number =>
  new Set(
    edges
      .filter(({ source, target }) => source === address || target === address)
      .map((edge) => otherEnd(edge, address)),
  ).size;

/** Reads edges: what the cluster detector keeps, and what facts tell without it. */
const createSource = (database: Database, chainId: number, readNodes: NodeReader): GraphSource => ({
  neighbours: async (addresses) => {
    const { tokens, wallets, pools } = await readNodes(addresses);
    const listedHubs = addresses.filter((address) => wallets.get(address)?.isHub);
    const isAlone = addresses.length === 1;
    const isRead = (address: Hex): boolean => isAlone || !listedHubs.includes(address);
    const read = addresses.filter(isRead);
    const tokensRead = read.filter((address) => tokens.has(address));
    const only = <T>(of: ReadonlyMap<Hex, T>): Map<Hex, T> =>
      new Map([...of].filter(([address]) => isRead(address)));
    const [stored, made, poolsOf, holders, funders] = await Promise.all([
      storedEdges(database, chainId, read),
      madeEdges(database, chainId, read),
      poolEdges(database, chainId, read),
      holderEdges(database, chainId, tokensRead.slice(0, HOLDER_TOKENS_MAX)),
      funderEdges(
        database,
        chainId,
        read.filter((address) => !tokens.has(address)),
      ),
    ]);
    const told = [stored, made, makerEdges(only(tokens)), holders.edges, funders.edges];
    // The first to tell an edge wins: what is kept, then what is exact, then the pool's own.
    const edges = new Map<string, GraphEdge>();
    for (const edge of [...told, poolsOf, pairEdges(only(pools))].flat()) {
      if (!edges.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
    }
    const all = [...edges.values()];
    const hubs = read.filter((address) => counterparties(all, address) > HUB_COUNTERPARTIES_MAX);
    return {
      edges: all,
      hubs: new Set([...listedHubs, ...hubs]),
      isCut:
        holders.isCut || funders.isCut || tokensRead.length > HOLDER_TOKENS_MAX || hubs.length > 0,
    };
  },
});

/** What nodes are shown with. An address that an edge calls a token is one. */
const describeNodes = async (
  database: Database,
  chainId: number,
  readNodes: NodeReader,
  addresses: readonly Hex[],
  isToken: (address: Hex) => boolean,
): Promise<NodeFacts[]> => {
  const { tokens, wallets, pools } = await readNodes(addresses);
  // What a creator's record tells is only asked where nothing better is known.
  const unknown = addresses.filter((address) => ![tokens, wallets].some((of) => of.has(address)));
  const makers = await creatorSummaries(
    database,
    chainId,
    unknown.filter((address) => !isToken(address)),
  );
  return addresses.map((address): NodeFacts => {
    const token = tokens.get(address);
    if (token || isToken(address)) {
      const label = token?.symbol || shortAddress(address);
      return { address, kind: 'token', label, verdict: token?.verdict };
    }
    const wallet = wallets.get(address);
    const made = makers.get(address);
    const plainLabel = pools.has(address) ? `Pool ${shortAddress(address)}` : shortAddress(address);
    return {
      address,
      kind: 'wallet',
      label: wallet?.label || plainLabel,
      riskScore: wallet?.riskScore ?? (made ? creatorRisk(made) : undefined),
      clusterId: wallet?.clusterId,
    };
  });
};

/** The graph of one chain in ClickHouse. */
export const createGraphs = (args: {
  database: Database;
  chainId: number;
  wallets: Pick<Wallets, 'find'>;
  now: () => number;
}): Graphs => {
  const { database, chainId, wallets, now } = args;
  return {
    kindOf: async (address) => {
      const {
        tokens,
        wallets: stored,
        pools,
      } = await createNodeReader(database, chainId)([address]);
      if (tokens.has(address)) return 'token';
      if (stored.has(address) || pools.has(address)) return 'wallet';
      return (await wallets.find(address)) ? 'wallet' : undefined;
    },
    around: async (center, options) => {
      const readNodes = createNodeReader(database, chainId);
      const source = createSource(database, chainId, readNodes);
      const found = await expandGraph(source, center, options);
      const isToken = (address: Hex): boolean =>
        found.tokens.has(address) || (address === center && options.kind === 'token');
      const nodes = await describeNodes(database, chainId, readNodes, found.addresses, isToken);
      return { center, nodes, edges: found.edges, isTruncated: found.isTruncated };
    },
    paths: async (from, to, options) => {
      const endsAtMs = now() + PATH_MS_MAX;
      const isOver = (): boolean => options.signal.aborted || now() > endsAtMs;
      const readNodes = createNodeReader(database, chainId);
      const source = createSource(database, chainId, readNodes);
      const { paths, nodesVisited, isTruncated } = await findPaths(source, from, to, {
        ...options,
        isOver,
      });
      const shown = [...new Set([from, to, ...paths.flatMap((path) => path.nodes)])];
      const tokens = new Set(paths.flatMap(({ edges }) => edges.flatMap((edge) => edge.tokens)));
      const nodes = await describeNodes(database, chainId, readNodes, shown, (each) =>
        tokens.has(each),
      );
      return { paths, nodes, nodesVisited, isTruncated };
    },
  };
};
