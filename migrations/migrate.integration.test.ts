import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { addressOf, verdictOf } from '../api/testing/fakePorts.ts';
import { insertVerdict } from '../api/testing/rows.ts';
import { type Clickhouse, createClickhouse } from '../shared/adapters/clickhouse.ts';
import { silentLogger } from '../shared/runtime/logger.ts';
import { type ClickhouseService, startClickhouse } from '../shared/testing/services.ts';
import { migrate, retain } from './migrate.ts';

const DEFAULTS = {
  RETENTION_ALERTS_DAYS: 90,
  RETENTION_DELIVERIES_DAYS: 30,
  RETENTION_USAGE_DAYS: 400,
};
const countSchema = z.object({ rows: z.number() });

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

  it('keep what an earlier version stored, and show it in what came later', async () => {
    await migrate(database, silentLogger, { through: '0047_create_view_outcomes.sql' });
    for (let i = 1; i <= 3; i += 1) {
      const { doc } = verdictOf(addressOf(i));
      const check = { id: 'proxy', status: 'fail', severity: 'info', reason: '' } as const;
      const verdict = verdictOf(addressOf(i), {
        name: `Token ${i}`,
        doc: { ...doc, checks: [...doc.checks, check] },
      });
      await insertVerdict(database, 1, verdict);
      await insertVerdict(database, 1, verdict, { table: 'verdict_history' });
    }
    await database.exec(
      `INSERT INTO alerts (family, id, type, created_at, version) VALUES ('f', 1, 'mint', now64(3), 1)`,
    );
    await database.exec(
      `INSERT INTO fact_transfers (chain_id, token, block_number, timestamp, version)
       SELECT 1, unhex(repeat('ab', 20)), number, now(), 0 FROM numbers(10)`,
    );
    assert.ok((await migrate(database, silentLogger)) > 0);
    assert.equal(await migrate(database, silentLogger), 0);
    assert.equal(await count('alerts FINAL WHERE is_quiet = 0'), 1);
    assert.equal(await count('verdict_history FINAL WHERE horizon_s = 0'), 3);
    assert.equal(await count('fact_transfers FINAL'), 10);
    assert.equal(await count("token_entries FINAL WHERE startsWith(name, 'Token ')"), 3);
    assert.equal(await count("token_checks FINAL WHERE check_id = 'proxy'"), 3);
    assert.equal(
      await count("features_by_birth FINAL WHERE mapContains(features, 'holder_count')"),
      3,
    );
    assert.equal(await count("token_documents FINAL WHERE position(doc, 'proxy') > 0"), 3);
    assert.equal(await count("token_places FINAL WHERE has(failed, 'proxy')"), 15);
    const [totals] = await database.query(
      `SELECT (SELECT sum(tokens) FROM check_totals) AS failing, (SELECT sum(tokens) FROM token_totals WHERE span = 'all') AS tokens`,
      {},
      z.object({ failing: z.number(), tokens: z.number() }),
    );
    assert.deepEqual(totals, { failing: 3, tokens: 3 });
    assert.equal(await count('verdicts'), 3);
  });

  it('let old rows go after the days that are set, and no others', async () => {
    await migrate(database, silentLogger);
    const insert = (ageDays: number) =>
      Promise.all([
        database.exec(
          `INSERT INTO alerts (family, id, type, created_at, version) SELECT 'f', ${ageDays}, 'mint', now64(3) - INTERVAL ${ageDays} DAY, 1`,
        ),
        database.exec(
          `INSERT INTO alert_reads (family, id, read_at) SELECT 'f', ${ageDays}, now64(3) - INTERVAL ${ageDays} DAY`,
        ),
        database.exec(
          `INSERT INTO webhook_deliveries (family, webhook_id, id, status, created_at, version) SELECT 'f', 'w', 'd${ageDays}', 'delivered', now64(3) - INTERVAL ${ageDays} DAY, 1`,
        ),
        database.exec(
          `INSERT INTO api_requests (family, hour, key_id, operation, requests) SELECT 'f', now() - INTERVAL ${ageDays} DAY, 'k', 'o', 1`,
        ),
        database.exec(
          `INSERT INTO fact_transfers (chain_id, token, block_number, timestamp, version) SELECT 1, unhex(repeat('ab', 20)), ${ageDays}, now() - INTERVAL ${ageDays} DAY, 0`,
        ),
        database.exec(
          `INSERT INTO verdict_history (chain_id, token, block_number, analyzed_at, version) SELECT 1, unhex(repeat('ab', 20)), ${ageDays}, now64(3) - INTERVAL ${ageDays} DAY, 1`,
        ),
      ]);
    const tables = [
      'alerts',
      'alert_reads',
      'webhook_deliveries',
      'api_requests',
      'fact_transfers',
      'verdict_history',
    ];
    const left = async (): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const table of tables) {
        await database.exec(`OPTIMIZE TABLE ${table} FINAL`);
        counts[table] = await count(table);
      }
      return counts;
    };

    assert.equal(await retain(database, DEFAULTS), 0, 'the tables are made with the defaults');
    for (const ageDays of [1, 8, 20, 45, 100, 500]) await insert(ageDays);
    assert.deepEqual(await left(), {
      alerts: 4,
      alert_reads: 4,
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
    assert.equal(await retain(database, all), 10);
    assert.equal(await retain(database, all), 0, 'and changed once only');
    assert.deepEqual(await left(), {
      alerts: 3,
      alert_reads: 3,
      webhook_deliveries: 2,
      api_requests: 4,
      fact_transfers: 1,
      verdict_history: 4,
    });

    assert.equal(await retain(database, shorter), 6, 'facts and verdicts are kept for ever again');
    await insert(700);
    const { fact_transfers: facts, verdict_history: verdicts } = await left();
    assert.deepEqual([facts, verdicts], [2, 5]);
  });
});
