import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { createExports } from '../../api/export/createExports.ts';
import { untilHolds } from '../../shared/testing/pipelineProcess.ts';
import {
  clickhouse as database,
  emptyTables,
  server as service,
} from '../../shared/testing/tables.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { exportDays } from '../local/exportDays.ts';
import { askWithHint, queryRows, warningAbout } from '../local/probes.ts';
import {
  fillSample,
  QUERY_MS_MAX,
  questionsOf,
  readColumns,
  renderDictionary,
  withAnswers,
} from './sqlDocs.ts';

const documentOf = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const QUESTIONS = documentOf('./QUESTIONS.md');

/** A filter by the key of a table, as its view shows it. */
const BY_ADDRESS = [
  ['transfers', 'token'],
  ['holders', 'token'],
  ['failed_sales', 'token'],
  ['verdicts', 'token'],
  ['past_verdicts', 'token'],
  ['checks', 'token'],
  ['holders_experience', 'token'],
  ['locks', 'token'],
  ['trades', 'market'],
  ['token_trades', 'market'],
  ['market_events', 'market'],
  ['pool_events', 'pool'],
  ['native_transfers', 'to_address'],
  ['wallets', 'wallet'],
  ['wallet_edges', 'node'],
] as const;
/** Tables behind those views, with the column, and rows that fill several granules. */
const TABLES = [
  ['fact_transfers', 'token', 30_000],
  ['fact_native_transfers', 'to_address', 30_000],
  ['fact_failed_sales', 'token', 30_000],
  ['fact_pool_events', 'pool', 30_000],
  ['fact_market_events', 'market', 30_000],
  ['verdict_history', 'token', 8_000],
  ['token_verdicts', 'token', 1_000],
  ['dim_wallets', 'wallet', 16_000],
  ['graph_neighbours', 'node', 8_000],
] as const;
/** Columns besides the key that rows need for a view to show them. */
const SHOWN: Readonly<Record<string, string>> = {
  fact_pool_events: "'swap' AS kind",
  fact_market_events: "'swap' AS kind, 'uniswap_v4' AS protocol",
  graph_neighbours: "'edge' AS source",
};

/** Tables of key families, or internal to the service. */
const CLOSED = [
  'fact_transfers',
  'dim_tokens',
  'token_verdicts',
  'clusters',
  'webhook_deliveries',
  'alerts',
  'reports',
  'api_requests',
  'system.query_log',
  'system.users',
];

const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ query: z.string(), allValue: z.string() })) }),
  panels: z.array(
    z.object({
      title: z.string(),
      type: z.string(),
      targets: z.array(z.object({ rawSql: z.string() })).min(1),
    }),
  ),
});

/** The data source's form of a query for the days of the sample. */
const withMacros = (sql: string, chain: string): string =>
  sql
    .replace(
      /\$__timeFilter\((\w+)\)/g,
      '$1 >= toDateTime(1767225600) AND $1 <= toDateTime(1769904000)',
    )
    .replace(
      /\$__timeInterval\((\w+)\)/g,
      'toStartOfInterval(toDateTime($1), INTERVAL 3600 second)',
    )
    .replaceAll('${chain:csv}', chain);

