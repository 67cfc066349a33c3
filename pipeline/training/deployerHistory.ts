import { OUTCOME_WINDOW_S, rugOutcome } from '../scorer/outcome/rugLabel.ts';
import type { RecordedPool } from './recordedMarket.ts';

/** Age at which a pool is judged, as of the service's own outcomes. */
const JUDGED_AT_S = 3_600;
/** Rugs from which a creator is a serial deployer. */
const SERIAL_RUGS_MIN = 2;

/** How a rule that marks pools did; `undecided` pools were too small, drained or not recorded for the whole week. */
export interface RuleResult {
  readonly marked: number;
  readonly undecided: number;
  readonly right: number;
  readonly wrong: number;
  readonly precision: number;
  readonly recall: number;
  /** Share of rugs among all decided pools: the precision of a rule that marks every pool. */
  readonly baseRate: number;
}

/** Creators with two rugs or more, and how many pools and rugs of the recording are theirs. */
export interface SerialDeployers {
  readonly creators: number;
  readonly pools: number;
  readonly rugs: number;
  readonly allRugs: number;
}

/** Pools with a known creator, by creator. */
export const byCreator = (pools: Iterable<RecordedPool>): Map<string, RecordedPool[]> => {
  const made = new Map<string, RecordedPool[]>();
  for (const pool of pools) {
    if (pool.creator === '') continue;
    const known = made.get(pool.creator);
    if (known) known.push(pool);
    else made.set(pool.creator, [pool]);
  }
  return made;
};

const isRug = ({ series, firstSyncS }: RecordedPool, recordedUntilS: number): boolean =>
  rugOutcome(series.syncs, firstSyncS, recordedUntilS).kind === 'rug';

/** Whether a pool was known for a rug before `atS`: from the Syncs before it alone, as a bystander saw them then. */
const wasRugBefore = ({ series, firstSyncS }: RecordedPool, atS: number): boolean => {
  if (firstSyncS >= atS) return false;
  const syncs = series.syncs.filter(({ timestampS }) => timestampS < atS);
  return rugOutcome(syncs, firstSyncS, firstSyncS + OUTCOME_WINDOW_S).kind === 'rug';
};

/** Serial deployers of a recording; outcomes are seen from birth. `untilS` says where a pool's recording ends. */
export const serialDeployers = (
  made: ReadonlyMap<string, readonly RecordedPool[]>,
  untilS: (pool: RecordedPool) => number,
): SerialDeployers => {
  const found = { creators: 0, pools: 0, rugs: 0, allRugs: 0 };
  for (const pools of made.values()) {
    const rugs = pools.filter((pool) => isRug(pool, untilS(pool))).length;
    found.allRugs += rugs;
    if (rugs < SERIAL_RUGS_MIN) continue;
    found.creators += 1;
    found.pools += pools.length;
    found.rugs += rugs;
  }
  return found;
};

/** The rule "the creator has a known earlier rug", over the pools of one cohort, known at birth, compared with what came of the pool an hour later. */
export const earlierRugRule = (
  made: ReadonlyMap<string, readonly RecordedPool[]>,
  cohort: string,
  untilS: (pool: RecordedPool) => number,
): RuleResult => {
  let [marked, undecided, right, wrong, rugs, decided] = [0, 0, 0, 0, 0, 0];
  for (const pools of made.values()) {
    for (const pool of pools) {
      if (pool.cohort !== cohort) continue;
      const isMarked = pools.some((earlier) => wasRugBefore(earlier, pool.firstSyncS));
      const outcome = rugOutcome(pool.series.syncs, pool.firstSyncS + JUDGED_AT_S, untilS(pool));
      if (isMarked) marked += 1;
      if (outcome.kind === 'excluded') {
        if (isMarked) undecided += 1;
        continue;
      }
      decided += 1;
      if (outcome.kind === 'rug') rugs += 1;
      if (isMarked && outcome.kind === 'rug') right += 1;
      else if (isMarked) wrong += 1;
    }
  }
  const precision = right / (right + wrong);
  return {
    marked,
    undecided,
    right,
    wrong,
    precision,
    recall: right / rugs,
    baseRate: rugs / decided,
  };
};

/** What is known of one published ring from the creators of its pools. */
export interface PublishedRing {
  readonly ring: string;
  readonly pools: number;
  /** Pools whose creator is known; nothing is known of the others. */
  readonly known: number;
  readonly creators: number;
  /** Pools whose creator made another pool of the ring: these share a ring here. */
  readonly shared: number;
}

/** Compares published rings, as pairs of pool and ring, with the creators of pools. */
export const comparePublished = (
  published: readonly (readonly [pool: string, ring: string])[],
  creatorOf: ReadonlyMap<string, string>,
): PublishedRing[] => {
  const rings = new Map<string, { pools: number; byCreator: Map<string, number> }>();
  for (const [pool, name] of published) {
    const ring = rings.get(name) ?? { pools: 0, byCreator: new Map<string, number>() };
    rings.set(name, ring);
    ring.pools += 1;
    const creator = creatorOf.get(pool);
    if (creator) ring.byCreator.set(creator, (ring.byCreator.get(creator) ?? 0) + 1);
  }
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  return [...rings].map(([ring, { pools, byCreator: made }]) => {
    const counts = [...made.values()];
    const shared = sum(counts.filter((count) => count > 1));
    return { ring, pools, known: sum(counts), creators: made.size, shared };
  });
};
