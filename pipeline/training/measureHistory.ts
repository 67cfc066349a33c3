import { join } from 'node:path';
import {
  byCreator,
  comparePublished,
  earlierRugRule,
  type PublishedRing,
  type RuleResult,
  type SerialDeployers,
  serialDeployers,
} from './deployerHistory.ts';
import { LAST_BLOCKS } from './exportDataset.ts';
import { readColumns } from './readCsv.ts';
import { type RecordedPool, readMarket } from './recordedMarket.ts';
import { blockTimeS } from './syncTable.ts';

/** Figures of recorded history. */
export interface HistoryFigures {
  readonly serial: SerialDeployers;
  /** The rule "the creator has a known earlier rug", by cohort. */
  readonly rule: Readonly<Record<string, RuleResult>>;
  readonly published: readonly PublishedRing[];
}

const untilS = ({ cohort }: RecordedPool): number => blockTimeS(LAST_BLOCKS[cohort] ?? 0);

/** The first two named columns of a file as pairs, in lower case. */
const readPairs = async (path: string, columns: readonly [string, string]) => {
  const pairs: [string, string][] = [];
  for await (const [a = '', b = ''] of readColumns(path, columns)) {
    pairs.push([a.toLowerCase(), b.toLowerCase()]);
  }
  return pairs;
};

/** Measures what the history of recorded deployers predicts. `data` is the folder of the shared data. */
export const measureHistory = async (data: string): Promise<HistoryFigures> => {
  const folder = join(data, 'univ2-weth-pools');
  const market = await readMarket({
    syncs: ['sync-2020.csv.gz', 'sync-2021-early.csv.gz'].map((file) => join(folder, file)),
    pools: [join(folder, 'pools.csv.gz')],
    lps: [],
  });
  const made = byCreator(market);
  const creators = await readPairs(join(data, 'univ2-pair-creators/pair-creators.csv.gz'), [
    'pair',
    'creator',
  ]);
  const published = await readPairs(
    join(data, 'serial-scammer-clusters/uniswap-cluster-pools.csv.gz'),
    ['pool', 'cluster'],
  );
  const cohorts = Object.keys(LAST_BLOCKS);
  return {
    serial: serialDeployers(made, untilS),
    rule: Object.fromEntries(
      cohorts.map((cohort) => [cohort, earlierRugRule(made, cohort, untilS)]),
    ),
    published: comparePublished(published, new Map(creators)),
  };
};

const sumOf = (rings: readonly PublishedRing[], count: (ring: PublishedRing) => number): number =>
  rings.reduce((sum, ring) => sum + count(ring), 0);

/** Figures of recorded history as lines to read. */
export const describeHistory = ({ serial, rule, published }: HistoryFigures): string[] => {
  const withHistory = published.filter(({ known }) => known > 0);
  return [
    `serial deployers (two rugs or more): ${serial.creators}, with ${serial.pools} pools and ${serial.rugs} of ${serial.allRugs} rugs`,
    ...Object.entries(rule).map(
      ([cohort, r]) =>
        `creator has a known earlier rug, ${cohort}: precision ${r.precision.toFixed(3)} (${r.right} of ${r.right + r.wrong}), recall ${r.recall.toFixed(3)}, base rate ${r.baseRate.toFixed(3)}; ${r.marked} pools marked, ${r.undecided} of them undecided`,
    ),
    `published rings: ${published.length} with ${sumOf(published, (r) => r.pools)} pools; creators known for ${sumOf(withHistory, (r) => r.known)} pools in ${withHistory.length} rings`,
    ...withHistory.map(
      (r) =>
        `${r.ring}: ${r.shared} of ${r.known} pools share a ring here (${((100 * r.shared) / r.known).toFixed(1)} %), ${r.creators} creators`,
    ),
  ];
};
