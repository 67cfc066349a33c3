import type { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';
import { isTooManyRows } from '../../shared/platform/clickhouseErrors.ts';
import type { Database } from '../server/database.ts';
import { joinLookups } from '../server/joinLookups.ts';
import type { GraphSource } from './graph.ts';
import { hasMoreHolders, isHub, mergeNeighbours, type NeighbourRow } from './mergeNeighbours.ts';
import { HUB_EDGES_READ_MAX, readNeighbours, readSomeNeighbours } from './queries.ts';

/**
 * Addresses with too many counterparties: `whole` can still be read whole, `giant` only in part. Who has once been
 * one is taken for one from then on.
 */
type HubMemory = Pick<LRUCache<Hex, 'whole' | 'giant'>, 'get' | 'has' | 'set'>;

/** As many queries at once as pay on a few cores. `readNeighbours` bounds the rows of so many addresses together. */
const LOOKUPS = { queriesMax: 2, keysMax: 64 };

/**
 * Reads the edges of addresses, one query a step, which steps of other searches join. The query is refused before it
 * reads anything where a hub would make it long: then halves of the addresses are read, until the hub is found
 * and remembered.
 */
export const createSource = (database: Database, chainId: number, hubs: HubMemory): GraphSource => {
  /** Rows of addresses; none of hubs with more than one read may touch, which are remembered. */
  const read = async (nodes: readonly Hex[]): Promise<NeighbourRow[]> => {
    if (nodes.length === 0) return [];
    try {
      return await readNeighbours(database, chainId, nodes);
    } catch (error) {
      if (!isTooManyRows(error)) throw error;
      const [node] = nodes;
      if (node !== undefined && nodes.length === 1) {
        const rows = await readSomeNeighbours(database, chainId, node);
        // Few edges of many movements are no hub.
        if (rows.every(({ edges }) => edges.length < HUB_EDGES_READ_MAX)) return rows;
        hubs.set(node, 'giant');
        return [];
      }
      const half = nodes.length >> 1;
      return [...(await read(nodes.slice(0, half))), ...(await read(nodes.slice(half)))];
    }
  };

  const find = joinLookups(
    async (nodes: readonly Hex[]) =>
      new Map((await read(nodes)).map((row) => [row.node, row] as const)),
    LOOKUPS,
  );
  const findAll = async (nodes: readonly Hex[]): Promise<NeighbourRow[]> =>
    (await Promise.all(nodes.map(find))).flatMap((row) => row ?? []);

  /** A hub is read too, as far as the limit. */
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
        if (isHub(row) && !hubs.has(row.node)) hubs.set(row.node, 'whole');
      }
      const busy = addresses.filter((address) => hubs.has(address));
      const listed = rows.filter(({ isListedHub }) => isListedHub).map(({ node }) => node);
      const closed = new Set([...busy, ...listed]);
      const shown = isAlone ? rows : rows.filter(({ node }) => !closed.has(node));
      return {
        edges: mergeNeighbours(shown),
        hubs: closed,
        isCut: busy.length > 0 || shown.some(hasMoreHolders),
      };
    },
  };
};
