import { randomBytes } from 'node:crypto';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

// ClickHouse as a process: the engine of the npm package chdb with its own listeners.
// TCP is for shards of a cluster only: a wrong password there ends the engine ("Terminate called for uncaught exception").
//   clickhouseServer.mjs DATA_DIR CONFIG_FILE HTTP_PORT [TCP_PORT], with absolute paths
// Listens when the database `tsd` exists. SIGTERM flushes the logs and ends the process with SIGKILL, which is
// the engine's clean stop: every acknowledged insert is on disk, and it has no other way out of its query loop.
// Plain JavaScript: it runs confined (confinement.ts), where there is nothing to compile it with.

const LOOPBACK = '127.0.0.1';
/** Keeps the engine, and with it the listeners, running. */
const ENDLESS_QUERY =
  'SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1, max_threads = 1 FORMAT Null';
const FLUSH_TIMEOUT_MS = 5_000;
const SECRET_BYTES = 24;

// Before any variable is set: where /proc is closed, the engine looks for the CPU's properties behind the environment
// which the process was started with.
open({ library: 'chdb', path: resolveLibchdb().path });

const [dataDir = '', configFile = '', httpPort = '', tcpPort] = process.argv.slice(2);
const password = process.env['CLICKHOUSE_APP_PASSWORD'] ?? '';
const storeDir = join(dataDir, 'store');
mkdirSync(storeDir, { recursive: true });
process.env['CLICKHOUSE_LOG'] = join(dataDir, 'clickhouse.log');

// The system logs of an earlier run would stop this one's: "Directory for table data already exists".
rmSync(join(storeDir, 'data/system'), { recursive: true, force: true });

// The engine takes the folder it was started in for that of its user's files, and does not check who reads a file from
// there or from anywhere else: not by the function file(), nor by tables named like a file. Where that folder is gone
// every such query fails before it opens anything. It needs one until it has started.
const startDir = join(dataDir, 'start');
mkdirSync(startDir, { recursive: true });
process.chdir(startDir);

const endNow = () => {
  process.kill(process.pid, 'SIGKILL');
};
let isStopping = false;
const stop = async () => {
  isStopping = true;
  const headers = { 'X-ClickHouse-User': 'app', 'X-ClickHouse-Key': password };
  const signal = AbortSignal.timeout(FLUSH_TIMEOUT_MS);
  await fetch(`http://${LOOPBACK}:${httpPort}/`, {
    method: 'POST',
    body: 'SYSTEM FLUSH LOGS',
    headers,
    signal,
  }).catch(() => undefined);
  endNow();
};
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());

/**
 * Answers the engine's question whether `default` may log in: yes to the first, which is of its own session and comes
 * before it listens, no to all others. Returns the URL, which only the engine knows.
 */
const openGate = async () => {
  const path = `/${randomBytes(SECRET_BYTES).toString('hex')}`;
  let isOpen = true;
  const gate = createServer((request, response) => {
    const isAllowed = isOpen && request.url === path;
    if (isAllowed) {
      isOpen = false;
      rmdirSync(startDir);
    }
    response.writeHead(isAllowed ? 200 : 403).end();
  });
  await new Promise((resolve, reject) => {
    gate.once('error', reject);
    gate.listen(0, LOOPBACK, resolve);
  });
  return `http://${LOOPBACK}:${gate.address().port}${path}`;
};

/** Runs the engine in a thread of its own; its last query never ends, so it returns only on a failure. */
const runEngine = async () => {
  const queries = [
    'CREATE DATABASE IF NOT EXISTS tsd',
    ...(tcpPort === undefined ? [] : ['SYSTEM START LISTEN TCP']),
    'SYSTEM START LISTEN HTTP',
    ENDLESS_QUERY,
  ];
  const argv = [
    'clickhouse',
    `--path=${storeDir}`,
    `--config-file=${configFile}`,
    `--listen_host=${LOOPBACK}`,
    `--http_port=${httpPort}`,
    ...(tcpPort === undefined ? [] : [`--tcp_port=${tcpPort}`]),
    `--query=${queries.join('; ')}`,
  ];
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

process.env['CLICKHOUSE_GATE_URL'] = await openGate();
const message = await runEngine();
if (!isStopping) console.error('the engine ended:', message);
endNow();
