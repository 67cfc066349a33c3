import type { LRUCache } from 'lru-cache';
import { isTooManyRows } from '../../shared/adapters/clickhouseErrors.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { readNeighbours, readSomeNeighbours } from '../queries/graphNeighbours.ts';
import type { Database } from '../queries/verdict.ts';
import type { EdgeFilter, GraphSource, Neighbourhood } from './graph.ts';
import { HOLDERS_MAX, mergeNeighbours, type NeighbourRow } from './mergeNeighbours.ts';

/** Addresses with too many edges to be read. Who has once been one is taken for one from then on. */
export type HubMemory = Pick<LRUCache<Hex, true>, 'has' | 'set'>;

/** What was read of some addresses. */
interface Reading {
  readonly rows: readonly NeighbourRow[];
  /** Those of which nothing was read, because there is too much. */
  readonly tooMany: readonly Hex[];
}

const NOTHING: Reading = { rows: [], tooMany: [] };

/**
 * Reads the edges of addresses, one query a step. The query is refused before it reads anything where a hub
 * would make it long: then halves of the addresses are asked for, until the hub is found and remembered.
 */
export const createSource = (
  database: Database,
  chainId: number,
  options: { edgesMax: number; aloneEdgesMax: number; hubs: HubMemory },
): GraphSource => {
  const { edgesMax, aloneEdgesMax, hubs } = options;

  const read = async (
    nodes: readonly Hex[],
    filter: EdgeFilter,
    isAlone: boolean,
  ): Promise<Reading> => {
    if (nodes.length === 0) return NOTHING;
    try {
      const limits = { edgesMax: isAlone ? aloneEdgesMax : edgesMax, areHubsRead: isAlone };
      return {
        rows: await readNeighbours(database, { chainId, nodes, filter }, limits),
        tooMany: [],
      };
    } catch (error) {
      if (!isTooManyRows(error)) throw error;
      if (nodes.length > 1) {
        const half = nodes.length >> 1;
        const some = await read(nodes.slice(0, half), filter, isAlone);
        const others = await read(nodes.slice(half), filter, isAlone);
        return {
          rows: [...some.rows, ...others.rows],
          tooMany: [...some.tooMany, ...others.tooMany],
        };
      }
      for (const node of nodes) hubs.set(node, true);
      return { rows: [], tooMany: nodes };
    }
  };

  const readAlone = async (node: Hex, filter: EdgeFilter): Promise<Reading> => {
    const reading = hubs.has(node)
      ? { rows: [], tooMany: [node] }
      : await read([node], filter, true);
    if (reading.tooMany.length === 0) return reading;
    const rows = await readSomeNeighbours(database, { chainId, nodes: [node], filter });
    return { rows, tooMany: [node] };
  };

  const readTogether = async (nodes: readonly Hex[], filter: EdgeFilter): Promise<Reading> => {
    const known = nodes.filter((node) => hubs.has(node));
    const open = nodes.filter((node) => !hubs.has(node));
    const { rows, tooMany } = await read(open, filter, false);
    return { rows, tooMany: [...known, ...tooMany] };
  };

  return {
    neighbours: async (addresses, filter): Promise<Neighbourhood> => {
      const [first] = addresses;
      const { rows, tooMany } =
        addresses.length === 1 && first
          ? await readAlone(first, filter)
          : await readTogether(addresses, filter);
      const listed = rows.filter(({ isHub }) => isHub).map(({ node }) => node);
      return {
        edges: mergeNeighbours(rows, filter),
        hubs: new Set([...listed, ...tooMany]),
        isCut: tooMany.length > 0 || rows.some(isRowCut),
      };
    },
  };
};

const isRowCut = ({ isCut, holders }: NeighbourRow): boolean =>
  isCut || holders.length > HOLDERS_MAX;
