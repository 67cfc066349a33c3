import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clickhouse, createClickhouse } from '../shared/platform/clickhouse.ts';
import { fields, readConfig } from '../shared/platform/config.ts';
import { errorMessage, FatalError, RetryableError } from '../shared/platform/errors.ts';
import { createLogger, type Logger } from '../shared/platform/logger.ts';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { type MigrationFile, planMigrations } from './plan.ts';
import { renderForCluster } from './renderForCluster.ts';
import { retentionFields, retentionStatements } from './retention.ts';
import { splitStatements } from './statements.ts';

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name String COMMENT 'File of the migration',
  checksum String COMMENT 'SHA-256 of its text, hexadecimal',
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it was applied, version of the row'
) ENGINE = ReplacingMergeTree(applied_at) ORDER BY name`;

const appliedSchema = z.object({ name: z.string(), checksum: z.string() });

/** All migrations, in no order. */
export const readMigrations = async (): Promise<MigrationFile[]> => {
  const folder = join(projectRoot(), 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
};

/** Runs a statement; an error names the file and the number of the statement in it, and keeps its class. */
const execStatement = async (
  clickhouse: Clickhouse,
  statement: string,
  where: string,
): Promise<void> => {
  try {
    await clickhouse.exec(statement);
  } catch (error) {
    const Failure = error instanceof RetryableError ? RetryableError : FatalError;
    throw new Failure(`${where}: ${errorMessage(error)}`, { cause: error });
  }
};

/**
 * Brings the schema up to date. Safe to repeat and to run concurrently: every statement is idempotent, and a partly
 * applied file is applied again.
 * @param options `render` turns a statement into those for this deployment: see `renderForCluster`. `through` names
 * the last migration to apply; all if absent.
 * @throws FatalError if the plan or a file is refused, before anything is applied; RetryableError while ClickHouse is
 * unavailable. The error of a statement names its file and its number in it, from 1.
 */
export const migrate = async (
  clickhouse: Clickhouse,
  logger: Logger,
  options: { render?: (statement: string) => readonly string[]; through?: string } = {},
): Promise<number> => {
  const { render = (statement) => [statement], through } = options;
  for (const statement of render(LEDGER)) await clickhouse.exec(statement);
  const applied = await clickhouse.query(
    'SELECT name, checksum FROM schema_migrations FINAL',
    {},
    appliedSchema,
  );
  const files = await readMigrations();
  const pending = refusing(() => planMigrations(files, applied))
    .filter(({ name }) => through === undefined || name <= through)
    .map((file) => ({ ...file, statements: statementsOf(file).map(render) }));
  for (const { name, statements, checksum } of pending) {
    for (const [index, rendered] of statements.entries()) {
      const where = `${name}, statement ${index + 1}`;
      for (const statement of rendered) await execStatement(clickhouse, statement, where);
    }
    await clickhouse.insert('schema_migrations', [{ name, checksum }]);
    logger.info({ name }, 'migration applied');
  }
  return pending.length;
};

const tableSchema = z.object({ name: z.string(), query: z.string() });
const TABLES_SQL = `SELECT name, create_table_query AS query FROM system.tables
  WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`;

/** Applies the configured retention. Resolves to the number of changed tables. */
export const retain = async (
  clickhouse: Clickhouse,
  retention: Parameters<typeof retentionStatements>[0],
  render: (statement: string) => readonly string[] = (statement) => [statement],
): Promise<number> => {
  const tables = await clickhouse.query(TABLES_SQL, {}, tableSchema);
  const statements = retentionStatements(retention, tables);
  for (const statement of statements.flatMap(render)) await clickhouse.exec(statement);
  return statements.length;
};

const refusing = <T>(read: () => T, where = ''): T => {
  try {
    return read();
  } catch (error) {
    throw new FatalError(`${where}${errorMessage(error)}`, { cause: error });
  }
};

const statementsOf = ({ name, sql }: MigrationFile): string[] =>
  refusing(() => splitStatements(sql), `${name}: `);

/** What the migrations read from the environment. */
export const migrateConfigSchema = z.object({
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  /** The cluster whose servers get the tables, by its name in `remote_servers`. Absent: one server. */
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'must be a name of lower-case letters, digits and _')
    .optional(),
  ...retentionFields,
});

const DATABASE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Creates the database named in `url`: a new server has only its default one. */
export const createDatabase = async (url: string, cluster: string | undefined): Promise<string> => {
  const { pathname } = new URL(url);
  const database = pathname.slice(1) || 'default';
  if (!DATABASE_NAME.test(database)) {
    throw new FatalError('CLICKHOUSE_URL: its database must be a name of letters, digits and _');
  }
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${cluster}`;
  const base = new URL(url);
  base.pathname = '/default';
  const server = createClickhouse({ url: base.href });
  try {
    await server.exec(`CREATE DATABASE IF NOT EXISTS ${database}${everywhere}`);
  } finally {
    await server.close();
  }
  return database;
};

/**
 * Creates the database and its tables, or updates them to the newest schema and the configured retention.
 * @throws FatalError if the plan is refused; RetryableError while ClickHouse is unavailable.
 */
export const migrateDatabase = async (
  config: z.output<typeof migrateConfigSchema>,
  logger: Logger,
): Promise<void> => {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER: cluster } = config;
  const database = await createDatabase(url, cluster);
  const clickhouse = createClickhouse({ url });
  try {
    const target = cluster && { cluster, database };
    const render = target ? (statement: string) => renderForCluster(statement, target) : undefined;
    const count = await migrate(clickhouse, logger, render ? { render } : {});
    const retained = await retain(clickhouse, config, render);
    logger.info({ count, retained }, 'schema is up to date');
  } finally {
    await clickhouse.close();
  }
};

const main = async (): Promise<void> => {
  const logger = createLogger('migrate', 'info');
  try {
    await migrateDatabase(readConfig(migrateConfigSchema), logger);
  } catch (error) {
    logger.error({ err: error }, errorMessage(error));
    process.exitCode = 1;
  }
};

if (process.argv[1] === import.meta.filename) await main();
