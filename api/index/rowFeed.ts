import pLimit from 'p-limit';
import { z } from 'zod';
import {
  addressOfNumber,
  addressParam,
  asAddress,
  inAddresses,
} from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import {
  type AddressRange,
  type AddressTable,
  HANDED_ROWS,
  keySql,
  OF_CHAIN,
  rangeSql,
  readRanges,
} from './rowRanges.ts';
import { rowSchema, STORED_FIELDS } from './rowSchema.ts';

/** Rows between two log lines of the load. */
const PROGRESS_ROWS = 1_000_000;
/** Changes written at a time: reads are answered in between. */
const CHANGED_ROWS = 100;
/** Changed rows read at a time. */
const READ_ROWS = 500;
/** Addresses whose last rows are asked for at a time: a backfill may have stored hundreds of thousands within the last minute. */
const LOOKED_ROWS = 10_000;
/** Milliseconds before a range that could not be read is read again: the others stay loaded. */
const RETRY_MS = 2_000;
/** Microseconds for which rows are looked for again: they appear some time after the database has numbered them by its clock. */
const AGAIN_US = 2_000_000;
/** The same once in `LONG_LOOK_MS`: an insert that was held up. */
const LONG_AGAIN_US = 60_000_000;
const LONG_LOOK_MS = 10_000;

/** What every row has. */
export interface StoredRow {
  readonly address: Hex;
  readonly seq: number;
}
const storedRow = rowSchema<StoredRow>(STORED_FIELDS);

/** A table whose rows in force are held somewhere. */
export interface FollowedTable<Row extends StoredRow> extends AddressTable {
  /** What is read of its rows, `r`, beside what each is known by. */
  readonly columns: string;
  readonly row: z.ZodType<Row, z.ZodTypeDef, unknown>;
  /** Conditions and order of the rows of an address that changed: the last one is in force. */
  readonly changed: string;
}

/** More that is read of rows that changed, and its parameters. */
interface MoreColumns {
  readonly columns: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What holds rows. */
export interface RowHolder<Row> {
  /** Makes room for so many. */
  reserve(rows: number): Promise<void>;
  /** Takes rows, each once, in the order of addresses. */
  load(rows: readonly Row[]): Promise<void>;
  /** All are loaded. */
  seal(): Promise<void>;
  change(rows: readonly Row[]): Promise<void>;
}

/** Where rows are read from. */
export interface FeedPorts {
  readonly database: Database;
  readonly chainId: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const storedNow = z.object({ nowUs: countSchema, rows: countSchema });
const storedNowSql = ({ name }: AddressTable): string =>
  `SELECT toUnixTimestamp64Micro(now64(6)) AS nowUs, count() AS rows FROM ${name} AS r ${OF_CHAIN}`;

/** The last row of each address, from one on, among those that were stored since, or may have appeared late. */
const lastRowsSql = ({ name, address, seq }: AddressTable): string =>
  `SELECT ${hexText(`r.${address}`)} AS address, max(${seq}) AS seq FROM ${name} AS r ${OF_CHAIN} AND r.${address} >= ${asAddress('from')}
   AND ${seq} > least({after:UInt64}, toUnixTimestamp64Micro(now64(6)) - {again:UInt64})
   GROUP BY r.${address} ORDER BY r.${address} LIMIT ${LOOKED_ROWS} ${POINT_READ}`;

/** Rows of addresses of which the number of any that changed is at least `from`. */
const changedSql = (table: FollowedTable<StoredRow>, more: string): string =>
  `SELECT ${keySql(table)}, ${table.columns}${more} FROM ${table.name} AS r ${OF_CHAIN}
   AND r.${table.address} IN ${inAddresses('addresses')} ${table.changed} ${POINT_READ}`;

/** Reads a range, again until that works. */
const readRange = async <Row extends StoredRow>(
  { database, chainId, clock, logger }: FeedPorts,
  table: FollowedTable<Row>,
  range: AddressRange,
  signal: AbortSignal,
): Promise<Row[]> => {
  const sql = rangeSql(table, table.columns);
  for (;;) {
    try {
      return await database.query(sql, { chainId, ...range }, table.row);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ error: errorMessage(error) }, 'index: a range was not read, tried again');
      await clock.sleep(RETRY_MS, signal);
    }
  }
};

/** The last rows of addresses that were stored since, in parts. */
const readLastRows = async function* (
  { database, chainId }: FeedPorts,
  table: AddressTable,
  place: { readonly after: number; readonly again: number },
): AsyncGenerator<StoredRow[], undefined> {
  const sql = lastRowsSql(table);
  for (let from: Hex | undefined = addressOfNumber(0n); from !== undefined; ) {
    const params = { chainId, ...place, from: addressParam(from) };
    const rows: StoredRow[] = await database.query(sql, params, storedRow);
    yield rows;
    from = rows.length < LOOKED_ROWS ? undefined : rows.at(-1)?.address;
  }
  return undefined;
};

