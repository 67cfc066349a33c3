import { creationsIn } from '../../../pipeline/clusters/facts/creations.ts';
import type { BlockGraph } from '../../../pipeline/clusters/facts/graphFact.ts';
import type { Ring } from '../../../pipeline/clusters/graph/ring.ts';
import { RingMemory } from '../../../pipeline/clusters/memory/ringMemory.ts';
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
  const created = creationsIn(await index.creations(tokens), blocks);
  const detector = createSimulatedDetector();
  const memory = new RingMemory(detector, BASES);
  const graphs = blocks.map((block) => memory.graphOf(block, created));
  for (const graph of graphs) memory.load(graph);
  for (const token of await index.scams()) detector.loadVerdict(token, true);
  detector.findRings();
  return { graphs, rings: [...detector.rings()] };
};
