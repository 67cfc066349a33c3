import { join } from 'node:path';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { OUTCOME_WINDOW_S, rugOutcome } from '../scorer/outcome/rugLabel.ts';
import { LAST_BLOCKS } from './exportDataset.ts';
import { type RecordedPool, readMarket, recordingIn } from './recordedMarket.ts';
import { blockTimeS } from './syncTable.ts';

/** Age at which a pool is judged, as of the service's own outcomes. */
const JUDGED_AT_S = 3_600;
/** Rugs from which a creator is a serial deployer. */
const SERIAL_RUGS_MIN = 2;

/** How a rule that marks pools did; `undecided` pools were too small, drained or not recorded for the whole week. */
interface RuleResult {
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
interface SerialDeployers {
  readonly creators: number;
  readonly pools: number;
  readonly rugs: number;
  readonly allRugs: number;
}

/** Pools with a known creator, by creator. */
const byCreator = (pools: Iterable<RecordedPool>): Map<string, RecordedPool[]> =>
  groupBy(
    [...pools].filter(({ creator }) => creator !== ''),
    ({ creator }) => creator,
  );

const isRug = ({ series, firstSyncS }: RecordedPool, recordedUntilS: number): boolean =>
  rugOutcome(series.syncs, firstSyncS, recordedUntilS).kind === 'rug';

/** Whether a pool was known for a rug before `atS`: from the Syncs before it alone, as a bystander saw them then. */
const wasRugBefore = ({ series, firstSyncS }: RecordedPool, atS: number): boolean => {
  if (firstSyncS >= atS) return false;
  const syncs = series.syncs.filter(({ timestampS }) => timestampS < atS);
  return rugOutcome(syncs, firstSyncS, firstSyncS + OUTCOME_WINDOW_S).kind === 'rug';
};

/** Serial deployers of a recording; outcomes are seen from birth. `untilS` says where a pool's recording ends. */
const serialDeployers = (
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
const earlierRugRule = (
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

/** Figures of recorded history. */
interface HistoryFigures {
  readonly serial: SerialDeployers;
  /** The rule "the creator has a known earlier rug", by cohort. */
  readonly rule: Readonly<Record<string, RuleResult>>;
}

const untilS = ({ cohort }: RecordedPool): number => blockTimeS(LAST_BLOCKS[cohort] ?? 0);

/** Measures what the history of recorded deployers predicts. `data` is the folder of the shared data. */
export const measureHistory = async (data: string): Promise<HistoryFigures> => {
  const folder = join(data, 'univ2-weth-pools');
  const market = await readMarket({ ...recordingIn(folder), lps: [] });
  const made = byCreator(market);
  const cohorts = Object.keys(LAST_BLOCKS);
  return {
    serial: serialDeployers(made, untilS),
    rule: Object.fromEntries(
      cohorts.map((cohort) => [cohort, earlierRugRule(made, cohort, untilS)]),
    ),
  };
};

/** Figures of recorded history as lines to read. */
export const describeHistory = ({ serial, rule }: HistoryFigures): string[] => [
  `serial deployers (two rugs or more): ${serial.creators}, with ${serial.pools} pools and ${serial.rugs} of ${serial.allRugs} rugs`,
  ...Object.entries(rule).map(
    ([cohort, r]) =>
      `creator has a known earlier rug, ${cohort}: precision ${r.precision.toFixed(3)} (${r.right} of ${r.right + r.wrong}), recall ${r.recall.toFixed(3)}, base rate ${r.baseRate.toFixed(3)}; ${r.marked} pools marked, ${r.undecided} of them undecided`,
  ),
];
