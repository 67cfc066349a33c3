import { type PoolSync, wholeUnits } from '../scorer/features/poolSync.ts';
import { InputError, readColumns } from './readCsv.ts';

/** Known mainnet heights and their timestamps (seconds); the recorded events contain heights only. */
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
/** Maximum rows of all Sync files together: some 100 bytes each. */
const ROWS_MAX = 20_000_000;
const ROWS_PER_NOTE = 500_000;

/** Recorded Syncs. */
export type SyncTable = {
  /** Pools as lower-case addresses, in the order of their first row. */
  pools: readonly string[];
  /** The Syncs of a pool in chain order; none for an unknown pool. */
  syncs: (pool: string) => PoolSync[];
};

interface Row extends Omit<PoolSync, 'timestampS'> {
  readonly logIndex: number;
}

/**
 * Reads Sync files, plain or gzip, rows in any order; a pool may be in several. `note` receives progress messages.
 * @throws InputError for an invalid number, or more than `ROWS_MAX` rows.
 */
export const readSyncs = async (
  paths: readonly string[],
  note: (text: string) => void,
): Promise<SyncTable> => {
  const pools = new Map<string, Row[]>();
  let rows = 0;
  for (const path of paths) {
    for await (const [address = '', block, log, weth = '', token] of readColumns(path, COLUMNS)) {
      if (rows === ROWS_MAX) throw new InputError(`${path}: more than ${ROWS_MAX} rows of Syncs`);
      const numbers = [Number(block), Number(log), wholeUnits(weth, WETH_DECIMALS), Number(token)];
      if (!numbers.every((value) => value >= 0 && Number.isFinite(value))) {
        throw new InputError(`${path}: a Sync of pool ${address} has a number that is none`);
      }
      const pool = address.toLowerCase();
      const own = pools.get(pool) ?? [];
      pools.set(pool, own);
      const [blockNumber = 0, logIndex = 0, reserveBase = 0, reserveToken = 0] = numbers;
      own.push({ blockNumber, logIndex, reserveBase, reserveToken });
      rows += 1;
      if (rows % ROWS_PER_NOTE === 0) note(`${rows} Syncs of ${pools.size} pools read`);
    }
  }
  const syncs = (pool: string): PoolSync[] =>
    (pools.get(pool) ?? [])
      .toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
      .map(({ logIndex: _place, ...sync }) => {
        return { timestampS: blockTimeS(sync.blockNumber), ...sync };
      });
  return { pools: [...pools.keys()], syncs };
};
