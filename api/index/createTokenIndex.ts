import pLimit from 'p-limit';
import { z } from 'zod';
import { addressParam, asAddress } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ, type QueryParams } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { unavailable } from '../server/apiError.ts';
import { type IndexThread, startIndexThread } from './indexThread.ts';
import type { IndexedToken, IndexRead, OpenIndex } from './openIndex.ts';

/** Tokens loaded at a time. */
const LOADED_TOKENS = 10_000;
/** Tokens between two log lines of the load. */
const PROGRESS_TOKENS = 1_000_000;
/** Changes written at a time: reads are answered in between. */
const CHANGED_TOKENS = 100;
/** Rows stored since the last look, read at a time. */
const STORED_ROWS = 5_000;
/** Milliseconds in which messages gather: those about a block are followed together. */
const GATHER_MS = 25;
/** Milliseconds between two looks for rows that no message told of: deletions, and what came while NATS was away. */
const LOOK_MS = 200;
/** The same where the last look found nothing new: each costs the database a query. */
const QUIET_LOOK_MS = 1_000;
/** Microseconds for which rows are looked for again: they appear some time after the database has numbered them by its clock. */
const AGAIN_US = 2_000_000;
/** The same once in `LONG_LOOK_MS`: an insert that was held up. */
const LONG_AGAIN_US = 60_000_000;
const LONG_LOOK_MS = 10_000;
/** Milliseconds before an index that failed is built anew, or what could not be read is read again. */
const RETRY_MS = 2_000;

const COLUMNS = `${hexText('v.token')} AS token, v.is_scam AS is_scam, v.percent AS percent, v.risk AS risk,
  toUnixTimestamp(v.created_at) AS created_at_s, toUnixTimestamp64Milli(v.analyzed_at) AS analyzed_at_ms, v.confidence AS confidence,
  v.risk_score AS risk_score, v.name AS name, v.symbol AS symbol, ${hexText('v.creator')} AS creator, v.failed AS failed,
  v.summary_json AS summary_json, v.is_deleted AS is_deleted, v.seq AS seq`;
const verdictRow = z.object({
  token: addressSchema,
  is_scam: z.number(),
  percent: z.number(),
  risk: z.number(),
  created_at_s: countSchema,
  analyzed_at_ms: countSchema,
  confidence: z.number(),
  risk_score: z.number(),
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  failed: z.array(z.string()),
  summary_json: z.string(),
  is_deleted: z.number(),
  seq: countSchema,
});
type VerdictRow = z.infer<typeof verdictRow>;

const OF_CHAIN = 'WHERE v.chain_id = {chainId:UInt64}';
const LAST_SQL = `SELECT max(v.seq) AS seq FROM token_verdicts AS v ${OF_CHAIN}`;
const LOAD_SQL = `SELECT ${COLUMNS} FROM token_verdicts AS v FINAL ${OF_CHAIN} AND v.token > ${asAddress('after')}
  ORDER BY v.token LIMIT ${LOADED_TOKENS} ${POINT_READ}`;
/** Rows that were not read yet, and those that may have appeared late. */
const SINCE = 'v.seq > least({after:UInt64}, toUnixTimestamp64Micro(now64(6)) - {again:UInt64})';
const storedSql = (
  since: string,
): string => `SELECT ${COLUMNS} FROM token_verdicts AS v ${OF_CHAIN} AND ${since}
  ORDER BY v.seq LIMIT ${STORED_ROWS} WITH TIES ${POINT_READ}`;
/** Of each token the last row has the greatest number. Rows stored together may bear the same. */
const STORED_SQL = storedSql(SINCE);
const FURTHER_SQL = storedSql('v.seq > {after:UInt64}');
/** Which row of each token is its last. */
const LAST_ROWS_SQL = `SELECT ${hexText('v.token')} AS token, max(v.seq) AS seq FROM token_verdicts AS v ${OF_CHAIN}
  AND ${SINCE} GROUP BY v.token ${POINT_READ}`;
