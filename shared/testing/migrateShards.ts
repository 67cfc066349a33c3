import assert from 'node:assert';
import { migrate } from '../../migrations/migrate.ts';
import { renderForCluster } from '../../migrations/renderForCluster.ts';
import { createClickhouse } from '../platform/clickhouse.ts';
import { silentLogger } from '../platform/logger.ts';
import { CLICKHOUSE_CLUSTER } from './services.ts';

const ON_CLUSTER = ` ON CLUSTER ${CLICKHOUSE_CLUSTER}`;
const REPLICATED = /ENGINE = Replicated(\w+)\('[^']*', '[^']*'(?:, )?/;

/**
 * What the embedded engine can run of a statement for a cluster. It refuses ON CLUSTER ("Replicated
 * DDL queries are disabled") and leaves replicated tables read-only ("Parameter
 * 'interserver_http(s)_port' required for replication is not specified"): the first is done here by
 * running the statement on every server, the second is left out.
 */
const embedded = (statement: string): string =>
  statement.replace(ON_CLUSTER, '').replace(REPLICATED, 'ENGINE = $1(');

/** Makes the tables of a sharded deployment on servers that know one another. */
export const migrateShards = async (urls: readonly string[]): Promise<void> => {
  const target = { cluster: CLICKHOUSE_CLUSTER, database: 'tsd' };
  const servers = urls.map((url) => createClickhouse({ url }));
  const [first] = servers;
  assert.ok(first);
  const exec = async (statement: string): Promise<void> => {
    const where = statement.includes(ON_CLUSTER) ? servers : [first];
    await Promise.all(where.map((server) => server.exec(embedded(statement))));
  };
  const render = (statement: string): string[] => renderForCluster(statement, target);
  await migrate({ ...first, exec }, silentLogger, { render });
  await Promise.all(servers.map((server) => server.close()));
};
