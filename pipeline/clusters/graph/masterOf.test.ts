import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DirectedGraph } from 'graphology';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressesOf, addressOf } from '../../../shared/testing/evmData.ts';
import { blockOf, created, edge } from '../testing/detectorBlocks.ts';
import { createRingDetector } from './createRingDetector.ts';
import { masterOf } from './masterOf.ts';

/** Who pays whom, as `2>4 2>5`. */
const graphOf = (payments: string): DirectedGraph => {
  const graph = new DirectedGraph();
  for (let wallet = 1; wallet <= 9; wallet += 1) graph.addNode(wallet);
  for (const [, from, to] of payments.matchAll(/(\d)>(\d)/g)) graph.addDirectedEdge(from, to);
  return graph;
};

describe('the master of a ring of wallets 1 to 9', () => {
  const trees = '2>4 2>5 3>6 3>7 3>8';
  for (const [name, funding, proceeds, master] of [
    ['who funds its funders', `${trees} 9>2 9>3`, '', 9],
    ['who collects from every tree, whose funders nobody funds', trees, '4>9 6>9', 9],
    ['also when the proceeds pass through others', trees, '4>1 6>1 1>9', 9],
    ['not who collects from one tree alone', trees, '6>9 7>9', 3],
    ['not a collector whom a member funded', `${trees} 3>9`, '4>9 6>9', 3],
    ['not a collector where one wallet funds all', `${trees} 1>2 1>3`, '4>9 6>9', 1],
    ['the first where nothing is known', '', '', 1],
  ] as const) {
    it(name, () => {
      const flows = { funding: graphOf(funding), proceeds: graphOf(proceeds) };
      assert.equal(masterOf([1, 2, 3, 4, 5, 6, 7, 8, 9], flows), master);
    });
  }
});

describe('a master whose own money is older than the index', () => {
  /** The last in the order of addresses. */
  const MASTER = addressOf(99);
  const pay = (from: Hex, to: Hex, value: number) => edge('native', from, to, { value });

  it('stays one when the proceeds are the first that anybody is seen to pay it', () => {
    const [funders, creators] = [addressesOf(1, 2), addressesOf(3, 4)];
    const detector = createRingDetector({ edgesMax: 50, walletsMax: 50 });
    const blocks = [
      funders.map((funder) => pay(MASTER, funder, 10)),
      [pay(funders[0], creators[0], 8), pay(funders[1], creators[1], 8)],
      creators.map((creator, i) => created(addressOf(500 + i), creator)),
      creators.map((creator) => pay(creator, MASTER, 20)),
    ];
    for (const [i, facts] of blocks.entries()) detector.apply(blockOf(i + 1, facts));
    for (const i of [0, 1]) detector.setVerdict(addressOf(500 + i), true);
    const ring = detector.ringOf(MASTER);
    assert.equal(ring?.members.length, 5);
    assert.deepEqual(
      ring?.members.filter(({ role }) => role === 'master').map(({ wallet }) => wallet),
      [MASTER],
    );
  });
});
