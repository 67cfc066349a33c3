import pLimit from 'p-limit';
import { z } from 'zod';
import {
  addressOfNumber,
  addressParam,
  asAddress,
  inAddresses,
} from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { createFeatureFeed, FEATURES, featureValues } from './featureFeed.ts';
import type { IndexThread } from './indexThread.ts';
import type { IndexedToken } from './openIndex.ts';
import { HANDED_TOKENS, OF_CHAIN, rangeSql, readRanges, type TokenRange } from './tokenRanges.ts';

/** Tokens between two log lines of the load. */
const PROGRESS_TOKENS = 1_000_000;
/** Changes written at a time: reads are answered in between. */
const CHANGED_TOKENS = 100;
/** Changed tokens read at a time. */
const READ_TOKENS = 500;
/** Tokens whose last rows are asked for at a time: a backfill may have stored hundreds of thousands within the last minute. */
const LOOKED_TOKENS = 10_000;
/** Milliseconds before a range that could not be read is read again: the others stay loaded. */
const RETRY_MS = 2_000;
/** Microseconds for which rows are looked for again: they appear some time after the database has numbered them by its clock. */
const AGAIN_US = 2_000_000;
/** The same once in `LONG_LOOK_MS`: an insert that was held up. */
const LONG_AGAIN_US = 60_000_000;
const LONG_LOOK_MS = 10_000;
const COLUMNS = `${hexText('v.token')} AS token, v.is_scam AS isScam, v.percent AS percent, v.risk AS risk,
  toUnixTimestamp(v.created_at) AS createdAtS, toUnixTimestamp64Milli(v.analyzed_at) AS analyzedAtMs, v.confidence AS confidence,
  v.risk_score AS riskScore, v.name AS name, v.symbol AS symbol, ${hexText('v.creator')} AS creator, v.failed AS failed,
  v.summary_json AS summary, v.is_deleted AS isDeleted, v.seq AS seq`;
const verdictRow = z.object({
  token: addressSchema,
  isScam: z.number(),
  percent: z.number(),
  risk: z.number(),
  createdAtS: countSchema,
  analyzedAtMs: countSchema,
  confidence: z.number(),
  riskScore: z.number(),
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  failed: z.array(z.string()),
  summary: z.string(),
  isDeleted: z.number(),
  seq: countSchema,
  features: featureValues.optional(),
});
type VerdictRow = z.infer<typeof verdictRow>;

const STORED_NOW_SQL = `SELECT toUnixTimestamp64Micro(now64(6)) AS nowUs, count() AS rows FROM token_verdicts AS v ${OF_CHAIN}`;
const storedNow = z.object({ nowUs: countSchema, rows: countSchema });
const LOAD_SQL = rangeSql(COLUMNS);
/** The last row of each token, from an address on, among those that were stored since, or may have appeared late. */
const LAST_ROWS_SQL = `SELECT ${hexText('v.token')} AS token, max(v.seq) AS seq FROM token_verdicts AS v ${OF_CHAIN}
  AND v.token >= ${asAddress('from')} AND v.seq > least({after:UInt64}, toUnixTimestamp64Micro(now64(6)) - {again:UInt64})
  GROUP BY v.token ORDER BY v.token LIMIT ${LOOKED_TOKENS} ${POINT_READ}`;
/** Of each token the last row has the greatest number. */
const changedSql = (
  columns: string,
): string => `SELECT ${columns} FROM token_verdicts AS v ${OF_CHAIN}
  AND v.token IN ${inAddresses('tokens')} AND v.seq >= {from:UInt64} ORDER BY v.seq ${POINT_READ}`;
const lastRow = z.object({ token: addressSchema, seq: countSchema });
type LastRow = z.infer<typeof lastRow>;

const indexedOf = (row: VerdictRow): IndexedToken => ({
  token: row.token,
  verdict: row.isDeleted === 1 ? undefined : row,
});

/** Where verdicts are read from. */
export interface FeedPorts {
  readonly database: Database;
  readonly chainId: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads a range of tokens, again until that works. */
const readRange = async (
  { database, chainId, clock, logger }: FeedPorts,
  range: TokenRange,
  signal: AbortSignal,
): Promise<VerdictRow[]> => {
  for (;;) {
    try {
      return await database.query(LOAD_SQL, { chainId, ...range }, verdictRow);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ error: errorMessage(error) }, 'index: a range was not read, tried again');
      await clock.sleep(RETRY_MS, signal);
    }
  }
};

/** The last rows of tokens that `LAST_ROWS_SQL` finds, in parts. */
const readLastRows = async function* (
  { database, chainId }: FeedPorts,
  place: { readonly after: number; readonly again: number },
): AsyncGenerator<LastRow[], undefined> {
  for (let from: Hex | undefined = addressOfNumber(0n); from !== undefined; ) {
    const params = { chainId, ...place, from: addressParam(from) };
    const rows: LastRow[] = await database.query(LAST_ROWS_SQL, params, lastRow);
    yield rows;
    from = rows.length < LOOKED_TOKENS ? undefined : rows.at(-1)?.token;
  }
  return undefined;
};