const lastRow = z.object({ token: addressSchema, seq: countSchema });

const indexedOf = (row: VerdictRow): IndexedToken => {
  const { token, name, symbol, creator, failed, percent, risk, confidence } = row;
  if (row.is_deleted === 1) return { token, verdict: undefined };
  const times = { createdAtS: row.created_at_s, analyzedAtMs: row.analyzed_at_ms };
  const scores = { isScam: row.is_scam, percent, risk, confidence, riskScore: row.risk_score };
  const verdict = { ...scores, ...times, name, symbol, creator, failed, summary: row.summary_json };
  return { token, verdict };
};

/** Reads from the index. */
export interface TokenIndex {
  /**
   * The answer to a question, parsed from its JSON.
   * @throws ApiError 503 while the index is built.
   */
  ask<M extends IndexRead>(method: M, question: Parameters<OpenIndex[M]>[0]): Promise<unknown>;
}

/** An index that is never ready. */
export const NO_INDEX: TokenIndex = {
  ask: () => Promise.reject(unavailable('lists and searches are being prepared')),
};

/** How the index is, for metrics and health. */
export interface IndexState {
  readonly isReady: boolean;
  /** Times it was given up because of an error. */
  readonly failures: number;
  /** Seconds since all that was stored was last followed; undefined before that. */
  readonly lagS: number | undefined;
}

interface IndexPorts {
  readonly database: Database;
  readonly chainId: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly startThread?: () => Promise<IndexThread>;
}

/** What follows the rows of `token_verdicts`. */
const createFeed = ({ database, chainId, logger, clock }: IndexPorts, thread: IndexThread) => {
  const read = (sql: string, params: QueryParams): Promise<VerdictRow[]> =>
    database.query(sql, { chainId, ...params }, verdictRow);
  let seq = 0;
  let longLookedMs = clock.now();
  const change = async (rows: readonly VerdictRow[]): Promise<void> => {
    const lastRows = new Map(rows.map((row) => [row.token, row]));
    const tokens = Array.from(lastRows.values(), indexedOf);
    for (const some of slicesOf(tokens, CHANGED_TOKENS)) await thread.call('change', some);
  };
  /** The number of the last row of each token, where there are too many rows to be held at once. */
  const lastSince = async (place: QueryParams): Promise<ReadonlyMap<string, number>> => {
    const rows = await database.query(LAST_ROWS_SQL, { chainId, ...place }, lastRow);
    return new Map(rows.map((row) => [row.token, row.seq]));
  };
  return {
    /** Loads the tokens there are. */
    load: async (signal: AbortSignal): Promise<number> => {
      const last = await database.query(LAST_SQL, { chainId }, z.object({ seq: countSchema }));
      seq = last[0]?.seq ?? 0;
      let tokens = 0;
      const page = (after: Hex) => read(LOAD_SQL, { after: addressParam(after) });
      for (let rows = await page(ZERO_ADDRESS); ; ) {
        signal.throwIfAborted();
        const lastRow = rows.at(-1);
        if (!lastRow) break;
        // The thread stores a page while the next is read.
        const loaded = thread.call('load', rows.map(indexedOf));
        tokens += rows.length;
        [rows] = await Promise.all([page(lastRow.token), loaded]);
        if (tokens % PROGRESS_TOKENS === 0) logger.info({ tokens }, 'index: loading');
      }
      await thread.call('seal', undefined);
      return tokens;
    },
    /**
     * Follows what was stored since the last look. Rows read again that a later one has replaced are left out: nothing goes back in time.
     * Returns whether there was anything new.
     */
    follow: async (): Promise<boolean> => {
      const lookedTo = seq;
      const isLong = clock.now() - longLookedMs >= LONG_LOOK_MS;
      if (isLong) longLookedMs = clock.now();
      const place = { after: seq, again: isLong ? LONG_AGAIN_US : AGAIN_US };
      let rows = await read(STORED_SQL, place);
      const last = rows.length < STORED_ROWS ? undefined : await lastSince(place);
      for (;;) {
        await change(rows.filter((row) => row.seq >= (last?.get(row.token) ?? 0)));
        const readTo = rows.at(-1)?.seq ?? seq;
        seq = Math.max(seq, readTo);
        if (rows.length < STORED_ROWS) return seq > lookedTo;
        rows = await read(FURTHER_SQL, { after: readTo });
      }
    },
  };
};

