import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import {
  type ClickhouseService,
  startClickhouse,
  startClickhouseCluster,
} from '../../shared/testing/services.ts';
import { queryRows } from '../local/probes.ts';

const QUERY_MS_MAX = 20_000;
/** Content of every file that queries try to read. */
const MARK = 'not-for-queries';
const ORIGIN = 'https://elsewhere.example';

/** Every way to name a file in a query that reads. */
const READS: readonly ((path: string) => string)[] = [
  (path) => `SELECT file('${path}')`,
  (path) => `SELECT file('${path}', 'nothing')`,
  (path) => `SELECT file(materialize('${path}'))`,
  (path) => `SELECT file('${relative('/', path)}')`,
  (path) => `SELECT file('${'../'.repeat(12)}${relative('/', path)}')`,
  (path) => `SELECT FiLe(concat('${path.slice(0, 3)}', '${path.slice(3)}'))`,
  (path) => `SELECT * FROM file('${path}')`,
  (path) => `SELECT * FROM file('${path}', 'LineAsString')`,
  (path) => `SELECT * FROM file('${path}', 'RawBLOB')`,
  (path) => `SELECT * FROM file('${dirname(path)}/*', 'LineAsString')`,
  (path) => `SELECT * FROM fileCluster('default', '${path}', 'LineAsString')`,
  (path) => `SELECT * FROM \`${path}\``,
  (path) => `SELECT * FROM default.\`${path}\``,
  (path) => `SELECT * FROM url('file://${path}', 'LineAsString')`,
  (path) => `SELECT * FROM filesystem('${path}')`,
  (path) => `SELECT * FROM sqlite('${path}', 'a')`,
  (path) => `SELECT * FROM executable('cat ${path}', 'TSV', 'a String')`,
  (path) => `SELECT * FROM icebergLocal('${path}')`,
  (path) => `SELECT * FROM deltaLakeLocal('${path}')`,
  (path) => `SELECT catboostEvaluate('${path}', 1)`,
  (path) =>
    `SELECT * FROM input('a String') FORMAT LineAsString SETTINGS format_schema = '${path}'`,
];

/** The process may read it because Node does: it holds no secret. */
const PACKAGE_FILE = join(projectRoot(), 'package.json');

/**
 * The server reads such a file itself: through `app`, which may write the table, only files that the process may
 * open.
 */
const insertFrom = (path: string): string =>
  `INSERT INTO marks FROM INFILE '${path}' FORMAT LineAsString`;

/** Functions that reach beyond the server, or leave something behind. */
const REACHES: readonly string[] = [
  `SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')`,
  `SELECT * FROM s3('http://127.0.0.1:1/bucket/key', 'LineAsString')`,
  `SELECT * FROM hdfs('hdfs://127.0.0.1:1/a', 'LineAsString')`,
  `SELECT * FROM remote('127.0.0.1', 'tsd.marks')`,
  `SELECT * FROM mysql('127.0.0.1:1', 'a', 'a', 'a', 'a')`,
  `SELECT * FROM postgresql('127.0.0.1:1', 'a', 'a', 'a', 'a')`,
  `SELECT * FROM redis('127.0.0.1:1', 'a', 'a String')`,
  `SELECT * FROM mongodb('127.0.0.1:1', 'a', 'a', 'a', 'a', 'a String')`,
  `SELECT * FROM marks`,
  `SELECT * FROM merge('tsd', 'marks')`,
  `SELECT 1 INTO OUTFILE '/tmp/tsd-outfile'`,
  `INSERT INTO FUNCTION file('/tmp/tsd-outfile', 'LineAsString') SELECT 'a'`,
  `CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' format 'LineAsString')) LAYOUT(FLAT())`,
  `CREATE TABLE f (a String) ENGINE = File('LineAsString', '/etc/passwd')`,
  `CREATE TEMPORARY TABLE f (a String) ENGINE = File('LineAsString', '/etc/passwd')`,
  `CREATE DATABASE f ENGINE = Filesystem('/etc')`,
  `CREATE FUNCTION f AS (a) -> file(a)`,
];

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
const text = (value: string): number[] => [...varint(value.length), ...Buffer.from(value)];
const REVISION = 54_447;

/** The first byte of the answer to a hello of the native protocol: 0 is welcome, 2 an exception. */
const greet = (port: number, user: string, password: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, timeout: QUERY_MS_MAX });
    const hello = [
      ...varint(0),
      ...text('test'),
      ...[26, 7, REVISION].flatMap(varint),
      ...['default', user, password].flatMap(text),
    ];
    socket.once('connect', () => socket.write(Buffer.from(hello)));
    socket.once('data', (answer) => {
      resolve(answer[0] ?? -1);
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer to a hello')));
    socket.once('error', reject);
  });