const insertParquet = async (url: string, table: string, bytes: Buffer): Promise<void> => {
  const { origin, username, password, pathname } = new URL(url);
  const query = encodeURIComponent(`INSERT INTO ${table} FORMAT Parquet`);
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}&query=${query}`, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    signal: AbortSignal.timeout(QUERY_MS_MAX),
  });
  assert.equal(response.status, 200, await response.text());
};

describe('the analyst', () => {
  before(emptyTables);
  before(async () => {
    await fillSample(database);
    // The engine creates its log tables when it first writes logs, and denies access only to existing tables.
    await database.exec('SYSTEM FLUSH LOGS');
  });
  const ask = (sql: string): Promise<string> => queryRows(service.analystUrl, sql, QUERY_MS_MAX);
  const askNamed = (sql: string): Promise<string> =>
    queryRows(service.analystUrl, sql, QUERY_MS_MAX, 'TabSeparatedWithNames');

  it('gets the answers that the document gives to its questions', async () => {
    assert.equal(questionsOf(QUESTIONS).length, 21);
    assert.equal(await withAnswers(QUESTIONS, askNamed), QUESTIONS, 'make sql-docs');
  });

  it('reads text, with a comment on every column, as the dictionary says', async () => {
    const columns = await readColumns(askNamed);
    assert.equal(renderDictionary(columns), documentOf('./VIEWS.md'), 'make sql-docs');
    for (const { view, name, type, comment } of columns) {
      assert.ok(comment !== '', `${view}.${name} has no comment`);
      assert.ok(!type.includes('FixedString'), `${view}.${name} is bytes`);
    }
    const keys = new Map<string, Set<string>>();
    for (const { name, type } of columns) {
      keys.set(name, (keys.get(name) ?? new Set()).add(type.replace(/^Nullable\((.*)\)$/, '$1')));
    }
    for (const key of ['chain_id', 'token', 'market', 'wallet', 'cluster_id']) {
      assert.equal(keys.get(key)?.size, 1, `${key} is of ${[...(keys.get(key) ?? [])].join(', ')}`);
    }
  });

  it('counts the tokens of a family, who created them and which were drained', async () => {
    const doc = '{"frameworks":[{"name":"Solady","marks":3,"of":5}]}';
    await database.exec(`INSERT INTO dim_contracts (chain_id, token, skeleton, doc, version)
      SELECT chain_id, token, unhex(repeat('ab', 32)), '${doc}', 1 FROM dim_tokens FINAL`);
    const counted = `SELECT count(), uniqExactIf(creator, NOT match(creator, '^0x0+$')), countIf((chain_id, token) IN (SELECT chain_id, token FROM rugs)) FROM tokens`;
    const found = await ask('SELECT tokens, creators, drained, frameworks FROM code_families');
    assert.equal(found, `${(await ask(counted)).trimEnd()}\t['Solady']\n`);
    assert.match(found, /^\d+\t[2-9]\d*\t[1-9]/);
    const frameworks = await ask(
      'SELECT DISTINCT framework, marks, marks_known FROM token_frameworks',
    );
    assert.equal(frameworks, 'Solady\t3\t5\n');
  });

  it('reads a few granules where a view is filtered by an address, and inserts write no index for that', async () => {
    for (const [table, column, rows] of TABLES) {
      const key = `substring(SHA256(toString(number)), 1, ${column === 'market' ? 32 : 20})`;
      const shown = SHOWN[table] ?? '0 AS is_deleted';
      const names = [...shown.matchAll(/AS (\w+)/g)].map(([, name]) => name).join(', ');
      await database.exec(`INSERT INTO ${table} (chain_id, ${column}, version, ${names})
        SELECT 5, ${key}, 1, ${shown} FROM numbers(${rows})`);
    }
    const granules = async (view: string, column: string) => {
      const address = `0x${'ab'.repeat(column === 'market' ? 32 : 20)}`;
      const plan = await ask(
        `EXPLAIN indexes = 1 SELECT * FROM ${view} WHERE ${column} = '${address}'`,
      );
      const [, read, all] = /Name: by_text[\s\S]*?Granules: (\d+)\/(\d+)/.exec(plan) ?? [];
      assert.ok(read && all, `${view} does not use by_text:\n${plan}`);
      return { read: Number(read), all: Number(all) };
    };
    const inserted = await granules('transfers', 'token');
    assert.equal(inserted.read, inserted.all, 'an insert wrote the index');
    for (const [table] of TABLES) await database.exec(`OPTIMIZE TABLE ${table} FINAL`);
    for (const [view, column] of BY_ADDRESS) {
      const { read, all } = await granules(view, column);
      // One granule more if the previous rows end in it.
      assert.ok(all > 2 && read * 2 <= all, `${view}: ${read} of ${all} granules`);
    }
  });

  it('gets rows for every panel of the dashboard, and the values of its variable', async () => {
    const { panels, templating } = dashboardSchema.parse(
      JSON.parse(documentOf('../grafana/dashboards/tokens.json')),
    );
    const [chain] = templating.list;
    assert.ok(chain, 'the dashboard has no variable');
    assert.equal(await ask(chain.query), '1\n');
    for (const { title, type, targets } of panels) {
      for (const { rawSql } of targets) {
        for (const chosen of ['1', chain.allValue]) {
          const sql = withMacros(rawSql, chosen);
          const [head = '', ...rows] = (await askNamed(sql)).trimEnd().split('\n');
          assert.ok(rows.length > 0 && !/nan|\\N/.test(rows[0] ?? ''), `${title}: ${rows[0]}`);
          assert.equal(head.startsWith('time\t'), type === 'timeseries', title);
        }
      }
    }
  });

  it('exports days as Parquet files that hold the rows of the views', async () => {
    const out = tempFolder();
    const request = { url: service.analystUrl, out, timeoutMs: QUERY_MS_MAX, print: () => {} };
    await exportDays({ ...request, what: 'verdicts' });
    await exportDays({ ...request, what: 'tokens', day: '2026-01-05' });
    await exportDays({ ...request, what: 'trades', day: '2026-01-05' });
    assert.deepEqual(readdirSync(join(out, 'tokens')), ['2026-01-05.parquet']);
    assert.ok(readdirSync(join(out, 'verdicts')).includes('2026-01-06.parquet'), 'each day');
    await assert.rejects(
      exportDays({ ...request, what: 'alerts' }),
      /WHAT=alerts: must be one of verdicts/,
    );
    await assert.rejects(exportDays({ ...request, day: '2026-02-30' }), /DAY=2026-02-30: must/);
    const served = createExports(database, 1);
    for (const [what, at] of [
      ['verdicts', 'analyzed_at'],
      ['tokens', 'created_at'],
      ['trades', 'timestamp'],
    ] as const) {
      const back = `back_${what}`;
      await database.exec(`CREATE TABLE ${back} ENGINE = Memory AS SELECT * FROM ${what} LIMIT 0`);
      const file = readFileSync(join(out, what, '2026-01-05.parquet'));
      const stream = await served.open({
        family: 'f',
        what,
        day: '2026-01-05',
        signal: AbortSignal.timeout(QUERY_MS_MAX),
      });
      for (const bytes of [file, await buffer(stream)]) {
        await insertParquet(service.url, back, bytes);
      }
      const rows = (from: string) =>
        queryRows(service.url, `SELECT * FROM ${from} ORDER BY ALL`, QUERY_MS_MAX);
      const ofDay = await rows(`${what} WHERE toDate(${at}) = '2026-01-05' AND chain_id = 1`);
      assert.ok(ofDay.trim() !== '', `${what} has no rows of that day`);
      assert.equal(await rows(`(SELECT DISTINCT * FROM ${back})`), ofDay, what);
      const counted = `SELECT count() FROM ${back}`;
      const twice = 2 * (ofDay.split('\n').length - 1);
      assert.equal(await queryRows(service.url, counted, QUERY_MS_MAX), `${twice}\n`, what);
    }
  });

  it('is shown where a query is wrong, without all that could have been there', async () => {
    const message = /Syntax error: failed at position 1 \(SELEC\): SELEC 1\. \(SYNTAX_ERROR\)/;
    await assert.rejects(ask('SELEC 1'), message);
  });

  it('is told of values that cannot be found', async () => {
    const wrong = ask("SELECT count() FROM verdicts WHERE prediction = 'scam'");
    await assert.rejects(wrong, /Unknown element 'scam' for enum, maybe you meant: \['SCAM'\]/);
    const address = `'0x${'aB'.repeat(20)}'`;
    const query = `SELECT symbol FROM tokens WHERE token = `;
    assert.match(warningAbout(query + address) ?? '', /: write lower\('0x(aB)+'\)$/);
    for (const found of [`lower(${address})`, address.toLowerCase(), "'0xAB'"])
      assert.equal(warningAbout(query + found), undefined);
  });

  it('gets the names of the views, or the columns of those in question, where one is not known', async () => {
    const answerTo = (sql: string): Promise<string> =>
      askWithHint(service.analystUrl, sql, QUERY_MS_MAX);
    await assert.rejects(
      answerTo('SELECT v.scam FROM verdicts AS v JOIN rings AS r ON r.chain_id = v.chain_id'),
      /UNKNOWN_IDENTIFIER[^]*\nrings has chain_id, [^\n]*\nverdicts has chain_id, token, [^\n]*$/,
    );
    await assert.rejects(answerTo("SELECT nothing FROM (SELECT 'dim_tokens')"), (error: Error) => {
      assert.match(error.message, /UNKNOWN_IDENTIFIER/);
      assert.doesNotMatch(error.message, / has /, 'of tables that it may not see');
      return true;
    });
    await assert.rejects(answerTo('SELECT 1 FROM token'), (error: Error) => {
      assert.match(
        error.message,
        /UNKNOWN_TABLE[^]*\nThere are base_tokens, [^\n]*, tokens, [^\n]*$/,
      );
      assert.doesNotMatch(error.message, /dim_|fact_/, 'tables that it may not see');
      return true;
    });
    await assert.rejects(
      answerTo('SELECT 1 FROM token_verdicts'),
      /ACCESS_DENIED[^]*\nThere are base_tokens, [^\n]*, tokens, [^\n]*$/,
    );
    assert.equal(await answerTo('SELECT 1'), '1\n');
  });

  it('learns what to do where an answer takes too long, and what is left does not go on', async () => {
    const endless = 'SELECT count() FROM numbers(1000000000000) WHERE cityHash64(number) = 0';
    const left = await Promise.allSettled(
      [1, 2, 3].map(() => queryRows(service.analystUrl, endless, 300)),
    );
    for (const each of left) {
      assert.match(String(each.status === 'rejected' && each.reason), /0\.3 s: ask for fewer rows/);
    }
    const runs = (): Promise<string> =>
      queryRows(service.url, "SELECT count() FROM system.processes WHERE user = 'analyst'", 1_000);
    await untilHolds(async () => assert.equal(await runs(), '0\n'), 20_000);
  });

  it('writes nothing and changes no limit', async () => {
    const attempts = [
      `INSERT INTO fact_transfers (chain_id) VALUES (1)`,
      'CREATE TABLE mine (n UInt8) ENGINE = Memory',
      'CREATE TEMPORARY TABLE mine (n UInt8)',
      'DROP TABLE fact_transfers',
      'DROP VIEW transfers',
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
    assert.equal(await ask('SELECT count() FROM tokens WHERE chain_id = 1'), '5\n');
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
      `SELECT file('/etc/passwd')`,
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
