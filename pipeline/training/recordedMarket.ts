import { creatorRecord, type PoolLife, poolLife } from '../scorer/features/creatorRecord.ts';
import {
  type LpTransfer,
  type PoolSeries,
  type PoolSync,
  wholeUnits,
} from '../scorer/features/poolSync.ts';
import { blockTimeS } from './blockTime.ts';
import { readColumns } from './readCsv.ts';

const WETH_DECIMALS = 18;

/** One recorded pool with everything its features need. */
export type RecordedPool = {
  pool: string;
  token: string;
  creator: string;
  cohort: string;
  bornS: number;
  series: PoolSeries;
};

/** Files of a recording; each may be plain or gzip. */
export type MarketFiles = {
  syncs: readonly string[];
  pools: readonly string[];
  lps: readonly string[];
  /** Earlier recordings: their pools count in the records of creators and are not given back. */
  history?: { syncs: readonly string[]; pools: readonly string[] } | undefined;
};

type PoolRow = { cohort: string; token: string; creator: string };

const readPoolList = async (paths: readonly string[]): Promise<Map<string, PoolRow>> => {
  const pools = new Map<string, PoolRow>();
  const columns = ['pool', 'token', 'creator', 'cohort'];
  for (const path of paths) {
    for await (const row of readColumns(path, columns)) {
      const [pool = '', token = '', creator = '', cohort = ''] = row;
      pools.set(pool, { token, creator, cohort });
    }
  }
  return pools;
};

type Placed = { blockNumber: number; logIndex: number };

const inChainOrder = <T extends Placed>(rows: T[]): T[] =>
  rows.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);

const group = <T>(groups: Map<string, T[]>, key: string, value: T): void => {
  const known = groups.get(key);
  if (known) known.push(value);
  else groups.set(key, [value]);
};

const SYNC_COLUMNS = ['pool', 'block', 'log_index', 'reserve_weth_wei', 'reserve_token_raw'];
const LP_COLUMNS = ['pool', 'block', 'log_index', 'from', 'to', 'value_raw'];

const readSyncs = async (paths: readonly string[]): Promise<Map<string, (PoolSync & Placed)[]>> => {
  const pools = new Map<string, (PoolSync & Placed)[]>();
  for (const path of paths) {
    for await (const [pool = '', block, log, weth = '', token] of readColumns(path, SYNC_COLUMNS)) {
      const blockNumber = Number(block);
      group(pools, pool, {
        timestampS: blockTimeS(blockNumber),
        blockNumber,
        logIndex: Number(log),
        reserveBase: wholeUnits(weth, WETH_DECIMALS),
        reserveToken: Number(token),
      });
    }
  }
  for (const syncs of pools.values()) inChainOrder(syncs);
  return pools;
};

const readLps = async (paths: readonly string[]): Promise<Map<string, (LpTransfer & Placed)[]>> => {
  const pools = new Map<string, (LpTransfer & Placed)[]>();
  for (const path of paths) {
    for await (const row of readColumns(path, LP_COLUMNS)) {
      const [pool = '', block, log, from = '', to = '', value] = row;
      const blockNumber = Number(block);
      const timestampS = blockTimeS(blockNumber);
      const at = { timestampS, blockNumber, logIndex: Number(log) };
      group(pools, pool, { ...at, from, to, value: Number(value) });
    }
  }
  for (const transfers of pools.values()) inChainOrder(transfers);
  return pools;
};

const addLives = (
  made: Map<string, PoolLife[]>,
  syncsByPool: ReadonlyMap<string, readonly PoolSync[]>,
  list: ReadonlyMap<string, PoolRow>,
): void => {
  for (const [pool, syncs] of syncsByPool) {
    const creator = list.get(pool)?.creator;
    const life = poolLife(syncs);
    if (creator && life) group(made, creator, life);
  }
};

/**
 * Reads a recording: every pool of the list that has a Sync, in the order of the Sync files. Liquidity
 * transfers are unknown for pools without any in the files, and so is the record of a creator without name.
 */
export const readMarket = async (files: MarketFiles): Promise<RecordedPool[]> => {
  const list = await readPoolList(files.pools);
  const syncsByPool = await readSyncs(files.syncs);
  const lpByPool = await readLps(files.lps);
  const made = new Map<string, PoolLife[]>();
  if (files.history) {
    const past = await readSyncs(files.history.syncs);
    for (const pool of syncsByPool.keys()) past.delete(pool);
    addLives(made, past, await readPoolList(files.history.pools));
  }
  addLives(made, syncsByPool, list);
  return [...syncsByPool].flatMap(([pool, syncs]): RecordedPool[] => {
    const row = list.get(pool);
    const bornS = syncs[0]?.timestampS;
    if (!row || bornS === undefined) return [];
    const creator = row.creator || undefined;
    const transfers = lpByPool.get(pool);
    const record = creator ? creatorRecord(made.get(creator) ?? [], bornS) : undefined;
    const lp = transfers && { pool, creator, transfers };
    return [{ pool, ...row, bornS, series: { syncs, lp, creator: record } }];
  });
};