/** A thread that answers, and what keeps it up to date. */
interface Serving {
  readonly thread: IndexThread;
  readonly feed: ReturnType<typeof createFeed>;
}

/** Follows what is stored; messages wake it. */
const createFollower = ({ clock, logger }: IndexPorts) => {
  const wake = createWakeUp(clock);
  // What an earlier look read must not replace what a later one did.
  const inTurn = pLimit(1);
  let followedMs: number | undefined;
  const look = (feed: Serving['feed']): Promise<boolean> =>
    inTurn(async () => {
      const startMs = clock.now();
      const isNew = await feed.follow();
      followedMs = startMs;
      return isNew;
    });
  return {
    look,
    changed: (): void => wake.notify(),
    /** Seconds since all that was stored was last followed; undefined before that. */
    lagS: (): number | undefined =>
      followedMs === undefined ? undefined : (clock.now() - followedMs) / 1_000,
    /** Follows until aborted. Rejects when the thread has ended; what cannot be read is read again. */
    follow: async ({ thread, feed }: Serving, signal: AbortSignal): Promise<void> => {
      let lookMs = LOOK_MS;
      while (!signal.aborted) {
        await wake.wait(lookMs, signal);
        await clock.sleep(GATHER_MS, signal);
        try {
          lookMs = (await look(feed)) ? LOOK_MS : QUIET_LOOK_MS;
        } catch (error) {
          if (thread.hasEnded()) throw error;
          logger.warn({ error: errorMessage(error) }, 'index: not read, tried again');
          await clock.sleep(RETRY_MS, signal);
        }
      }
    },
  };
};

/**
 * An index of the verdicts of one chain in this process, built when it starts from those in force. It follows the numbers of stored
 * rows; messages tell it when to look.
 */
export const createTokenIndex = (ports: IndexPorts) => {
  const { clock, logger, startThread = startIndexThread } = ports;
  const follower = createFollower(ports);
  let serving: Serving | undefined;
  let failures = 0;
  const serve = async (signal: AbortSignal): Promise<void> => {
    const thread = await startThread();
    try {
      const startMs = clock.now();
      const feed = createFeed(ports, thread);
      const tokens = await feed.load(signal);
      await follower.look(feed);
      logger.info({ tokens, tookMs: Math.round(clock.now() - startMs) }, 'index: ready');
      serving = { thread, feed };
      await follower.follow(serving, signal);
    } finally {
      serving = undefined;
      await thread.close();
    }
  };
  return {
    ask: async <M extends IndexRead>(
      method: M,
      question: Parameters<OpenIndex[M]>[0],
    ): Promise<unknown> => {
      if (!serving) return NO_INDEX.ask(method, question);
      try {
        return JSON.parse(await serving.thread.call(method, question));
      } catch (error) {
        logger.warn({ error: errorMessage(error) }, 'index: a read failed');
        return NO_INDEX.ask(method, question);
      }
    },
    /** A message told of a verdict. */
    changed: follower.changed,
    state: (): IndexState => ({
      isReady: serving !== undefined,
      failures,
      lagS: follower.lagS(),
    }),
    /** Builds and follows until aborted; anew after an error. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        try {
          await serve(signal);
        } catch (error) {
          if (signal.aborted) return;
          failures += 1;
          logger.warn({ error: errorMessage(error) }, 'index: given up, built anew');
          await clock.sleep(RETRY_MS, signal);
        }
      }
    },
    /** Follows at once all that is stored, for tests. */
    followNow: async (): Promise<void> => {
      if (serving) await follower.look(serving.feed);
    },
  };
};
