import { type PoolSync, wholeUnits } from '../scorer/features/poolSync.ts';
import { InputError, readColumns } from './readCsv.ts';

/** Known mainnet heights and their timestamps (seconds); the recorded events carry heights only. */
const KNOWN_HEIGHTS: readonly (readonly [height: number, timestampS: number])[] = [
  [10_000_835, 1_588_610_042],
  [12_965_000, 1_628_166_822],
  [13_472_302, 1_634_940_000],
];

/** The timestamp of a mainnet block in whole seconds, interpolated linearly between known heights. */
export const blockTimeS = (height: number): number => {
  const above = KNOWN_HEIGHTS.findIndex(([known]) => height <= known);
  const upper = KNOWN_HEIGHTS[above === -1 ? KNOWN_HEIGHTS.length - 1 : Math.max(1, above)];
  const lower = KNOWN_HEIGHTS[above === -1 ? KNOWN_HEIGHTS.length - 2 : Math.max(1, above) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no known heights');
  return Math.round(
    lower[1] + ((height - lower[0]) * (upper[1] - lower[1])) / (upper[0] - lower[0]),
  );
};

const WETH_DECIMALS = 18;
const COLUMNS = ['pool', 'block', 'log_index', 'reserve_weth_wei', 'reserve_token_raw'];
/** Rows of all Sync files together: 28 bytes each. */
const ROWS_MAX = 40_000_000;
const ROWS_AT_FIRST = 1 << 16;
const ROWS_PER_NOTE = 500_000;

/** Recorded Syncs in columns: few bytes a row, and objects for one pool at a time. */
export type SyncTable = {
  /** Pools as lower-case addresses, in the order of their first row. */
  pools: readonly string[];
  /** The Syncs of a pool in chain order; none for an unknown one. */
  syncs: (pool: string) => PoolSync[];
};

type Columns = {
  pool: Uint32Array;
  block: Uint32Array;
  log: Uint32Array;
  base: Float64Array;
  token: Float64Array;
};

const columnsOf = (rows: number, old?: Columns): Columns => {
  const columns = {
    pool: new Uint32Array(rows),
    block: new Uint32Array(rows),
    log: new Uint32Array(rows),
    base: new Float64Array(rows),
    token: new Float64Array(rows),
  };
  if (old)
    for (const name of Object.keys(columns) as (keyof Columns)[]) columns[name].set(old[name]);
  return columns;
};

/** Row numbers in the order of pool, block and log, and where the rows of each pool begin. */
const ordered = ({ pool, block, log }: Columns, rows: number, pools: number) => {
  const starts = new Uint32Array(pools + 1);
  for (let row = 0; row < rows; row += 1)
    starts[(pool[row] ?? 0) + 1] = (starts[(pool[row] ?? 0) + 1] ?? 0) + 1;
  for (let i = 0; i < pools; i += 1) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0);
  const order = new Uint32Array(rows);
  const next = starts.slice();
  for (let row = 0; row < rows; row += 1) {
    const id = pool[row] ?? 0;
    order[next[id] ?? 0] = row;
    next[id] = (next[id] ?? 0) + 1;
  }
  const before = (a: number, b: number): number =>
    (block[a] ?? 0) - (block[b] ?? 0) || (log[a] ?? 0) - (log[b] ?? 0);
  for (let i = 0; i < pools; i += 1) order.subarray(starts[i], starts[i + 1]).sort(before);
  return { order, starts };
};

/**
 * Reads Sync files, plain or gzip, rows in any order; a pool may be in several. `note` hears of the progress.
 * @throws InputError for a number that is none, or more than `ROWS_MAX` rows.
 */
export const readSyncs = async (
  paths: readonly string[],
  note: (text: string) => void,
): Promise<SyncTable> => {
  const ids = new Map<string, number>();
  let columns = columnsOf(ROWS_AT_FIRST);
  let rows = 0;
  for (const path of paths) {
    for await (const [address = '', block, log, weth = '', token] of readColumns(path, COLUMNS)) {
      if (rows === ROWS_MAX) throw new InputError(`${path}: more than ${ROWS_MAX} rows of Syncs`);
      if (rows === columns.pool.length) columns = columnsOf(2 * rows, columns);
      const pool = address.toLowerCase();
      const id = ids.get(pool) ?? ids.size;
      ids.set(pool, id);
      const numbers = [Number(block), Number(log), wholeUnits(weth, WETH_DECIMALS), Number(token)];
      if (!numbers.every((value) => value >= 0 && Number.isFinite(value))) {
        throw new InputError(`${path}: a Sync of pool ${address} has a number that is none`);
      }
      columns.pool[rows] = id;
      [columns.block[rows], columns.log[rows], columns.base[rows], columns.token[rows]] =
        numbers as [number, number, number, number];
      rows += 1;
      if (rows % ROWS_PER_NOTE === 0) note(`${rows} Syncs of ${ids.size} pools read`);
    }
  }
  const { order, starts } = ordered(columns, rows, ids.size);
  const syncs = (pool: string): PoolSync[] => {
    const id = ids.get(pool);
    if (id === undefined) return [];
    return Array.from(order.subarray(starts[id], starts[id + 1]), (row) => {
      const blockNumber = columns.block[row] ?? 0;
      const [reserveBase = 0, reserveToken = 0] = [columns.base[row], columns.token[row]];
      return { timestampS: blockTimeS(blockNumber), blockNumber, reserveBase, reserveToken };
    });
  };
  return { pools: [...ids.keys()], syncs };
};
