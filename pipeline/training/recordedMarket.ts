import { join } from 'node:path';
import { creatorRecord, type PoolLife, poolLife } from '../scorer/features/creatorRecord.ts';
import type { LpTransfer, PoolSeries } from '../scorer/features/poolSync.ts';
import { readColumns } from './readCsv.ts';
import { blockTimeS, readSyncs, type SyncTable } from './syncTable.ts';

/** One recorded pool with all inputs of its features. */
export type RecordedPool = {
  /** As spelled in the pool list. */
  pool: string;
  token: string;
  creator: string;
  cohort: string;
  firstSyncS: number;
  /** Time from which holders cannot sell, Unix seconds; undefined: they can, or it is unknown. */
  unsellableSinceS?: number | undefined;
  series: PoolSeries;
};

/** Files of a recording; each may be plain or gzip. */
export type MarketFiles = {
  syncs: readonly string[];
  pools: readonly string[];
  lps: readonly string[];
  /** Earlier recordings: their pools count in the records of creators and are not returned. */
  history?: { syncs: readonly string[]; pools: readonly string[] } | undefined;
};

/** The Sync files and the pool list of the shared recording, in a folder. */
export const recordingIn = (folder: string) => ({
  syncs: ['sync-2020.csv.gz', 'sync-2021-early.csv.gz'].map((file) => join(folder, file)),
  pools: [join(folder, 'pools.csv.gz')],
});

/** A recording: its pools are built one at a time, on each iteration. */
export type RecordedMarket = Iterable<RecordedPool> & {
  /** Pools with a Sync. */
  size: number;
  /** Pools of the list without a Sync, and pools with Syncs that are not in the list. */
  absent: number;
  unlisted: number;
};

type PoolRow = { pool: string; cohort: string; token: string; creator: string };

/** The pool list, by lower-case address; only the column `pool` is required. */
const readPoolList = async (paths: readonly string[]): Promise<Map<string, PoolRow>> => {
  const pools = new Map<string, PoolRow>();
  for (const path of paths) {
    const optional = ['token', 'creator', 'cohort'];
    for await (const cells of readColumns(path, ['pool'], optional)) {
      const [pool = '', token = '', creator = '', cohort = ''] = cells;
      pools.set(pool.toLowerCase(), {
        pool,
        cohort,
        token: token.toLowerCase(),
        creator: creator.toLowerCase(),
      });
    }
  }
  return pools;
};

const group = <T>(groups: Map<string, T[]>, key: string, value: T): void => {
  const known = groups.get(key);
  if (known) known.push(value);
  else groups.set(key, [value]);
};

type Placed = { blockNumber: number; logIndex: number };
const LP_COLUMNS = ['pool', 'block', 'log_index', 'from', 'to', 'value_raw'];

const readLps = async (paths: readonly string[]): Promise<Map<string, (LpTransfer & Placed)[]>> => {
  const pools = new Map<string, (LpTransfer & Placed)[]>();
  for (const path of paths) {
    for await (const row of readColumns(path, LP_COLUMNS)) {
      const [pool = '', block, log, from = '', to = '', value] = row;
      const blockNumber = Number(block);
      const timestampS = blockTimeS(blockNumber);
      const at = { timestampS, blockNumber, logIndex: Number(log) };
      const [sender, receiver] = [from.toLowerCase(), to.toLowerCase()];
      group(pools, pool.toLowerCase(), { ...at, from: sender, to: receiver, value: Number(value) });
    }
  }
  for (const transfers of pools.values()) {
    transfers.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  }
  return pools;
};

const addLives = (
  made: Map<string, PoolLife[]>,
  table: SyncTable,
  list: ReadonlyMap<string, PoolRow>,
  besides: ReadonlySet<string>,
): void => {
  for (const pool of table.pools) {
    const creator = list.get(pool)?.creator;
    if (!creator || besides.has(pool)) continue;
    const life = poolLife(table.syncs(pool));
    if (life) group(made, creator, life);
  }
};

/**
 * Reads a recording: every pool with a Sync, in the order of the Sync files. Liquidity transfers are unknown for
 * pools without any in the files, and the record of an unnamed creator is unknown. `note` receives progress messages.
 */
export const readMarket = async (
  files: MarketFiles,
  note: (text: string) => void = () => undefined,
): Promise<RecordedMarket> => {
  const list = await readPoolList(files.pools);
  const table = await readSyncs(files.syncs, note);
  const lpByPool = await readLps(files.lps);
  const made = new Map<string, PoolLife[]>();
  if (files.history) {
    const past = await readSyncs(files.history.syncs, (text) => note(`history: ${text}`));
    addLives(made, past, await readPoolList(files.history.pools), new Set(table.pools));
  }
  addLives(made, table, list, new Set());
  const recordedPool = (pool: string): RecordedPool => {
    const row = list.get(pool) ?? { pool, cohort: '', token: '', creator: '' };
    const syncs = table.syncs(pool);
    const firstSyncS = syncs[0]?.timestampS ?? Number.NaN;
    const creator = row.creator || undefined;
    const transfers = lpByPool.get(pool);
    const record = creator ? creatorRecord(made.get(creator) ?? [], firstSyncS) : undefined;
    const lp = transfers && { pool, creator, transfers };
    return { ...row, firstSyncS, series: { syncs, lp, creator: record } };
  };
  const withSyncs = new Set(table.pools);
  return {
    size: withSyncs.size,
    absent: [...list.keys()].filter((pool) => !withSyncs.has(pool)).length,
    unlisted: table.pools.filter((pool) => !list.has(pool)).length,
    *[Symbol.iterator]() {
      for (const pool of table.pools) yield recordedPool(pool);
    },
  };
};
