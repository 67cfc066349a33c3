import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { addressOf, verdictOf } from '../../api/testing/fakePorts.ts';
import {
  insertNativeTransfer,
  insertPastVerdict,
  insertPool,
  insertTransfer,
} from '../../api/testing/rows.ts';

import { fillTables, KNOWN } from '../../api/testing/sampleAccount.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import type { ClickhouseService } from '../../shared/testing/services.ts';
import { queryRows } from '../local/probes.ts';

const CHAIN_ID = 31_337;
const QUERY_MS_MAX = 60_000;

/** The queries of the document, by the sentence above each. */
const QUERIES = [
  ...readFileSync(new URL('./ANALYSTS.md', import.meta.url), 'utf8').matchAll(
    /^(\S[^\n]+:)\n\n```sql\n([^`]+)\n```/gm,
  ),
].map(([, title = '', sql = '']) => ({ title, sql }));

/** Tables that belong to key families, or to the service alone. */
const CLOSED = [
  'webhook_deliveries',
  'alerts',
  'feedback',
  'reports',
  'api_requests',
  'system.query_log',
  'system.users',
];

describe('the analyst', () => {
  let service: ClickhouseService;
  let database: Clickhouse;
  before(async () => {
    service = await startMigratedClickhouse();
    database = createClickhouse({ url: service.url });
    await fillTables(database);
    const { token, creator, puppet } = KNOWN;
    const pool = addressOf(0x70);
    await insertTransfer(database, CHAIN_ID, {
      token,
      from: creator,
      to: puppet,
      value: '5',
      block: 9,
      atS: 1_000,
    });
    await insertNativeTransfer(database, CHAIN_ID, {
      from: puppet,
      to: creator,
      block: 3,
      atS: 500,
      version: 2,
    });
    await insertPool(database, CHAIN_ID, { pool, token, other: addressOf(0xee) });
    await database.exec(
      `INSERT INTO fact_pool_events (chain_id, pool, block_number, block_hash, log_index, timestamp, kind, version)
       SELECT {chainId:UInt64}, unhex({pool:String}), 9, unhex(repeat('09', 32)), 0, 1700000000, 'swap', 2`,
      { chainId: CHAIN_ID, pool: pool.slice(2) },
    );
    const { doc } = verdictOf(token);
    const provenance = { ...doc.provenance, block_hash: `0x${'ef'.repeat(32)}` };
    const flipped = verdictOf(token, {
      prediction: 'LEGIT',
      blockNumber: 16,
      doc: { ...doc, provenance },
    });
    await insertPastVerdict(database, CHAIN_ID, flipped);
    // The engine makes its log tables with the first write of its logs, and denies access only to a table that exists.
    await database.exec('SYSTEM FLUSH LOGS');
  });
  after(async () => {
    await database.close();
    await service.stop();
  });

  const ask = (sql: string): Promise<string> => queryRows(service.analystUrl, sql, QUERY_MS_MAX);

  it('finds ten queries in the document', () => {
    assert.equal(QUERIES.length, 10);
  });

  for (const { title, sql } of QUERIES) {
    it(`gets rows for: ${title}`, async () => {
      assert.ok((await ask(sql)).trim() !== '', sql);
    });
  }

  it('reads edges of wallets and links of rings, addresses as text', async () => {
    const { creator, puppet } = KNOWN;
    const edges = await ask('SELECT node, direction, kind, other FROM wallet_edges ORDER BY node');
    assert.match(edges, new RegExp(`${puppet}.*out.*funded.*${creator}`));
    const links = await ask('SELECT rule, wallet_a, wallet_b FROM cluster_evidence');
    assert.match(links, new RegExp(`common_funder.*${creator}.*${puppet}`));
  });

  it('writes nothing and changes no limit', async () => {
    const attempts = [
      `INSERT INTO fact_transfers (chain_id) VALUES (1)`,
      'CREATE TABLE mine (n UInt8) ENGINE = Memory',
      'CREATE TEMPORARY TABLE mine (n UInt8)',
      'DROP TABLE fact_transfers',
      'ALTER TABLE fact_transfers DELETE WHERE 1',
      'TRUNCATE TABLE fact_transfers',
      'SYSTEM STOP MERGES fact_transfers',
      'GRANT SELECT ON *.* TO analyst',
      'SET max_execution_time = 600',
      'SELECT 1 SETTINGS max_memory_usage = 0',
      'SELECT 1 SETTINGS readonly = 0',
    ];
    for (const sql of attempts) {
      await assert.rejects(ask(sql), /ACCESS_DENIED|READONLY|privileges|readonly/i, sql);
    }
    assert.equal(await ask('SELECT count() FROM fact_transfers'), '1\n');
  });

  it('reads nothing of key families, of the server, of files or of the network', async () => {
    for (const table of CLOSED) {
      await assert.rejects(ask(`SELECT * FROM ${table} LIMIT 1`), /ACCESS_DENIED/, table);
    }
    const outside = [
      `SELECT * FROM file('/etc/passwd', 'LineAsString')`,
      `SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')`,
      `SELECT * FROM remote('127.0.0.1', 'tsd.alerts')`,
      `SELECT * FROM merge('tsd', 'alerts')`,
    ];
    for (const sql of outside) {
      await assert.rejects(
        ask(sql),
        /ACCESS_DENIED|READONLY|UNKNOWN_TABLE|CANNOT_EXTRACT|confined/i,
        sql,
      );
    }
  });

  it('is held to its time, memory, threads and number of queries', async () => {
    const names = ['max_execution_time', 'max_threads', 'max_memory_usage', 'readonly'];
    const values = await ask(`SELECT ${names.map((name) => `getSetting('${name}')`).join(', ')}`);
    assert.equal(values, '60\t1\t1500000000\t1\n');
    await assert.rejects(ask('SELECT length(range(400000000))'), /MEMORY_LIMIT_EXCEEDED/);
    const together = await Promise.allSettled(
      Array.from({ length: 6 }, () => ask('SELECT sleep(2)')),
    );
    const refused = together.filter((each) => each.status === 'rejected');
    assert.equal(refused.length, 3);
    for (const { reason } of refused) assert.match(String(reason), /TOO_MANY_SIMULTANEOUS_QUERIES/);
  });
});
