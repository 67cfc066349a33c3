import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { type PoolSync, wholeUnits } from '../scorer/features/poolSync.ts';
import { blockTimeS } from './blockTime.ts';

const WETH_DECIMALS = 18;

/** What the pool list knows about a pool. */
export type PoolInfo = { cohort: string; token: string; creator: string };

/** All recorded Syncs of one pool. */
export type RecordedPool = { pool: string; syncs: PoolSync[] };

const lines = (path: string) => {
  const file = createReadStream(path);
  return createInterface({ input: path.endsWith('.gz') ? file.pipe(createGunzip()) : file });
};

/** Rows of a CSV file (optionally gzip) without quoting, as records by the header's names. */
export async function* readCsv(path: string): AsyncGenerator<Record<string, string>> {
  let names: string[] | undefined;
  for await (const line of lines(path)) {
    const cells = line.split(',');
    if (names === undefined) names = cells;
    else yield Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  }
}

/** The pool list by pool address. */
export const readPoolInfo = async (path: string): Promise<Map<string, PoolInfo>> => {
  const pools = new Map<string, PoolInfo>();
  for await (const row of readCsv(path)) {
    const { pool = '', token = '', cohort = '', creator = '' } = row;
    pools.set(pool, { cohort, token, creator });
  }
  return pools;
};

/**
 * Streams recorded Syncs (`pool,block,tx_index,log_index,reserve_weth_wei,reserve_token_raw`) pool by pool.
 * The file must hold each pool's rows together and in chain order; a pool that comes back is an error.
 */
export async function* readPools(path: string): AsyncGenerator<RecordedPool> {
  const done = new Set<string>();
  let current: RecordedPool | undefined;
  for await (const row of readCsv(path)) {
    const {
      pool = '',
      block = '',
      reserve_weth_wei: weth = '',
      reserve_token_raw: token = '',
    } = row;
    if (current?.pool !== pool) {
      if (current !== undefined) {
        done.add(current.pool);
        yield current;
      }
      if (done.has(pool)) throw new Error(`rows of pool ${pool} are not together in ${path}`);
      current = { pool, syncs: [] };
    }
    const blockNumber = Number(block);
    current.syncs.push({
      timestampS: blockTimeS(blockNumber),
      blockNumber,
      reserveBase: wholeUnits(weth, WETH_DECIMALS),
      reserveToken: Number(token),
    });
  }
  if (current !== undefined) yield current;
}
