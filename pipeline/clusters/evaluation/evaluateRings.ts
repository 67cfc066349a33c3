import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { createRingDetector } from '../graph/createRingDetector.ts';
import type { Ring } from '../graph/ring.ts';
import {
  arrangeFacts,
  type DeploymentRow,
  dustOf,
  type EdgeRow,
  findPools,
  isMoneyKind,
  plainKind,
} from './arrangeFacts.ts';
import { weighByDealings } from './weighByDealings.ts';

/** From this value on an amount is in wei: whole native units never reach it. */
const WEI_MIN = 1e12;
/** Below this value an amount in a file with mixed units is in whole units: as wei it would be negligible. */
const WHOLE_MAX = 1e6;
/** Share of the amounts that must clearly be wei before any is treated as wei. */
const WEI_SHARE_MIN = 0.01;
const WEI_PER_UNIT = 1e18;

/**
 * How to convert the amounts of a file into whole native units. A file without wei stays unchanged, because only
 * proportions matter. In a file with wei, all amounts are wei unless some small amount has a fraction; then small
 * ones are whole units.
 */
export const wholeUnitsOf = (values: readonly number[]): ((value: number) => number) => {
  const known = values.filter((value) => value > 0);
  const inWei = known.filter((value) => value >= WEI_MIN).length;
  if (inWei === 0 || inWei < WEI_SHARE_MIN * known.length) return (value) => value;
  const isMixed = known.some((value) => value < WHOLE_MAX && !Number.isInteger(value));
  return (value) => (isMixed && value < WHOLE_MAX ? value : value / WEI_PER_UNIT);
};

/** Rings in recorded rows, and the assumptions made to find them. */
interface Evaluation {
  readonly rings: readonly Ring[];
  readonly hubs: readonly Hex[];
  readonly pools: number;
  readonly dustValue: number;
  readonly dust: number;
  /** Whether there are enough scammers to measure their transaction patterns. */
  readonly areDealingsMeasured: boolean;
}

/** Rows in one unit, and with one word for all money without a stated purpose. */
const evenOut = (rows: readonly EdgeRow[]): EdgeRow[] => {
  const taken = plainKind(new Set(rows.map(({ kind }) => kind)));
  const whole = wholeUnitsOf(rows.flatMap(({ kind, value }) => (isMoneyKind(kind) ? [value] : [])));
  return rows.map((row) => ({ ...row, kind: taken(row.kind), value: whole(row.value) }));
};

/** Scammers whose transaction patterns can be measured. */
const SCAMMERS_MIN = 10;

/** Runs the detector of the service over recorded rows. */
export const evaluateRings = (
  rows: readonly EdgeRow[],
  deployments: readonly DeploymentRow[],
): Evaluation => {
  const edges = evenOut(rows);
  const pools = findPools(edges, deployments);
  const dustValue = dustOf(edges);
  // If nothing is known about scams, every token may be one.
  const isSaid = deployments.some(({ isScam }) => isScam !== undefined);
  const scams = deployments.filter(({ isScam }) => !isSaid || isScam);
  const scammers = new Set(scams.map(({ creator }) => creator));
  const areDealingsMeasured = scammers.size >= SCAMMERS_MIN;
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const options = {
    hubs: [...pools, ZERO_ADDRESS],
    dustValue,
    edgesMax: edges.length * 2 + 1,
    walletsMax: ends.size + deployments.length * 2 + 2,
  };
  const detector = createRingDetector(options, areDealingsMeasured ? weighByDealings : undefined);
  for (const facts of arrangeFacts(edges, deployments, pools)) detector.load(facts);
  for (const { token } of scams) detector.loadVerdict(token, true);
  detector.findRings();
  const hubs = [...ends].filter((wallet) => !pools.has(wallet) && detector.isHub(wallet));
  const { dust } = detector.stats().skipped;
  const rings = [...detector.rings()];
  return { rings, hubs, pools: pools.size, dustValue, dust, areDealingsMeasured };
};
