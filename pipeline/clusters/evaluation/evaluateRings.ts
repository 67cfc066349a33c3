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

/** From here up a sum is in wei: no whole native units come in such numbers. */
const WEI_MIN = 1e12;
/** Below this a sum of a file that mixes units is in whole ones: as wei it would be nothing. */
const WHOLE_MAX = 1e6;
/** Share of the sums that must be wei before any is taken for it. */
const WEI_SHARE_MIN = 0.01;
const WEI_PER_UNIT = 1e18;

/**
 * How to turn the sums of a file into whole native units. A file without wei stays as it is, for only the proportions
 * matter; one with wei is wei throughout unless some small sum has a fraction, and then small ones are whole units.
 */
export const wholeUnitsOf = (values: readonly number[]): ((value: number) => number) => {
  const known = values.filter((value) => value > 0);
  const inWei = known.filter((value) => value >= WEI_MIN).length;
  if (inWei === 0 || inWei < WEI_SHARE_MIN * known.length) return (value) => value;
  const isMixed = known.some((value) => value < WHOLE_MAX && !Number.isInteger(value));
  return (value) => (isMixed && value < WHOLE_MAX ? value : value / WEI_PER_UNIT);
};

/** Rings in recorded rows, and what was assumed to find them. */
interface Evaluation {
  readonly rings: readonly Ring[];
  readonly hubs: readonly Hex[];
  readonly pools: number;
  readonly dustValue: number;
  readonly dust: number;
  /** Whether there are scammers enough to measure how they deal. */
  readonly areDealingsMeasured: boolean;
}

/** Rows in one unit, and with one word for all money without a purpose. */
const evenOut = (rows: readonly EdgeRow[]): EdgeRow[] => {
  const taken = plainKind(new Set(rows.map(({ kind }) => kind)));
  const whole = wholeUnitsOf(rows.flatMap(({ kind, value }) => (isMoneyKind(kind) ? [value] : [])));
  return rows.map((row) => ({ ...row, kind: taken(row.kind), value: whole(row.value) }));
};

/** Scammers from whom it can be measured how they deal. */
const SCAMMERS_MIN = 10;

/** Runs the detector of the service over recorded rows. */
export const evaluateRings = (
  rows: readonly EdgeRow[],
  deployments: readonly DeploymentRow[],
): Evaluation => {
  const edges = evenOut(rows);
  const pools = findPools(edges, deployments);
  const dustValue = dustOf(edges);
  // Where nothing at all is said of scams every token may be one.
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
