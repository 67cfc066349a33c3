import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { type Clickhouse, createClickhouse } from '../shared/platform/clickhouse.ts';
import { FatalError, RetryableError } from '../shared/platform/errors.ts';
import { silentLogger } from '../shared/platform/logger.ts';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { checkSchema } from '../shared/platform/schema.ts';
import { type ClickhouseService, startClickhouse } from '../shared/testing/services.ts';
import { migrate, readMigrations, retain } from './migrate.ts';

const DEFAULTS = {
  RETENTION_ALERTS_DAYS: 90,
  RETENTION_DELIVERIES_DAYS: 30,
  RETENTION_USAGE_DAYS: 400,
};
const countSchema = z.object({ rows: z.number() });
/** The ledger and two tables: fewer than the first file makes. */
const STATEMENTS_BEFORE_CRASH = 3;
/** Age at which Linux writes back what was not synced, and how often it looks: `vm.dirty_expire_centisecs`, `vm.dirty_writeback_centisecs`. */
const KERNEL_WRITES_WITHIN_S = 35;
/** A row of a table of SCHEMA.md: a table or view, then perhaps its key. */
const DRAWN = /^\| `(\w+)` \| (?:`([^`]*)` \|)?/gm;

/** A row of a given age in days in each table with retention. */
const AGED = {
  alerts: `(family, id, type, created_at, version) SELECT 'f', {days:UInt32}, 'mint', now64(3) - INTERVAL {days:UInt32} DAY, 1`,
  webhook_deliveries: `(family, webhook_id, id, status, created_at, version) SELECT 'f', 'w', {days:UInt32}, 'delivered', now64(3) - INTERVAL {days:UInt32} DAY, 1`,
  api_requests: `(family, hour, key_id, operation, requests) SELECT 'f', now() - INTERVAL {days:UInt32} DAY, 'k', 'o', 1`,
  fact_transfers: `(chain_id, token, block_number, timestamp, version) SELECT 1, unhex(repeat('ab', 20)), {days:UInt32}, now() - INTERVAL {days:UInt32} DAY, 0`,
  verdict_history: `(chain_id, token, block_number, analyzed_at, version) SELECT 1, unhex(repeat('ab', 20)), {days:UInt32}, now64(3) - INTERVAL {days:UInt32} DAY, 1`,
};

/** Tables in SCHEMA.md, with their key if given, sorted by name. */
const drawnTables = async (): Promise<Map<string, string | undefined>> => {
  const text = await readFile(join(projectRoot(), 'migrations/SCHEMA.md'), 'utf8');
  const rows = [...text.matchAll(DRAWN)].map(([, name = '', key]) => [name, key] as const);
  return new Map(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

describe('migrations on ClickHouse', () => {
  let server: ClickhouseService;
  let root: Clickhouse;
  let database: Clickhouse;
  let databases = 0;

  before(async () => {
    server = await startClickhouse();
    root = createClickhouse({ url: server.url });
  });
  after(async () => {
    await root?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    databases += 1;
    await root.exec(`CREATE DATABASE own${databases}`);
    const url = new URL(server.url);
    url.pathname = `/own${databases}`;
    database = createClickhouse({ url: url.href });
  });
  afterEach(() => database.close());

  const count = async (from: string): Promise<number> =>
    (await database.query(`SELECT count() AS rows FROM ${from}`, {}, countSchema))[0]?.rows ?? -1;

  it('go on where a crash left them in the midst of a file', async () => {
    const files = (await readMigrations()).length;
    let left = STATEMENTS_BEFORE_CRASH;
    const exec: Clickhouse['exec'] = async (...statement) => {
      left -= 1;
      if (left < 0) throw new Error('crash');
      await database.exec(...statement);
    };
    await assert.rejects(migrate({ ...database, exec }, silentLogger), /crash/);
    assert.equal(await count('schema_migrations'), 0);
    await database.exec(
      `INSERT INTO fact_transfers (chain_id, token, block_number, timestamp, version)
       SELECT 1, unhex(repeat('ab', 20)), number, now(), 0 FROM numbers(10)`,
    );
    assert.equal(await migrate(database, silentLogger), files);
    assert.equal(await migrate(database, silentLogger), 0);
    assert.equal(await count('fact_transfers FINAL'), 10);
    assert.equal(await count('schema_migrations FINAL'), files);
  });

  it('name the file and the statement of what fails, and what to do with it', async () => {
    for (const Failure of [RetryableError, FatalError]) {
      let left = STATEMENTS_BEFORE_CRASH;
      const exec = async () => {
        left -= 1;
        if (left < 0) throw new Failure('full');
      };
      const message = /^0001_facts\.sql, statement 3: full$/;
      await assert.rejects(migrate({ ...database, exec, query: async () => [] }, silentLogger), {
        name: Failure.name,
        message,
      });
    }
  });

  it('are demanded by roles, which accept later ones', async () => {
    const names = (await readMigrations()).map(({ name }) => name).toSorted();
    const [last = ''] = names.slice(-1);
    const lacks = (missing: readonly string[]) => ({
      name: 'FatalError',
      message: `ClickHouse lacks ${missing.join(', ')}: run the migrations of this release first (make migrate)`,
    });
    await assert.rejects(checkSchema(database, silentLogger), lacks(names));
    await migrate(database, silentLogger, { through: names.at(-2) ?? '' });
    await assert.rejects(checkSchema(database, silentLogger), lacks([last]));
    await migrate(database, silentLogger);
    await database.insert('schema_migrations', [{ name: '9999_later.sql', checksum: '' }]);
    await checkSchema(database, silentLogger);
  });

  it('say of every column what it means', async () => {
    await migrate(database, silentLogger);
    const silent = await database.query(
      `SELECT c.table AS table, c.name AS name FROM system.columns AS c
       INNER JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
       WHERE c.database = currentDatabase() AND c.comment = ''`,
      {},
      z.object({ table: z.string(), name: z.string() }),
    );
    assert.deepEqual(silent, []);
  });

  it('make the tables that SCHEMA.md draws, with these keys, and no others', async () => {
    await migrate(database, silentLogger);
    const made = await database.query(
      `SELECT name, engine, sorting_key AS key FROM system.tables
       WHERE database = currentDatabase() ORDER BY name`,
      {},
      z.object({ name: z.string(), engine: z.string(), key: z.string() }),
    );
    const drawn = await drawnTables();
    assert.deepEqual(
      [...drawn.keys()],
      made.map(({ name }) => name),
    );
    for (const { name, engine, key } of made) {
      if (engine.endsWith('MergeTree')) assert.equal(drawn.get(name), key, name);
    }
  });

  it('keep what was merged where the index of a merged part is left to the kernel', async () => {
    await migrate(database, silentLogger);
    const tables = await database.query(
      `SELECT t.name AS name, toUInt32OrZero(extract(t.create_table_query, 'old_parts_lifetime = (\\\\d+)')) AS kept_s
       FROM system.tables AS t INNER JOIN system.data_skipping_indices AS i ON i.database = t.database AND i.table = t.name
       WHERE t.database = currentDatabase() AND i.type = 'text'`,
      {},
      z.object({ name: z.string(), kept_s: z.number() }),
    );
    const short = tables.filter((table) => table.kept_s < 3 * KERNEL_WRITES_WITHIN_S);
    assert.deepEqual([tables.length, short], [1, []]);
  });

  it('let old rows go after the days that are set, and no others', async () => {
    await migrate(database, silentLogger);
    const insert = (days: number) =>
      Promise.all(
        Object.entries(AGED).map(([table, row]) =>
          database.exec(`INSERT INTO ${table} ${row}`, { days }),
        ),
      );
    const left = async (): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const table of Object.keys(AGED)) {
        await database.exec(`OPTIMIZE TABLE ${table} FINAL`);
        counts[table] = await count(table);
      }
      return counts;
    };

    assert.equal(await retain(database, DEFAULTS), 0, 'the tables are made with the defaults');
    for (const days of [1, 8, 20, 45, 100, 500]) await insert(days);
    assert.deepEqual(await left(), {
      alerts: 4,
      webhook_deliveries: 3,
      api_requests: 5,
      fact_transfers: 6,
      verdict_history: 6,
    });

    const shorter = {
      RETENTION_ALERTS_DAYS: 30,
      RETENTION_DELIVERIES_DAYS: 10,
      RETENTION_USAGE_DAYS: 60,
    };
    const all = { ...shorter, RETENTION_FACTS_DAYS: 7, RETENTION_VERDICTS_DAYS: 50 };
    assert.equal(await retain(database, all), 11);
    assert.equal(await retain(database, all), 0, 'and changed once only');
    assert.deepEqual(await left(), {
      alerts: 3,
      webhook_deliveries: 2,
      api_requests: 4,
      fact_transfers: 1,
      verdict_history: 4,
    });

    assert.equal(await retain(database, shorter), 8, 'facts and verdicts are kept for ever again');
    await insert(700);
    const { fact_transfers: facts, verdict_history: verdicts } = await left();
    assert.deepEqual([facts, verdicts], [2, 5]);
  });
});