type Thread = Pick<IndexThread, 'call'>;

const store = async (thread: Thread, rows: readonly VerdictRow[]): Promise<void> => {
  for (const some of slicesOf(rows, HANDED_TOKENS)) {
    await thread.call('load', some.map(indexedOf));
  }
};

/** Loads all tokens. Returns how many there are. */
const loadRanges = async (
  ports: FeedPorts,
  thread: Thread,
  { rows, signal }: { readonly rows: number; readonly signal: AbortSignal },
  onRow: (row: VerdictRow) => void,
): Promise<number> => {
  let tokens = 0;
  let reportAt = PROGRESS_TOKENS;
  const ranges = readRanges((range) => readRange(ports, range, signal), rows);
  for (let page = await ranges.next(); !page.done; ) {
    signal.throwIfAborted();
    // The thread stores a page while the next is read.
    const loaded = store(thread, page.value);
    for (const row of page.value) onRow(row);
    tokens += page.value.length;
    [page] = await Promise.all([ranges.next(), loaded]);
    if (tokens < reportAt) continue;
    ports.logger.info({ tokens, rows }, 'index: loading');
    reportAt += PROGRESS_TOKENS;
  }
  return tokens;
};

/** What follows the rows of `token_verdicts`. */
export const createTokenFeed = (ports: FeedPorts, thread: Thread) => {
  const { database, chainId, clock } = ports;
  let [seq, stored] = [0, 0];
  let longLookedMs = clock.now();
  // What an earlier look read must not replace what a later one did.
  const inTurn = pLimit(1);
  /** The number of the last row of each token that was applied, of those that are looked for again. */
  const applied = new Map<Hex, number>();
  const change = async (rows: readonly VerdictRow[]): Promise<void> => {
    const lastRows = [...new Map(rows.map((row) => [row.token, row])).values()];
    for (const some of slicesOf(lastRows, CHANGED_TOKENS)) {
      await thread.call('change', some.map(indexedOf));
    }
    for (const row of lastRows) applied.set(row.token, row.seq);
  };
  /** Reads those that were not applied. Returns whether there were any. */
  const readChanged = async (rows: readonly LastRow[]): Promise<boolean> => {
    const changed = rows.filter((row) => row.seq > (applied.get(row.token) ?? 0));
    for (const some of slicesOf(changed, READ_TOKENS)) {
      const from = Math.min(...some.map((row) => row.seq));
      const tokens = some.map(({ token }) => addressParam(token));
      const params = { chainId, tokens, from, features: features.held() };
      const sql = changedSql(features.held().length > 0 ? `${COLUMNS}, ${FEATURES}` : COLUMNS);
      await change(await database.query(sql, params, verdictRow));
    }
    return changed.length > 0;
  };
  const follow = async (): Promise<boolean> => {
    const isLong = clock.now() - longLookedMs >= LONG_LOOK_MS;
    if (isLong) longLookedMs = clock.now();
    const parts = readLastRows(ports, { after: seq, again: isLong ? LONG_AGAIN_US : AGAIN_US });
    let [isNew, next] = [false, -1];
    for await (const rows of parts) {
      // By the first part: while others are read, rows are stored of tokens that it would have had.
      if (next < 0) next = rows.reduce((last, row) => Math.max(last, row.seq), seq);
      isNew = (await readChanged(rows)) || isNew;
    }
    seq = next;
    const oldest = clock.now() * 1_000 - LONG_AGAIN_US;
    for (const [token, last] of applied) if (last <= oldest) applied.delete(token);
    return isNew;
  };
  const features = createFeatureFeed(ports, thread, { inTurn, applied });
  return {
    /** Loads the tokens there are. */
    load: async (signal: AbortSignal): Promise<number> => {
      const [now = { nowUs: 0, rows: 0 }] = await database.query(
        STORED_NOW_SQL,
        { chainId },
        storedNow,
      );
      // However long the load takes: rows from before it that appear while it reads other ranges are looked for again.
      seq = Math.max(0, now.nowUs - LONG_AGAIN_US);
      stored = now.rows;
      // Arrays that grow are there twice for a while.
      await thread.call('reserve', now.rows);
      const tokens = await loadRanges(ports, thread, { rows: now.rows, signal }, (row) => {
        if (row.seq > seq) applied.set(row.token, row.seq);
      });
      await thread.call('seal', undefined);
      return tokens;
    },
    /** Follows what was stored since the last look, and what appeared late. Returns whether there was anything. */
    follow: (): Promise<boolean> => inTurn(follow),
    /** Resolves once the index holds these features of all tokens. */
    know: (names: readonly string[]): Promise<void> => features.know(names, stored),
  };
};
