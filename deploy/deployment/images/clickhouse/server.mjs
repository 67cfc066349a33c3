import { rmSync } from 'node:fs';
import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

// The engine of ClickHouse as a server in a container: the configuration of the image with what compose lays over it.
// SIGTERM is answered by SIGKILL: what was acknowledged is on disk, and the engine has no other way out of its query.

const DATA = '/var/lib/clickhouse';
const ENDLESS_QUERY =
  'SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1, max_threads = 1 FORMAT Null';

const end = () => process.kill(process.pid, 'SIGKILL');
process.on('SIGTERM', end);
process.on('SIGINT', end);

// The system logs of an earlier run would stop this one's: "Directory for table data already exists".
rmSync(`${DATA}/data/system`, { recursive: true, force: true });
process.chdir('/tmp');

const argv = [
  'clickhouse',
  `--path=${DATA}`,
  '--config-file=/etc/clickhouse-server/config.xml',
  '--listen_host=0.0.0.0',
  '--http_port=8123',
  '--tcp_port=9000',
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
const message = load({
  library: 'chdb',
  funcName: 'chdb_result_error',
  retType: DataType.String,
  paramsType: [DataType.External],
  paramsValue: [result],
});
process.stderr.write(`the engine ended: ${message}\n`);
end();
