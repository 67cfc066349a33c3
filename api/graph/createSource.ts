import type { LRUCache } from 'lru-cache';
import { isTooManyRows } from '../../shared/adapters/clickhouseErrors.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { readNeighbours, readSomeNeighbours } from '../queries/graphNeighbours.ts';
import type { Database } from '../queries/verdict.ts';
import type { GraphSource } from './graph.ts';
import {
  hasMoreHolders,
  isCrowded,
  mergeNeighbours,
  type NeighbourRow,
} from './mergeNeighbours.ts';

/** Addresses with too many counterparties. Who has once been one is taken for one from then on. */
type HubMemory = Pick<LRUCache<Hex, true>, 'has' | 'set'>;

/**
 * Reads the edges of addresses, one query a step. The query is refused before it reads anything where a hub
 * would make it long: then halves of the addresses are asked for, until the hub is found and remembered.
 */
export const createSource = (database: Database, chainId: number, hubs: HubMemory): GraphSource => {
  /** Rows of addresses; none of hubs with more than one read may touch, which are remembered. */
  const read = async (nodes: readonly Hex[]): Promise<NeighbourRow[]> => {
    if (nodes.length === 0) return [];
    try {
      return await readNeighbours(database, chainId, nodes);
    } catch (error) {
      if (!isTooManyRows(error)) throw error;
      if (nodes.length === 1) {
        for (const node of nodes) hubs.set(node, true);
        return [];
      }
      const half = nodes.length >> 1;
      return [...(await read(nodes.slice(0, half))), ...(await read(nodes.slice(half)))];
    }
  };

  /** A hub is read too, as far as the limit. */
  const readAlone = async (node: Hex): Promise<NeighbourRow[]> => {
    const rows = hubs.has(node) ? [] : await read([node]);
    return hubs.has(node) && rows.length === 0 ? readSomeNeighbours(database, chainId, node) : rows;
  };

  return {
    neighbours: async (addresses) => {
      const [first] = addresses;
      const isAlone = first !== undefined && addresses.length === 1;
      const rows = isAlone
        ? await readAlone(first)
        : await read(addresses.filter((address) => !hubs.has(address)));
      for (const row of rows) if (isCrowded(row)) hubs.set(row.node, true);
      const crowded = addresses.filter((address) => hubs.has(address));
      const listed = rows.filter(({ isListedHub }) => isListedHub).map(({ node }) => node);
      const closed = new Set([...crowded, ...listed]);
      const shown = isAlone ? rows : rows.filter(({ node }) => !closed.has(node));
      return {
        edges: mergeNeighbours(shown),
        hubs: closed,
        isCut: crowded.length > 0 || shown.some(hasMoreHolders),
      };
    },
  };
};
