import type { Readable } from 'node:stream';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { isTooLargeResult } from '../../shared/platform/clickhouse.ts';
import { type ExportKind, exportSql } from '../../shared/rules/dayExport.ts';
import { invalidRequest, unavailable } from '../server/apiError.ts';
import { createSemaphore, tooMany } from '../server/middleware/concurrency.ts';

/** Rows of one file. */
export const EXPORT_ROWS_MAX = 5_000_000;
/** Seconds that the database may take for one file: less than a request may take. */
export const EXPORT_S_MAX = 25;
/** Milliseconds that a client may take to receive one file. */
const DOWNLOAD_MS_MAX = 600_000;
/** Downloads in progress, per key family and in total: each holds a connection of `exportConnections`. */
const FAMILY_MAX = 1;
export const EXPORTS_MAX = 4;
const RETRY_AFTER_S = 10;
const LIMITS = {
  max_execution_time: EXPORT_S_MAX,
  max_memory_usage: '1500000000',
  max_threads: 1,
  max_result_rows: String(EXPORT_ROWS_MAX),
};

/** What is asked for. */
export interface ExportOf {
  readonly family: string;
  readonly what: ExportKind;
  /** As `2026-01-31`. */
  readonly day: string;
  readonly signal: AbortSignal;
}

/** @param database with connections of its own: a slow client holds one until it has received the file. */
export const createExports = (
  database: Pick<Clickhouse, 'stream'>,
  chainId: number,
  downloadMsMax = DOWNLOAD_MS_MAX,
) => {
  const families = createSemaphore(FAMILY_MAX);
  const all = createSemaphore(EXPORTS_MAX);
  const acquire = (family: string): (() => void) => {
    const ofFamily = families(family);
    const ofAll = ofFamily && all('all');
    if (ofAll) {
      return () => {
        ofFamily();
        ofAll();
      };
    }
    if (!ofFamily) {
      const headers = { 'Retry-After': String(RETRY_AFTER_S) };
      throw tooMany('An export of your keys is under way', headers);
    }
    ofFamily();
    throw unavailable('Too many exports are under way', RETRY_AFTER_S);
  };
  return {
    /**
     * @throws ApiError 400 for too many rows, 429 if the family already has a download in progress, 503 if there are
     * too many in total.
     */
    open: async ({ family, what, day, signal }: ExportOf): Promise<Readable> => {
      const release = acquire(family);
      try {
        const stream = await database.stream(exportSql(what, day, chainId), LIMITS, signal);
        const late = setTimeout(
          () => stream.destroy(new Error('the client takes too long')),
          downloadMsMax,
        );
        stream.once('close', () => {
          clearTimeout(late);
          release();
        });
        return stream;
      } catch (error) {
        release();
        if (!isTooLargeResult(error)) throw error;
        throw invalidRequest(`day: more than ${EXPORT_ROWS_MAX} rows, which is the most of a file`);
      }
    },
  };
};
/** Files of one day of the chain. */
export type Exports = ReturnType<typeof createExports>;
