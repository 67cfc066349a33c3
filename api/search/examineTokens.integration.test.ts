import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { insertTokens } from '../../deploy/bench/manyTokens.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import type { Service } from '../../shared/testing/services.ts';
import { API_CHAIN_ID } from '../testing/startApi.ts';
import { createTokens } from '../tokens/createTokens.ts';
import { createSearch } from './queries.ts';

const TOKENS = 30_000;
/** Bounds of one query, however many tokens there are: see `examineTokens`. */
const ROWS_READ_MAX = 25_000;
const BYTES_READ_MAX = 8 * 1_048_576;
/** Names and symbols, with what else lies in the first and last granule of each. */
const TERMS = 2 * TOKENS + 4 * 256;
/** Rows of the few granules whose terms may hold all trigrams of a text. */
const GRANULES_FEW = 4 * 256;
const PAGE = { sort: 'risk_score', order: 'desc', limit: 10, offset: 0 } as const;

const readRow = z.object({ read_rows: z.number(), read_bytes: z.number(), tables: z.string() });

describe('searches by traits of tokens', () => {
  let service: Service;
  let database: Clickhouse;
  before(async () => {
    service = await startMigratedClickhouse();
    database = createClickhouse({ url: service.url });
    await insertTokens(database, 0, TOKENS, () => undefined);
  });
  after(async () => {
    await database.close();
    await service.stop();
  });

  /** A database whose queries carry a mark by which the server's log finds them. */
  const markedBy = (mark: string): Pick<Clickhouse, 'query'> => ({
    // All end with their settings.
    query: (sql, params, row) =>
      database.query(`${sql}, log_queries = 1, log_comment = '${mark}'`, params, row),
  });
  const readsOf = async (mark: string) => {
    await database.exec('SYSTEM FLUSH LOGS');
    return database.query(
      `SELECT read_rows, read_bytes, arrayStringConcat(tables, ' ') AS tables FROM system.query_log
       WHERE type = 'QueryFinish' AND log_comment = {mark:String}`,
      { mark },
      readRow,
    );
  };

  for (const [mark, traits, found, total] of [
    ['a common check', { checks: { all: ['mint_power'] } }, 10, 10_000],
    ['a check of some', { checks: { any: ['sell_simulation'] } }, 10, 600],
    ['a rare check', { checks: { all: ['hidden_owner'] } }, 6, 6],
    ['two checks', { checks: { all: ['hidden_owner', 'mint_power'] } }, 2, 2],
    ['a check that never fails', { checks: { all: ['proxy'] } }, 0, 0],
    ['what is nowhere', { checks: { none: ['mint_power'] }, text: 'qqqq' }, 0, undefined],
  ] as const) {
    it(`read a bounded number of rows and no document: ${mark}`, async () => {
      const examined = await createTokens(markedBy(mark), API_CHAIN_ID).examine(PAGE, traits);
      const reads = await readsOf(mark);
      assert.equal(examined.found.length, found);
      assert.equal(examined.total, total);
      assert.ok(reads.length > 0);
      for (const { read_rows, read_bytes, tables } of reads) {
        assert.ok(read_rows <= ROWS_READ_MAX, `${read_rows} rows`);
        assert.ok(read_bytes <= BYTES_READ_MAX, `${read_bytes} bytes`);
        assert.ok(!tables.includes('token_verdicts'), tables);
      }
    });
  }

  for (const [text, found, rowsMax] of [
    ['word7', 1_000, ROWS_READ_MAX],
    ['coin7', 1_000, TERMS],
    ['d7 coin8', 33, GRANULES_FEW],
    ['in7 word', 0, 0],
  ] as const) {
    it(`read names by their beginning, else by their trigrams: ${text}`, async () => {
      const hits = await createSearch(markedBy(text), API_CHAIN_ID).terms(text);
      const reads = await readsOf(text);
      assert.equal(hits.length, found);
      assert.equal(new Set(hits.map(({ token }) => token)).size, found);
      assert.ok(reads.length > 0);
      for (const { read_rows } of reads) assert.ok(read_rows <= rowsMax, `${read_rows} rows`);
    });
  }
});