/** Loads all rows. Returns how many there are. */
const loadRanges = async <Row extends StoredRow>(
  ports: FeedPorts,
  table: FollowedTable<Row>,
  holder: RowHolder<Row>,
  { stored, signal }: { readonly stored: number; readonly signal: AbortSignal },
  onRow: (row: Row) => void,
): Promise<number> => {
  const store = async (rows: readonly Row[]): Promise<void> => {
    for (const some of slicesOf(rows, HANDED_ROWS)) await holder.load(some);
  };
  let loaded = 0;
  let reportAt = PROGRESS_ROWS;
  const ranges = readRanges((range) => readRange(ports, table, range, signal), stored);
  for (let page = await ranges.next(); !page.done; ) {
    signal.throwIfAborted();
    // The thread stores a page while the next is read.
    const storing = store(page.value);
    for (const row of page.value) onRow(row);
    loaded += page.value.length;
    [page] = await Promise.all([ranges.next(), storing]);
    if (loaded < reportAt) continue;
    ports.logger.info({ table: table.name, loaded, stored }, 'index: loading');
    reportAt += PROGRESS_ROWS;
  }
  return loaded;
};

/** Brings rows that changed to what holds them. */
const createChanges = <Row extends StoredRow>(
  { database, chainId }: FeedPorts,
  table: FollowedTable<Row>,
  holder: RowHolder<Row>,
  more: () => MoreColumns,
) => {
  /** The number of the last row of each address that was applied, of those that are looked for again. */
  const applied = new Map<Hex, number>();
  const change = async (rows: readonly Row[]): Promise<void> => {
    const lastRows = [...new Map(rows.map((row) => [row.address, row])).values()];
    for (const some of slicesOf(lastRows, CHANGED_ROWS)) await holder.change(some);
    for (const row of lastRows) applied.set(row.address, row.seq);
  };
  return {
    applied,
    /** Reads those that were not applied. Returns whether there were any. */
    read: async (rows: readonly StoredRow[]): Promise<boolean> => {
      const changed = rows.filter((row) => row.seq > (applied.get(row.address) ?? 0));
      for (const some of slicesOf(changed, READ_ROWS)) {
        const { columns, params } = more();
        const from = Math.min(...some.map((row) => row.seq));
        const addresses = some.map(({ address }) => addressParam(address));
        const all = { chainId, addresses, from, ...params };
        await change(await database.query(changedSql(table, columns), all, table.row));
      }
      return changed.length > 0;
    },
    /** Forgets addresses whose last rows are not looked for again. */
    forgetBefore: (oldest: number): void => {
      for (const [address, last] of applied) if (last <= oldest) applied.delete(address);
    },
  };
};

/**
 * What follows the rows of a table.
 * @param more what rows that changed are read with from now on, beside the columns of the table
 */
export const createRowFeed = <Row extends StoredRow>(
  ports: FeedPorts,
  table: FollowedTable<Row>,
  holder: RowHolder<Row>,
  more: () => MoreColumns = () => ({ columns: '', params: {} }),
) => {
  const { database, chainId, clock } = ports;
  let [seq, stored] = [0, 0];
  let longLookedMs = clock.now();
  // What an earlier look read must not replace what a later one did.
  const inTurn = pLimit(1);
  const changes = createChanges(ports, table, holder, more);
  const { applied } = changes;
  const follow = async (): Promise<boolean> => {
    const isLong = clock.now() - longLookedMs >= LONG_LOOK_MS;
    if (isLong) longLookedMs = clock.now();
    const again = isLong ? LONG_AGAIN_US : AGAIN_US;
    let [isNew, next] = [false, -1];
    for await (const rows of readLastRows(ports, table, { after: seq, again })) {
      // By the first part: while others are read, rows are stored of addresses that it would have had.
      if (next < 0) next = rows.reduce((last, row) => Math.max(last, row.seq), seq);
      isNew = (await changes.read(rows)) || isNew;
    }
    seq = next;
    changes.forgetBefore(clock.now() * 1_000 - LONG_AGAIN_US);
    return isNew;
  };
  return {
    inTurn,
    applied,
    /** How many rows were stored when it was loaded. */
    stored: () => stored,
    /** Loads the rows there are. Returns how many are in force. */
    load: async (signal: AbortSignal): Promise<number> => {
      const [now = { nowUs: 0, rows: 0 }] = await database.query(
        storedNowSql(table),
        { chainId },
        storedNow,
      );
      // However long the load takes: rows from before it that appear while it reads other ranges are looked for again.
      seq = Math.max(0, now.nowUs - LONG_AGAIN_US);
      stored = now.rows;
      // Arrays that grow are there twice for a while.
      await holder.reserve(stored);
      const loaded = await loadRanges(ports, table, holder, { stored, signal }, (row) => {
        if (row.seq > seq) applied.set(row.address, row.seq);
      });
      await holder.seal();
      return loaded;
    },
    /** Follows what was stored since the last look, and what appeared late. Returns whether there was anything. */
    follow: (): Promise<boolean> => inTurn(follow),
  };
};