describe('ClickHouse of the local stack', () => {
  let service: ClickhouseService;
  let folder: string;
  let files: readonly string[];
  const users = (): Record<string, string> => ({ app: service.url, analyst: service.analystUrl });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tsd-closed-'));
    const inTmp = join(folder, 'file');
    writeFileSync(inTmp, `${MARK}\n`, { mode: 0o644 });
    service = await startClickhouse({
      fill: (dataDir) => writeFileSync(join(dataDir, 'inside'), `${MARK}\n`),
    });
    const ask = (sql: string): Promise<string> => queryRows(service.url, sql, QUERY_MS_MAX);
    await ask('CREATE TABLE marks (mark String CODEC(NONE)) ENGINE = MergeTree ORDER BY tuple()');
    await ask(`INSERT INTO marks VALUES ('${MARK}')`);
    const part = await ask(`SELECT path FROM system.parts WHERE table = 'marks' AND active`);
    const rows = join(part.trim(), 'data.bin');
    assert.match(readFileSync(rows, 'latin1'), new RegExp(MARK));
    files = [
      inTmp,
      join(service.dataDir, 'inside'),
      rows,
      join(dirname(service.dataDir), 'secrets.json'),
      PACKAGE_FILE,
      '/etc/passwd',
      '/etc/shadow',
      '/proc/self/environ',
      '/proc/1/environ',
      `/proc/${process.pid}/environ`,
    ];
  });
  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads no file for any user, by no spelling', async () => {
    for (const [user, url] of Object.entries(users())) {
      for (const path of files) {
        for (const read of READS) {
          const sql = read(path);
          await assert.rejects(queryRows(url, sql, QUERY_MS_MAX), `${user}: ${sql}`);
        }
        if (user === 'app' && (path.startsWith(service.dataDir) || path === PACKAGE_FILE)) continue;
        const insert = insertFrom(path);
        await assert.rejects(queryRows(url, insert, QUERY_MS_MAX), `${user}: ${insert}`);
      }
    }
  });

  it('takes the analyst nowhere', async () => {
    for (const sql of REACHES) {
      await assert.rejects(
        queryRows(service.analystUrl, sql, QUERY_MS_MAX),
        /ACCESS_DENIED|READONLY|UNKNOWN_TABLE|CANNOT_EXTRACT|UNKNOWN_FUNCTION|INTO_OUTFILE_NOT_ALLOWED|NOT_IMPLEMENTED|SYNTAX_ERROR|confined/,
        sql,
      );
    }
    assert.ok(!existsSync('/tmp/tsd-outfile'));
  });

  it('refuses everyone without a password', async () => {
    const { origin } = new URL(service.url);
    const basic = `Basic ${Buffer.from('default:').toString('base64')}`;
    const logins: readonly { query?: string; headers?: Record<string, string> }[] = [
      {},
      { query: '?user=default' },
      { query: '?user=default&password=' },
      { headers: { 'X-ClickHouse-User': 'default' } },
      { headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': '' } },
      { headers: { authorization: basic } },
      { headers: { 'X-Forwarded-For': '127.0.0.1' } },
      { query: '?user=app' },
      { query: '?user=analyst' },
      { query: '?user=' },
    ];
    for (const { query = '', headers = {} } of logins) {
      for (const body of [
        'SELECT 1',
        `SELECT file('${files[0]}')`,
        'SELECT * FROM system.numbers',
      ]) {
        const signal = AbortSignal.timeout(QUERY_MS_MAX);
        const response = await fetch(`${origin}/${query}`, {
          method: 'POST',
          body,
          headers,
          signal,
        });
        const answer = `${query} ${JSON.stringify(headers)} ${body}: ${await response.text()}`;
        assert.ok([401, 403].includes(response.status), answer);
      }
    }
  });

  it('refuses everyone without a password over TCP', async () => {
    await assert.rejects(
      queryRows(service.url, `SELECT getServerPort('tcp_port')`, QUERY_MS_MAX),
      'the stack needs no TCP',
    );
    for (const user of ['default', 'app', 'analyst', '']) {
      const [shard] = await startClickhouseCluster(1);
      assert.ok(shard);
      try {
        const port = await queryRows(shard.url, `SELECT getServerPort('tcp_port')`, QUERY_MS_MAX);
        const password = decodeURIComponent(new URL(shard.url).password);
        assert.equal(await greet(Number(port), 'app', password), 0);
        assert.equal(await greet(Number(port), user, ''), 2, user);
      } finally {
        await shard.stop();
      }
    }
  });

  it('lets no page of another origin read an answer', async () => {
    const { origin } = new URL(service.url);
    for (const url of [...Object.values(users()), origin]) {
      const { username, password } = new URL(url);
      const login = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        for (const query of ['', '&add_http_cors_header=1', '&add_http_cors_header=true']) {
          const response = await fetch(`${origin}/?query=SELECT+1${query}`, {
            method,
            headers: { origin: ORIGIN, ...(username === '' ? {} : login) },
            signal: AbortSignal.timeout(QUERY_MS_MAX),
          });
          await response.arrayBuffer();
          const allowed = response.headers.get('access-control-allow-origin');
          assert.equal(allowed, null, `${username} ${method} ${query}`);
        }
      }
    }
  });

  it('is as closed after a restart', async () => {
    await service.restart();
    const response = await fetch(new URL(service.url).origin, { method: 'POST', body: 'SELECT 1' });
    await response.arrayBuffer();
    assert.ok([401, 403].includes(response.status));
    for (const url of Object.values(users())) {
      await assert.rejects(queryRows(url, `SELECT file('${files[1]}')`, QUERY_MS_MAX), /confined/);
    }
    assert.equal(await queryRows(service.url, 'SELECT mark FROM marks', QUERY_MS_MAX), `${MARK}\n`);
  });
});
