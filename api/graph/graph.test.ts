import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { createFakeGraphSource } from '../testing/fakeNetwork.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { expandGraph } from './expandGraph.ts';
import { findPaths, pathCost } from './findPaths.ts';
import type { EdgeType, GraphEdge } from './graph.ts';

const edge = (from: number, to: number, weight = 1, type: EdgeType = 'funded'): GraphEdge => ({
  source: addressOf(from),
  target: addressOf(to),
  type,
  weight,
  tokens: [],
});
const numbers = (addresses: readonly Hex[]): number[] =>
  addresses.map((address) => Number.parseInt(address.slice(2, 4), 16));

describe('expandGraph', () => {
  const around = (edges: GraphEdge[], changes: object = {}, hubDegree?: number) =>
    expandGraph(createFakeGraphSource(edges, hubDegree), addressOf(1), {
      depth: 2,
      nodesMax: 500,
      direction: 'both',
      ...changes,
    });

  it('walks as far as the depth', async () => {
    const chain = [edge(1, 2), edge(2, 3), edge(3, 4)];
    assert.deepEqual(numbers((await around(chain, { depth: 1 })).addresses), [1, 2]);
    assert.deepEqual(numbers((await around(chain, { depth: 3 })).addresses), [1, 2, 3, 4]);
  });

  it('keeps the heaviest when there is too much, and says so', async () => {
    const star = [edge(1, 2, 0.1), edge(1, 3, 0.9), edge(4, 1, 0.5)];
    const cut = await around(star, { nodesMax: 3 });
    assert.deepEqual([numbers(cut.addresses), cut.isTruncated], [[1, 3, 4], true]);
    assert.equal((await around(star)).isTruncated, false);
  });

  it('shows hubs as leaves, but walks from one that is the centre', async () => {
    const edges = [edge(1, 2), edge(2, 3), edge(2, 4), edge(2, 5)];
    assert.deepEqual(numbers((await around(edges, {}, 3)).addresses), [1, 2]);
    const hub = await expandGraph(createFakeGraphSource(edges, 3), addressOf(2), {
      depth: 1,
      nodesMax: 10,
      direction: 'both',
    });
    assert.equal(hub.addresses.length, 5);
  });

  it('follows only the direction, types and weights requested', async () => {
    const edges = [edge(1, 2, 0.9), edge(3, 1, 0.9, 'sold'), edge(1, 4, 0.1), edge(1, 1)];
    assert.deepEqual(numbers((await around(edges, { direction: 'out' })).addresses), [1, 2, 4]);
    assert.deepEqual(numbers((await around(edges, { direction: 'in' })).addresses), [1, 3]);
    assert.deepEqual(numbers((await around(edges, { types: ['sold'] })).addresses), [1, 3]);
    assert.deepEqual(numbers((await around(edges, { minWeight: 0.5 })).addresses), [1, 2, 3]);
    assert.equal((await around(edges)).edges.length, 3);
  });
});

describe('findPaths', () => {
  const search = async (edges: GraphEdge[], changes: object = {}, hubDegree?: number) => {
    const found = await findPaths(
      createFakeGraphSource(edges, hubDegree),
      addressOf(1),
      addressOf(9),
      {
        depthMax: 4,
        pathsMax: 3,
        direction: 'any',
        throughHubs: false,
        isOver: () => false,
        ...changes,
      },
    );
    return { ...found, routes: found.paths.map(({ nodes }) => numbers(nodes)) };
  };

  it('finds the shortest paths, the cheapest first', async () => {
    const short = [edge(1, 2, 0.5), edge(2, 9, 0.5), edge(3, 1, 0.9), edge(9, 3, 0.9)];
    const edges = [...short, edge(1, 4), edge(4, 5), edge(5, 9)];
    const { routes, paths } = await search(edges);
    assert.deepEqual(routes, [
      [1, 3, 9],
      [1, 2, 9],
    ]);
    assert.ok(Math.abs(pathCost(paths[0] ?? { nodes: [], edges: [] }) - 0.2) < 1e-9);
    assert.equal((await search(edges, { pathsMax: 1 })).routes.length, 1);
  });

  it('finds long paths up to the depth and none beyond', async () => {
    const chain = [edge(1, 2), edge(2, 3), edge(3, 4), edge(4, 9)];
    assert.deepEqual((await search(chain)).routes, [[1, 2, 3, 4, 9]]);
    assert.deepEqual((await search(chain, { depthMax: 3 })).routes, []);
    assert.deepEqual((await search([edge(1, 9)], { depthMax: 1 })).routes, [[1, 9]]);
  });

  it('respects the direction and the types', async () => {
    const edges = [edge(1, 2), edge(9, 2)];
    assert.deepEqual((await search(edges)).routes, [[1, 2, 9]]);
    assert.deepEqual((await search(edges, { direction: 'out' })).routes, []);
    assert.deepEqual((await search([edge(1, 2), edge(2, 9)], { direction: 'out' })).routes, [
      [1, 2, 9],
    ]);
    assert.deepEqual((await search(edges, { types: ['sold'] })).routes, []);
  });

  it('goes through a hub only when requested', async () => {
    const hub = [edge(1, 2), edge(2, 9), edge(2, 5), edge(2, 6)];
    const around = [edge(1, 3), edge(3, 4), edge(4, 9)];
    assert.deepEqual((await search(hub, {}, 3)).routes, []);
    assert.deepEqual((await search(hub, { throughHubs: true }, 3)).routes, [[1, 2, 9]]);
    assert.deepEqual((await search([...hub, ...around], {}, 3)).routes, [[1, 3, 4, 9]]);
  });

  it('stops when its time is over, and says so', async () => {
    const { routes, isTruncated } = await search([edge(1, 2), edge(2, 9)], { isOver: () => true });
    assert.deepEqual([routes, isTruncated], [[], true]);
  });
});
