import { LEDGER_TABLE, SHARDING } from './sharding.ts';

/** The part of a table that one shard holds. */
const localOf = (table: string): string => `${table}_local`;

const NAME = '([a-z_]+)';
const TABLE = new RegExp(`^CREATE TABLE IF NOT EXISTS ${NAME} \\(`);
const VIEW = new RegExp(`^CREATE VIEW IF NOT EXISTS ${NAME} \\(`);
const ALTER = new RegExp(`^ALTER TABLE ${NAME}\\s`);
const DROP = /^DROP TABLE IF EXISTS ([a-z_, ]+)$/;
const ENGINE = /ENGINE = ([A-Za-z]*MergeTree)(?:\(([^)]*)\))?/;

const onCluster = (statement: string, cluster: string, from: string, to: string): string =>
  statement.replace(from, `${to} ON CLUSTER ${cluster}`);

/** The engine with its path in the coordination service: the same for all replicas of a shard. */
const replicated = (statement: string, shard: string, replica: string): string => {
  const [found, engine = '', args = ''] = ENGINE.exec(statement) ?? [];
  if (!found) throw new Error(`no engine in: ${statement}`);
  const place = `'/clickhouse/tables/${shard}/{database}/{table}', '${replica}'`;
  const rest = args === '' ? '' : `, ${args}`;
  return statement.replace(found, `ENGINE = Replicated${engine}(${place}${rest})`);
};

const shardingExpression = (table: string): string => {
  const columns = SHARDING[table];
  if (!columns) throw new Error(`${table}: say in sharding.ts how it is spread over shards`);
  return `cityHash64(${columns.join(', ')})`;
};

/** The table for all readers and writers: all shards as one. */
const distributed = (table: string, { cluster, database }: ClusterTarget): string =>
  `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER ${cluster} AS ${localOf(table)}
ENGINE = Distributed('${cluster}', '${database}', '${localOf(table)}', ${shardingExpression(table)})`;

const renderTable = (statement: string, table: string, target: ClusterTarget): string[] => {
  const head = `CREATE TABLE IF NOT EXISTS ${table}`;
  if (table === LEDGER_TABLE) {
    const whole = onCluster(statement, target.cluster, head, head);
    return [replicated(whole, 'all', '{shard}-{replica}')];
  }
  const local = onCluster(
    statement,
    target.cluster,
    head,
    `CREATE TABLE IF NOT EXISTS ${localOf(table)}`,
  );
  return [replicated(local, '{shard}', '{replica}'), distributed(table, target)];
};

/** Indexes and other parts of a Distributed table besides its columns belong to the shards. */
const renderAlter = (statement: string, table: string, { cluster }: ClusterTarget): string[] => {
  const head = `ALTER TABLE ${table}`;
  const clauses = statement.slice(head.length).split(/,\s*(?=(?:ADD|MODIFY|DROP|RENAME)\s)/);
  // Storage options of a column belong to the shards.
  const ofColumns = clauses.filter(
    (clause) =>
      /^\s*(?:ADD|MODIFY|DROP|RENAME) COLUMN/.test(clause) && !/^\s*MODIFY .* CODEC/.test(clause),
  );
  const local = onCluster(statement, cluster, head, `ALTER TABLE ${localOf(table)}`);
  if (ofColumns.length === 0) return [local];
  return [local, `${head} ON CLUSTER ${cluster} ${ofColumns.map((one) => one.trim()).join(', ')}`];
};

/** Distributed tables are dropped before their parts; a view has no part. */
const renderDrop = (names: string, { cluster }: ClusterTarget): string[] =>
  names
    .split(', ')
    .flatMap((name) => (name in SHARDING ? [name, localOf(name)] : [name]))
    .map((name) => `DROP TABLE IF EXISTS ${name} ON CLUSTER ${cluster} SYNC`);

/** Where tables are created: a cluster by its name in `remote_servers`, and the database. */
export interface ClusterTarget {
  readonly cluster: string;
  readonly database: string;
}

/**
 * A migration statement for one server as equivalent statements for a cluster: replicated tables in every shard, with
 * a Distributed table of the plain name over them.
 * @throws Error for an unknown form of statement.
 */
export const renderForCluster = (statement: string, target: ClusterTarget): string[] => {
  const { cluster } = target;
  const [, table] = TABLE.exec(statement) ?? [];
  if (table) return renderTable(statement, table, target);
  const [, view] = VIEW.exec(statement) ?? [];
  if (view) {
    const head = `CREATE VIEW IF NOT EXISTS ${view}`;
    return [onCluster(statement, cluster, head, head)];
  }
  const [, altered] = ALTER.exec(statement) ?? [];
  if (altered) return renderAlter(statement, altered, target);
  const [, dropped] = DROP.exec(statement) ?? [];
  if (dropped) return renderDrop(dropped, target);
  throw new Error(`cannot be rendered for a cluster: ${statement.slice(0, 80)}`);
};
