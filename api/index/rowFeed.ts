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

/** Rows between two log lines while loading. */
const PROGRESS_ROWS = 1_000_000;
/** Changes written at a time: queries are answered in between. */
const CHANGED_ROWS = 100;
/** Changed rows read at a time. */
const READ_ROWS = 500;
/**
 * Addresses whose last rows are requested at a time: a backfill may have stored hundreds of thousands within the last
 * minute.
 */
const LOOKED_ROWS = 10_000;
/** Milliseconds before a failed range is read again; the other ranges stay loaded. */
const RETRY_MS = 2_000;
/**
 * Microseconds for which rows are polled again: they become visible some time after the database has numbered them by
 * its clock.
 */
const AGAIN_US = 2_000_000;
/** The same, every `LONG_LOOK_MS`: an insert may have been delayed for longer. */
const LONG_AGAIN_US = 60_000_000;
const LONG_LOOK_MS = 10_000;

/** Columns that every row has. */
export interface StoredRow {
  readonly address: Hex;
  readonly seq: number;
}
const storedRow = rowSchema<StoredRow>(STORED_FIELDS);

/** A table whose current rows are mirrored somewhere. */
export interface FollowedTable<Row extends StoredRow> extends AddressTable {
  /** Columns read from its rows `r`, besides those that identify a row. */
  readonly columns: string;
  readonly row: z.ZodType<Row, z.ZodTypeDef, unknown>;
  /** Conditions and order of the rows of a changed address: the last one is current. */
  readonly changed: string;
}

/** Additional columns read from changed rows, and their parameters. */
interface MoreColumns {
  readonly columns: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The mirror that holds the rows. */
export interface RowHolder<Row> {
  /** Reserves space for a number of rows. */
  reserve(rows: number): Promise<void>;
  /** Takes rows, each once, in the order of addresses. */
  load(rows: readonly Row[]): Promise<void>;
  /** All rows are loaded. */
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

/**
 * The last row of each address, from a given address on, among rows that were stored since or may have become visible
 * late.
 */
const lastRowsSql = ({ name, address, seq }: AddressTable): string =>
  `SELECT ${hexText(`r.${address}`)} AS address, max(${seq}) AS seq FROM ${name} AS r ${OF_CHAIN} AND r.${address} >= ${asAddress('from')}
   AND ${seq} > least({after:UInt64}, toUnixTimestamp64Micro(now64(6)) - {again:UInt64})
   GROUP BY r.${address} ORDER BY r.${address} LIMIT ${LOOKED_ROWS} ${POINT_READ}`;

/** Rows of the addresses that have a changed row numbered at least `from`. */
const changedSql = (table: FollowedTable<StoredRow>, more: string): string =>
  `SELECT ${keySql(table)}, ${table.columns}${more} FROM ${table.name} AS r ${OF_CHAIN}
   AND r.${table.address} IN ${inAddresses('addresses')} ${table.changed} ${POINT_READ}`;

/** Reads a range, and repeats the read until it succeeds. */
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
    // The thread stores one page while the next is read.
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

/** Applies changed rows to their mirror. */
const createChanges = <Row extends StoredRow>(
  { database, chainId }: FeedPorts,
  table: FollowedTable<Row>,
  holder: RowHolder<Row>,
  more: () => MoreColumns,
) => {
  /** Number of the last applied row of each address that is still polled. */
  const applied = new Map<Hex, number>();
  const change = async (rows: readonly Row[]): Promise<void> => {
    const lastRows = [...new Map(rows.map((row) => [row.address, row])).values()];
    for (const some of slicesOf(lastRows, CHANGED_ROWS)) await holder.change(some);
    for (const row of lastRows) applied.set(row.address, row.seq);
  };
  return {
    applied,
    /** Reads the rows that were not yet applied. Returns whether there were any. */
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
    /** Forgets addresses whose rows are no longer polled. */
    forgetBefore: (oldest: number): void => {
      for (const [address, last] of applied) if (last <= oldest) applied.delete(address);
    },
  };
};

/**
 * Returns a feed that follows the rows of a table.
 * @param more what is read with changed rows from now on, besides the table's columns
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
  // A row read by an earlier poll must not replace one applied by a later poll.
  const inTurn = pLimit(1);
  const changes = createChanges(ports, table, holder, more);
  const { applied } = changes;
  const follow = async (): Promise<boolean> => {
    const isLong = clock.now() - longLookedMs >= LONG_LOOK_MS;
    if (isLong) longLookedMs = clock.now();
    const again = isLong ? LONG_AGAIN_US : AGAIN_US;
    let [isNew, next] = [false, -1];
    for await (const rows of readLastRows(ports, table, { after: seq, again })) {
      // Polls from the start of the load: while other ranges are read, rows are stored for addresses already loaded.
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
    /** Loads the stored rows. Returns how many are current. */
    load: async (signal: AbortSignal): Promise<number> => {
      const [now = { nowUs: 0, rows: 0 }] = await database.query(
        storedNowSql(table),
        { chainId },
        storedNow,
      );
      // However long the load takes, rows from before it that become visible meanwhile are polled again.
      seq = Math.max(0, now.nowUs - LONG_AGAIN_US);
      stored = now.rows;
      // Arrays exist twice for a moment while they grow.
      await holder.reserve(stored);
      const loaded = await loadRanges(ports, table, holder, { stored, signal }, (row) => {
        if (row.seq > seq) applied.set(row.address, row.seq);
      });
      await holder.seal();
      return loaded;
    },
    /**
     * Applies what was stored since the last poll, or became visible late. Returns whether there was anything.
     */
    follow: (): Promise<boolean> => inTurn(follow),
  };
};
