import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import { creationsIn } from '../../clusters/facts/creations.ts';
import type { BlockGraph } from '../../clusters/facts/graphFact.ts';
import type { Ring } from '../../clusters/graph/ring.ts';
import { RingMemory } from '../../clusters/memory/ringMemory.ts';
import { rangeOfBlocks } from '../../watcher/blockRange.ts';
import type { FakeChain } from '../../watcher/testing/fakeChain.ts';
import { createFakeChainIndex } from './fakeClusterStores.ts';
import { TOKENS } from './programme.ts';
import { BASES, createSimulatedDetector } from './runPipeline.ts';
import type { World } from './world.ts';

/** The canonical chain decoded, without empty blocks. */
export const canonicalBlocks = (chain: FakeChain): BlockFacts[] =>
  rangeOfBlocks(chain.canonical()).blocks.flatMap((block) => {
    const facts = block.facts.filter((fact) => !isOtherMarket(fact));
    return facts.length > 0 ? [{ ...block, facts }] : [];
  });

/** The rings that follow from the canonical chain and the verdicts in force. */
interface ExpectedRings {
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
