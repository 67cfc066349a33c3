import type { Hex } from '../../shared/chain/block.ts';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import {
  arrangeFacts,
  type DeploymentRow,
  dustOf,
  type EdgeRow,
  findPools,
  isMoneyKind,
} from './evaluate/arrangeFacts.ts';
import { strayDealingsOf } from './evaluate/strayDealings.ts';
import { createRingDetector } from './graph/createRingDetector.ts';
import type { Ring } from './graph/ring.ts';

/** Rings in recorded rows, and what was assumed to find them. */
export interface Evaluation {
  readonly rings: readonly Ring[];
  readonly hubs: readonly Hex[];
  readonly pools: number;
  readonly dustValue: number;
  readonly dust: number;
  readonly strayDealings: number;
}

/** Runs the detector of the service over recorded rows. */
export const evaluateRings = (
  edges: readonly EdgeRow[],
  deployments: readonly DeploymentRow[],
): Evaluation => {
  const pools = findPools(edges, deployments);
  const dustValue = dustOf(edges);
  const material = edges.filter(
    (row) => isMoneyKind(row.kind) && (row.value === 0 || row.value >= dustValue),
  );
  const deployers = new Set(deployments.map(({ creator }) => creator));
  const strayDealings = strayDealingsOf(material, deployers);
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const detector = createRingDetector({
    hubs: [...pools, ZERO_ADDRESS],
    dustValue,
    strayDealings,
    edgesMax: edges.length * 2 + 1,
    walletsMax: ends.size + deployments.length * 2 + 2,
  });
  for (const facts of arrangeFacts(edges, deployments, pools)) detector.load(facts);
  for (const { token, isScam } of deployments) detector.loadJudgement(token, isScam);
  detector.settle();
  const hubs = [...ends].filter((wallet) => !pools.has(wallet) && detector.isHub(wallet));
  const { dust } = detector.stats().skipped;
  return { rings: [...detector.rings()], hubs, pools: pools.size, dustValue, dust, strayDealings };
};
