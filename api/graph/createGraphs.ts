import { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';
import { type Database, isTooManyRows } from '../../shared/platform/clickhouse.ts';
import { creatorRisk } from '../../shared/rules/creatorRecord.ts';
import { shortAddress } from '../server/present.ts';
import { joinLists, type Share, unshared } from '../server/sharedReads.ts';
import { creatorSummaries } from '../wallets/creatorQueries.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { type Expansion, expandGraph } from './expandGraph.ts';
import { findPaths } from './findPaths.ts';
import type {
  AroundOptions,
  Graph,
  GraphEdge,
  GraphSource,
  Graphs,
  NodeFacts,
  NodeKind,
} from './graph.ts';
import {
  hasMoreHolders,
  isHub,
  mergeNeighbours,
  type NeighbourRow,
  poolsOf,
} from './mergeNeighbours.ts';
import {
  HUB_EDGES_READ_MAX,
  type NodeRecord,
  type NodeVerdict,
  nodeRecords,
  nodeVerdicts,
  readNeighbours,
  readSomeNeighbours,
} from './queries.ts';

/**
 * Addresses with too many counterparties: `complete` can still be read completely, `giant` only in part. An address
 * found to be a hub is treated as one from then on.
 */
type HubMemory = Pick<LRUCache<Hex, 'complete' | 'giant'>, 'get' | 'has' | 'set'>;

/**
 * Expansion steps of up to eight searches share one query: planning is half of a query's cost. `readNeighbours`
 * bounds the rows of that many addresses together.
 */
const LOOKUPS = { queriesMax: 1, keysMax: 256 };

/**
 * Reads the edges of addresses, one query per step, shared with steps of other searches. ClickHouse refuses the query
 * before reading if a hub would make it long. Then halves of the addresses are read until the hub is found and
 * remembered.
 */
const createSource = (database: Database, chainId: number, hubs: HubMemory): GraphSource => {
  /** Rows of addresses; none for hubs with more rows than one read may touch, which are remembered. */
  const read = async (nodes: readonly Hex[]): Promise<NeighbourRow[]> => {
    if (nodes.length === 0) return [];
    try {
      return await readNeighbours(database, chainId, nodes);
    } catch (error) {
      if (!isTooManyRows(error)) throw error;
      const [node] = nodes;
      if (node !== undefined && nodes.length === 1) {
        const rows = await readSomeNeighbours(database, chainId, node);
        // Few edges made of many movements do not make a hub.
        if (rows.every(({ edges }) => edges.length < HUB_EDGES_READ_MAX)) return rows;
        hubs.set(node, 'giant');
        return [];
      }
      const half = nodes.length >> 1;
      return [...(await read(nodes.slice(0, half))), ...(await read(nodes.slice(half)))];
    }
  };

  const find = joinLists(
    async (nodes: readonly Hex[]) =>
      new Map((await read(nodes)).map((row) => [row.node, row] as const)),
    LOOKUPS,
  );
  const findAll = async (nodes: readonly Hex[]): Promise<NeighbourRow[]> => {
    const found = await find(nodes);
    return nodes.flatMap((node) => found.get(node) ?? []);
  };

  /** A hub is read too, up to the limit. */
  const readAlone = async (node: Hex): Promise<NeighbourRow[]> => {
    const rows = hubs.get(node) === 'giant' ? [] : await findAll([node]);
    return hubs.get(node) === 'giant' ? readSomeNeighbours(database, chainId, node) : rows;
  };

  return {
    neighbours: async (addresses) => {
      const [first] = addresses;
      const isAlone = first !== undefined && addresses.length === 1;
      const rows = isAlone
        ? await readAlone(first)
        : await findAll(addresses.filter((address) => !hubs.has(address)));
      for (const row of rows) {
        if (isHub(row) && !hubs.has(row.node)) hubs.set(row.node, 'complete');
      }
      const busy = addresses.filter((address) => hubs.has(address));
      const listed = rows.filter(({ isListedHub }) => isListedHub).map(({ node }) => node);
      const closed = new Set([...busy, ...listed]);
      const shown = isAlone ? rows : rows.filter(({ node }) => !closed.has(node));
      return {
        edges: mergeNeighbours(shown),
        hubs: closed,
        pools: new Set(rows.flatMap(poolsOf)),
        isCut: busy.length > 0 || shown.some(hasMoreHolders),
      };
    },
  };
};

/** A source that remembers the pools of one search. */
const withPools = (source: GraphSource): GraphSource & { readonly pools: ReadonlySet<Hex> } => {
  const pools = new Set<Hex>();
  return {
    pools,
    neighbours: async (addresses) => {
      const near = await source.neighbours(addresses);
      for (const pool of near.pools) pools.add(pool);
      return near;
    },
  };
};

/** Nodes of several graphs (six large ones) are described by one query. */
const NODE_LOOKUPS = { queriesMax: 1, keysMax: 3_000 };
/** Tokens of creators are looked up for several graphs at once. */
const MAKER_LOOKUPS = { queriesMax: 1, keysMax: 64 };
/** Milliseconds that a search for paths may take. */
const PATH_MS_MAX = 2_000;
/** Hubs remembered: recognising one saves a few queries. */
const HUBS_REMEMBERED_MAX = 10_000;

/** Data about the nodes shown. */
interface Known {
  readonly records: ReadonlyMap<Hex, NodeRecord>;
  /**
   * Verdicts are looked up for tokens only: a look-up of an address without a verdict costs as much as one with it, a
   * granule of every part of `token_verdicts`.
   */
  readonly verdicts: ReadonlyMap<Hex, NodeVerdict>;
  /** Risk, 0 to 100, derived from their tokens, for creators that the cluster detector does not keep. */
  readonly makerRisks: ReadonlyMap<Hex, number>;
  /** Pools of the tokens whose edges were read. */
  readonly pools: ReadonlySet<Hex>;
}

/** Data about addresses, read together with others requested at the same time. */
const createLookups = (database: Database, chainId: number) => ({
  records: joinLists((all: readonly Hex[]) => nodeRecords(database, chainId, all), NODE_LOOKUPS),
  verdicts: joinLists((all: readonly Hex[]) => nodeVerdicts(database, chainId, all), NODE_LOOKUPS),
  made: joinLists(
    (makers: readonly Hex[]) => creatorSummaries(database, chainId, makers),
    MAKER_LOOKUPS,
  ),
});
type Lookups = ReturnType<typeof createLookups>;

const readKnown = async (
  lookups: Lookups,
  { addresses, edges, tokens }: Pick<Expansion, 'addresses' | 'edges' | 'tokens'>,
  pools: ReadonlySet<Hex>,
): Promise<Known> => {
  const [records, named] = await Promise.all([
    lookups.records(addresses),
    lookups.verdicts(addresses.filter((address) => tokens.has(address))),
  ]);
  const unnamed = addresses.filter(
    (address) => !tokens.has(address) && records.get(address)?.token,
  );
  const makers = edges.filter(({ type }) => type === 'created').map(({ source }) => source);
  const unkept = [...new Set(makers)].filter((address) => !records.get(address)?.wallet);
  const [others, made] = await Promise.all([lookups.verdicts(unnamed), lookups.made(unkept)]);
  const verdicts = others.size === 0 ? named : new Map([...named, ...others]);
  const makerRisks = new Map<Hex, number>();
  for (const address of unkept) {
    const record = made.get(address);
    if (record) makerRisks.set(address, creatorRisk(record));
  }
  return { records, verdicts, makerRisks, pools };
};

/** An address that an edge calls a token is one. */
const describeNode = (
  address: Hex,
  { records, verdicts, makerRisks, pools }: Known,
  tokens: ReadonlySet<Hex>,
): NodeFacts => {
  const { token, wallet } = records.get(address) ?? {};
  if (token || tokens.has(address)) {
    const label = token?.symbol || shortAddress(address);
    return { address, kind: 'token', label, verdict: verdicts.get(address) };
  }
  const plainLabel = pools.has(address) ? `Pool ${shortAddress(address)}` : shortAddress(address);
  return {
    address,
    kind: 'wallet',
    label: wallet?.label || plainLabel,
    riskScore: wallet?.riskScore ?? makerRisks.get(address),
    clusterId: wallet?.clusterId,
  };
};

/** Whether an edge names a creator that later proved to be wrong. */
const isDisowned = ({ type, source, target }: GraphEdge, { records }: Known): boolean => {
  const creator = records.get(target)?.token?.creator;
  return type === 'created' && creator !== undefined && creator !== source;
};

/** Removes edges that are no longer valid, and the nodes that only they reached. */
const withoutDisowned = (
  { addresses, edges }: Pick<Expansion, 'addresses' | 'edges'>,
  center: Hex,
  known: Known,
): Pick<Expansion, 'addresses' | 'edges'> => {
  const kept = edges.filter((edge) => !isDisowned(edge, known));
  if (kept.length === edges.length) return { addresses, edges };
  const linked = new Set([center, ...kept.flatMap(({ source, target }) => [source, target])]);
  return { addresses: addresses.filter((address) => linked.has(address)), edges: kept };
};

/** The graph of one chain in ClickHouse. Requests for the same address share the result. */
export const createGraphs = (args: {
  database: Database;
  chainId: number;
  wallets: Pick<Wallets, 'find'>;
  now: () => number;
  share?: Share;
}): Graphs => {
  const { database, chainId, wallets, now, share = unshared } = args;
  const hubs = new LRUCache<Hex, 'complete' | 'giant'>({ max: HUBS_REMEMBERED_MAX });
  const source = createSource(database, chainId, hubs);
  const lookups = createLookups(database, chainId);

  const kindOf = async (
    center: Hex,
    edges: readonly GraphEdge[],
    { records, pools }: Known,
  ): Promise<NodeKind | undefined> => {
    const { token, wallet } = records.get(center) ?? {};
    if (token) return 'token';
    const isActor = edges.some(
      ({ source, target, tokens }) =>
        (source === center || target === center) && !tokens.includes(center),
    );
    if (wallet || pools.has(center) || isActor) return 'wallet';
    return (await wallets.find(center)) ? 'wallet' : undefined;
  };

  const around = async (center: Hex, options: AroundOptions): Promise<Graph | undefined> => {
    const read = withPools(source);
    const found = await expandGraph(read, center, options);
    const known = await readKnown(lookups, found, read.pools);
    const kind = await kindOf(center, found.edges, known);
    if (!kind || (options.only && kind !== options.only)) return undefined;
    const { addresses, edges } = withoutDisowned(found, center, known);
    const nodes = addresses.map((address) => describeNode(address, known, found.tokens));
    return { center, kind, nodes, edges, isTruncated: found.isTruncated };
  };

  return {
    around: (center, options) =>
      share(`graph ${JSON.stringify([center, options])}`, () => around(center, options)),
    paths: async (from, to, options) => {
      const endsAtMs = now() + PATH_MS_MAX;
      const isOver = (): boolean => options.signal.aborted || now() > endsAtMs;
      const search = { ...options, isOver };
      const read = withPools(source);
      const found = await findPaths(read, from, to, search);
      const edges = found.paths.flatMap((path) => path.edges);
      const shown = [...new Set([from, to, ...found.paths.flatMap((path) => path.nodes)])];
      const named = new Set(edges.flatMap((edge) => edge.tokens));
      const parts = { addresses: shown, edges, tokens: named };
      const known = await readKnown(lookups, parts, read.pools);
      const nodes = shown.map((address) => describeNode(address, known, named));
      const paths = found.paths.filter(
        (path) => !path.edges.some((edge) => isDisowned(edge, known)),
      );
      return { ...found, paths, nodes };
    },
  };
};
