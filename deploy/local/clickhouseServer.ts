import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';
import { z } from 'zod';
import { LOOPBACK, sha256Hex } from './launch.ts';

// ClickHouse as a process: the engine of the npm package chdb with its own HTTP and TCP listeners.
//   clickhouseServer.ts DATA_DIR SECRETS_FILE HTTP_PORT TCP_PORT CONFIG_FILE
// Ready when the database `tsd` exists. SIGTERM flushes the logs and ends the process with SIGKILL, which is
// the engine's clean stop: every acknowledged insert is on disk, and it has no other way out of its query loop.

const DATABASE = 'tsd';
/** Keeps the engine, and with it the listeners, running. */
const ENDLESS_QUERY =
  'SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1, max_threads = 1 FORMAT Null';
const REQUEST_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;

const [dataArg = '', secretsPath = '', httpPort = '', tcpPort = '', configFile = ''] =
  process.argv.slice(2);
const dataDir = resolve(dataArg);
const storeDir = join(dataDir, 'store');
mkdirSync(storeDir, { recursive: true });

const passwords = z
  .object({ clickhouseApp: z.string(), clickhouseAnalyst: z.string() })
  .parse(JSON.parse(readFileSync(secretsPath, 'utf8')));
process.env['CLICKHOUSE_LOG'] = join(dataDir, 'clickhouse.log');
process.env['CLICKHOUSE_APP_SHA256'] = sha256Hex(passwords.clickhouseApp);
process.env['CLICKHOUSE_ANALYST_SHA256'] = sha256Hex(passwords.clickhouseAnalyst);

// The system logs of an earlier run would stop this one's: "Directory for table data already exists".
rmSync(join(storeDir, 'data/system'), { recursive: true, force: true });

const query = async (text: string): Promise<void> => {
  const response = await fetch(`http://${LOOPBACK}:${httpPort}/`, {
    method: 'POST',
    body: text,
    headers: {
      connection: 'close',
      'X-ClickHouse-User': 'app',
      'X-ClickHouse-Key': passwords.clickhouseApp,
    },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(body);
};

let isStopping = false;
const endNow = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
const stop = async (): Promise<void> => {
  isStopping = true;
  await query('SYSTEM FLUSH LOGS').catch(() => undefined);
  endNow();
};
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());

/** Runs the engine in a thread of its own; its last query never ends, so it returns only on a failure. */
const runEngine = async (): Promise<string> => {
  const argv = [
    'clickhouse',
    `--path=${storeDir}`,
    `--config-file=${configFile}`,
    `--listen_host=${LOOPBACK}`,
    `--http_port=${httpPort}`,
    `--tcp_port=${tcpPort}`,
    `--query=SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; ${ENDLESS_QUERY}`,
  ];
  open({ library: 'chdb', path: resolveLibchdb().path });
  const result = await load({
    library: 'chdb',
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  });
  return load({
    library: 'chdb',
    funcName: 'chdb_result_error',
    retType: DataType.String,
    paramsType: [DataType.External],
    paramsValue: [result],
  });
};

void runEngine().then((message) => {
  if (!isStopping) console.error('the engine ended:', message);
  endNow();
});

const deadline = Date.now() + START_TIMEOUT_MS;
for (;;) {
  try {
    await query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
    break;
  } catch (error) {
    if (Date.now() > deadline) {
      console.error('no answer from the engine:', error);
      endNow();
    }
    await sleep(POLL_MS);
  }
}
console.log(`ready on port ${httpPort}`);
