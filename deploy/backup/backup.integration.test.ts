import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AckPolicy, type NatsConnection } from 'nats';
import { request } from 'undici';
import { z } from 'zod';
import { createGatekeeper } from '../../api/accounts/createGatekeeper.ts';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import { DEFAULT_PLANS } from '../../api/accounts/plans.ts';
import { addressOf, verdictOf } from '../../api/testing/fakePorts.ts';
import { insertVerdict } from '../../api/testing/rows.ts';
import {
  type LiveStack,
  startLiveStack,
  TEST_PEPPER,
} from '../../pipeline/testing/chaos/liveStack.ts';
import { alertMessageSchema } from '../../shared/messages/alertMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { ensureStreams } from '../../shared/platform/nats.ts';
import { publishAlert } from '../../shared/testing/samples.ts';
import { startHttp } from '../../shared/testing/startHttp.ts';
import { createBackup } from './createBackup.ts';
import { restoreBackup } from './restoreBackup.ts';

const columnsSchema = z.object({ table: z.string(), columns: z.array(z.string()) });
const contentSchema = z.object({ rows: z.number(), content: z.string() });

/** Columns of tables with rows, without counter, time and source of changes. */
const COLUMNS_SQL = `SELECT c.table AS table, groupArray(c.name) AS columns
  FROM system.columns AS c INNER JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
  WHERE c.database = currentDatabase() AND t.engine LIKE '%MergeTree' AND t.name != 'schema_migrations'
    AND c.name != 'seq'
  GROUP BY c.table`;

/** Rows and contents of every table, in one line each. */
const readContents = async (database: Clickhouse): Promise<string[]> => {
  const tables = await database.query(COLUMNS_SQL, {}, columnsSchema);
  const lines = tables.map(async ({ table, columns }) => {
    const hash = `toString(groupBitXor(cityHash64(toString(tuple(${columns.join(', ')})))))`;
    const sql = `SELECT count() AS rows, ${hash} AS content FROM ${table} FINAL`;
    const [row] = await database.query(sql, {}, contentSchema);
    return `${table} ${row?.rows} ${row?.content}`;
  });
  return (await Promise.all(lines)).toSorted();
};

const CHAIN_ID = 31_337;
const CONFIRMED = 3;
const PUBLISHED = 5;

/** Position of every durable reader of a stream, and the next message for it. */
const readPlaces = async (nats: NatsConnection): Promise<string[]> => {
  const jsm = await nats.jetstreamManager();
  const lines: string[] = [];
  for await (const { config, state } of jsm.streams.list()) {
    if (config.name.startsWith('KV_')) continue;
    lines.push(`${config.name} holds ${state.messages}`);
    for await (const { name, ack_floor, num_pending, num_ack_pending } of jsm.consumers.list(
      config.name,
    )) {
      const left = num_pending + num_ack_pending;
      lines.push(`${config.name} ${name} confirmed ${ack_floor.stream_seq}, left ${left}`);
    }
  }
  return lines.toSorted();
};

