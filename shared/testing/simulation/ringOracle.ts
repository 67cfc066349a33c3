import { birthsIn } from '../../../pipeline/clusters/facts/births.ts';
import type { BlockGraph } from '../../../pipeline/clusters/facts/graphFact.ts';
import type { Ring } from '../../../pipeline/clusters/graph/ring.ts';
import { ClusterMemory } from '../../../pipeline/clusters/memory/clusterMemory.ts';
import { TOKENS } from './cast.ts';
import { canonicalBlocks } from './factOracle.ts';
import { createFakeChainIndex } from './fakeClusterStores.ts';
import { BASES, createSimulatedDetector } from './runClusters.ts';
import type { World } from './world.ts';

/** What the canonical chain and the verdicts in force alone give. */
export interface ExpectedRings {
  readonly graphs: readonly BlockGraph[];
  readonly rings: readonly Ring[];
}

/** Reads the whole chain at once with a fresh detector. */
export const expectedRings = async ({ programme, database }: World): Promise<ExpectedRings> => {
  const index = createFakeChainIndex(database, async (effect) => effect());
  const tokens = TOKENS.map(({ address }) => address);
  const blocks = canonicalBlocks(programme.chain);
  const born = birthsIn(await index.births(tokens), blocks);
  const detector = createSimulatedDetector();
  const memory = new ClusterMemory(detector, BASES);
  const graphs = blocks.map((block) => memory.graphOf(block, born));
  for (const graph of graphs) memory.load(graph);
  for (const token of await index.scams()) detector.loadJudgement(token, true);
  detector.settle();
  return { graphs, rings: [...detector.rings()] };
};
