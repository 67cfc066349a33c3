import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { createClickhouse } from '../platform/clickhouse.ts';
import {
  startMigratedClickhouse,
  startMigratingClickhouse,
  tablesFolder,
} from './migratedClickhouse.ts';
import type { ClickhouseService } from './services.ts';

const rowSchema = z.record(z.string(), z.unknown());
/** Everything that a server knows about its tables except when they were created. */
const SCHEMA_QUERIES = [
  `SELECT name, engine, total_rows, data_paths != [] AS has_data,
      replaceRegexpAll(create_table_query, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '') AS query
    FROM system.tables WHERE database = 'tsd' ORDER BY name`,
  `SELECT table, name, type, default_expression, compression_codec FROM system.columns
    WHERE database = 'tsd' ORDER BY table, position`,
  'SELECT name, checksum FROM schema_migrations FINAL ORDER BY name',
];

/** What a copy shares with its original, and with nothing else. */
const IDENTITY_QUERY = `SELECT uuid FROM system.tables WHERE database = 'tsd' AND name = 'schema_migrations'`;

const describeTables = async ({ url }: ClickhouseService) => {
  const clickhouse = createClickhouse({ url });
  const ask = (sql: string) => clickhouse.query(sql, {}, rowSchema);
  try {
    return { schema: await Promise.all(SCHEMA_QUERIES.map(ask)), id: await ask(IDENTITY_QUERY) };
  } finally {
    await clickhouse.close();
  }
};

describe('ClickHouse with copied tables', () => {
  let cacheDir: string;
  let servers: ClickhouseService[] = [];

  before(() => {
    cacheDir = mkdtempSync(join(tmpdir(), 'clickhouse-tables-'));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(cacheDir, { recursive: true, force: true });
  });

  it('has those that the migrations make, though two start at once where there are those of other migrations and half of these', async () => {
    const folder = await tablesFolder(cacheDir);
    mkdirSync(`${folder}.unfinished`);
    mkdirSync(join(cacheDir, 'clickhouse-tables-of-other-migrations'));
    servers = await Promise.all([
      startMigratedClickhouse(cacheDir),
      startMigratedClickhouse(cacheDir),
      startMigratingClickhouse(),
    ]);
    const [first, second, real] = await Promise.all(servers.map(describeTables));
    assert.deepEqual(first?.schema, real?.schema);
    assert.deepEqual(second?.schema, real?.schema);
    assert.deepEqual(first?.id, second?.id, 'both are copies of one');
    assert.notDeepEqual(first?.id, real?.id);
    assert.deepEqual(
      readdirSync(cacheDir).map((name) => join(cacheDir, name)),
      [folder],
    );
  });
});
