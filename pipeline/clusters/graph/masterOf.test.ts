import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DirectedGraph } from 'graphology';
import type { Hex } from '../../../shared/chain/block.ts';
import { blockOf, created, edge } from '../testing/detectorBlocks.ts';
import { createRingDetector } from './createRingDetector.ts';
import { masterOf } from './masterOf.ts';

type Pairs = readonly (readonly [number, number])[];

const graphOf = (pairs: Pairs): DirectedGraph => {
  const graph = new DirectedGraph();
  for (let wallet = 1; wallet <= 9; wallet += 1) graph.addNode(wallet);
  for (const [from, to] of pairs) graph.addDirectedEdge(from, to);
  return graph;
};

describe('the master of a ring of wallets 1 to 9', () => {
  const trees: Pairs = [
    [2, 4],
    [2, 5],
    [3, 6],
    [3, 7],
    [3, 8],
  ];
  const cases: readonly { name: string; funding: Pairs; proceeds: Pairs; master: number }[] = [
    { name: 'who funds its funders', funding: [...trees, [9, 2], [9, 3]], proceeds: [], master: 9 },
    {
      name: 'who collects from every tree where nothing says who funds the funders',
      funding: trees,
      proceeds: [
        [4, 9],
        [6, 9],
      ],
      master: 9,
    },
    {
      name: 'also when the proceeds pass through others',
      funding: trees,
      proceeds: [
        [4, 1],
        [6, 1],
        [1, 9],
      ],
      master: 9,
    },
    {
      name: 'not who collects from one tree alone',
      funding: trees,
      proceeds: [
        [6, 9],
        [7, 9],
      ],
      master: 3,
    },
    {
      name: 'not a collector whom a member funded',
      funding: [...trees, [3, 9]],
      proceeds: [
        [4, 9],
        [6, 9],
      ],
      master: 3,
    },
    {
      name: 'not a collector where one wallet funds all',
      funding: [...trees, [1, 2], [1, 3]],
      proceeds: [
        [4, 9],
        [6, 9],
      ],
      master: 1,
    },
    { name: 'the first where nothing is known', funding: [], proceeds: [], master: 1 },
  ];
  for (const { name, funding, proceeds, master } of cases) {
    it(name, () => {
      const flows = { funding: graphOf(funding), proceeds: graphOf(proceeds) };
      assert.equal(masterOf([1, 2, 3, 4, 5, 6, 7, 8, 9], flows), master);
    });
  }
});

describe('a master whose own money is older than the index', () => {
  const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
  /** The last in the order of addresses. */
  const MASTER = address(99);
  const pay = (from: Hex, to: Hex, value: number) => edge('native', from, to, { value });

  it('stays one when the proceeds are the first that anybody is seen to pay it', () => {
    const [funders, creators] = [
      [address(1), address(2)],
      [address(3), address(4)],
    ];
    const detector = createRingDetector({ edgesMax: 50, walletsMax: 50 });
    const pairs = funders.map((funder, i) => [funder, creators[i] as Hex] as const);
    detector.apply(
      blockOf(
        1,
        funders.map((funder) => pay(MASTER, funder, 10)),
      ),
    );
    detector.apply(
      blockOf(
        2,
        pairs.map(([funder, creator]) => pay(funder, creator, 8)),
      ),
    );
    detector.apply(
      blockOf(
        3,
        creators.map((creator, i) => created(address(500 + i), creator)),
      ),
    );
    detector.apply(
      blockOf(
        4,
        creators.map((creator) => pay(creator, MASTER, 20)),
      ),
    );
    for (const i of [0, 1]) detector.setVerdict(address(500 + i), true);
    const ring = detector.ringOf(MASTER);
    assert.equal(ring?.members.length, 5);
    assert.deepEqual(
      ring?.members.filter(({ role }) => role === 'master').map(({ wallet }) => wallet),
      [MASTER],
    );
  });
});