describe('backup and restore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsd-backup-'));
  const backup = join(folder, 'backup');
  let source: LiveStack;
  let target: LiveStack;
  let apiKey = '';

  const fillTables = async (database: Clickhouse): Promise<void> => {
    for (let i = 0; i < 20; i += 1) {
      await insertVerdict(database, CHAIN_ID, verdictOf(addressOf(i)), { version: i + 1 });
    }
    await database.exec(
      `INSERT INTO fact_transfers SELECT 1, unhex(leftPad(hex(number % 7), 40, '0')), number, unhex(leftPad(hex(number), 64, '0')),
         1, toDateTime(1700000000 + number), unhex(leftPad(hex(number), 64, '0')), 0, unhex(repeat('ab', 20)),
         unhex(repeat('cd', 20)), toUInt256(number) * 1000000000000000000, 0, 0 FROM numbers(50000)`,
    );
    // Rows deleted by a reorg must not return.
    await database.exec(`INSERT INTO fact_transfers
      SELECT * EXCEPT (version, is_deleted), 1, 1 FROM fact_transfers WHERE block_number >= 49990`);
    await database.exec(
      `INSERT INTO graph_facts (chain_id, block_number, kind, from_address, to_address, value, version)
       SELECT 1, number, 'native', unhex(leftPad(hex(number % 5), 40, '0')), unhex(repeat('ab', 20)), 1.5, 1 FROM numbers(100)`,
    );
  };
  const fillStreams = async (nats: NatsConnection): Promise<void> => {
    await ensureStreams(nats, [CHAIN_ID]);
    const jsm = await nats.jetstreamManager();
    await jsm.consumers.add('EVENTS', { durable_name: 'reader', ack_policy: AckPolicy.Explicit });
    for (let id = 1; id <= PUBLISHED; id += 1) await publishAlert(nats, 'family', id);
    const reader = await nats.jetstream().consumers.get('EVENTS', 'reader');
    for (let taken = 0; taken < CONFIRMED; taken += 1) await (await reader.next())?.ackAck();
  };
  const admits = async ({ redis }: LiveStack): Promise<string> => {
    const gatekeeper = createGatekeeper({ redis, pepper: TEST_PEPPER, plans: DEFAULT_PLANS });
    return (await gatekeeper.admit(apiKey, { day: 1, minute: 1 })).kind;
  };

  before(async () => {
    [source, target] = await Promise.all([
      startLiveStack(''),
      startLiveStack('', { isMigrated: false }),
    ]);
    // As on a new server, which has no database yet.
    await target.clickhouse.exec('DROP DATABASE tsd SYNC');
    await fillTables(source.clickhouse);
    await fillStreams(source.nats);
    const keys = createKeyStore({
      redis: source.redis,
      pepper: TEST_PEPPER,
      now: () => Date.now(),
    });
    apiKey = (await keys.create({ name: 'customer', tier: 'pro' })).key;
    await source.redis.set('fleeting', 'value', 'EX', 3_600);
  });
  after(async () => {
    await Promise.all([source, target].map((one) => one?.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('brings every table, key and stream back as it was', async () => {
    const manifest = await createBackup(source.addresses, backup);
    await assert.rejects(createBackup(source.addresses, backup), /exists/);
    const rows = new Map(manifest.tables.map(({ table, rows: count }) => [table, count]));
    assert.equal(rows.get('fact_transfers'), 49_990);
    await restoreBackup(target.addresses, backup, { force: false });
    const contents = await readContents(source.clickhouse);
    assert.ok(contents.length > 20);
    assert.deepEqual(await readContents(target.clickhouse), contents);
    const named = async ({ redis }: LiveStack) => (await redis.keys('*')).toSorted();
    assert.deepEqual(await named(target), await named(source));
    assert.equal(await admits(target), 'admitted');
    assert.ok((await target.redis.ttl('fleeting')) > 3_000);
    assert.deepEqual(await readPlaces(target.nats), await readPlaces(source.nats));
  });

  it('goes on with what was not confirmed, as handed out before', async () => {
    const reader = await target.nats.jetstream().consumers.get('EVENTS', 'reader');
    const next = await reader.next();
    assert.ok(next?.redelivered);
    assert.equal(alertMessageSchema.parse(next.json()).alert.id, CONFIRMED + 1);
  });

  it('leaves nothing of a backup that could not be made, and says why', async () => {
    const to = join(folder, 'not-made');
    const stores = { ...source.addresses, natsUrl: 'nats://127.0.0.1:9' };
    await assert.rejects(createBackup(stores, to), /^Error: no backup was made: NATS: /);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('not-made')),
      [],
    );
  });

  it('is not made of an answer that is not whole, as where the disk of ClickHouse is full', async () => {
    const server = new URL(source.addresses.clickhouseUrl);
    // The answer says how many rows it has, and has none.
    const answerWithoutRows: Parameters<typeof startHttp>[0] = (asked, response, body) => {
      const known = Object.entries(asked.headers as Record<string, string>);
      const headers = Object.fromEntries(
        known.filter(([name]) => /clickhouse|authorization|(accept|content)-encoding/.test(name)),
      );
      const options = { method: 'POST' as const, headers, body };
      const url = new URL(asked.url ?? '', server.origin);
      const isTable = /SELECT.*FORMAT.Native$/.test(url.searchParams.get('query') ?? '');
      void request(url, options).then(async (answer) => {
        const bytes = Buffer.from(await answer.body.arrayBuffer());
        response.writeHead(answer.statusCode, {
          'x-clickhouse-summary': String(answer.headers['x-clickhouse-summary']),
        });
        response.end(isTable ? '' : bytes);
      });
    };
    const proxy = await startHttp(answerWithoutRows);
    const to = join(folder, 'not-whole');
    const clickhouseUrl = source.addresses.clickhouseUrl.replace(
      server.host,
      new URL(proxy.origin).host,
    );
    const stores = { ...source.addresses, clickhouseUrl };
    await assert.rejects(
      createBackup(stores, to),
      /no backup was made: reading \w+: 0 of \d+ rows arrived: is the disk of ClickHouse full\?/,
    );
    proxy.close();
  });

  it('refuses a target that holds something, another secret and a damaged file', async () => {
    await assert.rejects(restoreBackup(target.addresses, backup, { force: false }), /is not empty/);
    const other = { ...target.addresses, keyPepper: 'another pepper of 32 characters…' };
    await assert.rejects(
      restoreBackup(other, backup, { force: true }),
      /KEY_PEPPER is not that .* secrets\.json/,
    );
    const unsigned = { ...target.addresses, webhookSecretKey: 'another key of 32 characters… … …' };
    await assert.rejects(
      restoreBackup(unsigned, backup, { force: true }),
      /WEBHOOK_SECRET_KEY is not that .* secrets\.json/,
    );
    const file = join(backup, 'fact_transfers.native.zst');
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, -1), Buffer.from([1])]));
    await assert.rejects(
      restoreBackup(target.addresses, backup, { force: true }),
      /damaged files in .*: fact_transfers\.native\.zst$/,
    );
    rmSync(file);
    await assert.rejects(
      restoreBackup(target.addresses, backup, { force: true }),
      /fact_transfers\.native\.zst \(missing\)$/,
    );
    writeFileSync(file, bytes);
    assert.equal(await admits(target), 'admitted');
  });

  it('replaces what a target holds when it is asked to', async () => {
    await target.clickhouse.exec('TRUNCATE TABLE fact_transfers');
    await target.redis.set('strange', '1');
    await publishAlert(target.nats, 'family', 99);
    await restoreBackup(target.addresses, backup, { force: true });
    const contents = await readContents(source.clickhouse);
    assert.deepEqual(await readContents(target.clickhouse), contents);
    assert.equal(await target.redis.get('strange'), null);
    assert.deepEqual(await readPlaces(target.nats), await readPlaces(source.nats));
  });
});
