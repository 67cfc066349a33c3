import { join } from 'node:path';
import { z } from 'zod';
import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { API_CHAIN_ID, startApi } from '../../api/testing/startApi.ts';
import { VERDICT_COLUMNS, verdictSummary } from '../../api/tokens/verdict.ts';
import { addressParam, asAddress } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { startScript } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { CONNECTIONS } from '../bench/apiReads.ts';
import { serverPids, untilAnswers } from '../bench/childProcesses.ts';
import { insertTokens, tokenAt, untilMerged } from '../bench/manyTokens.ts';
import { LOOPBACK } from '../local/launch.ts';
import { installPg } from './pgModule.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { INDEXES, INSERT, PARTS_INDEXES, TABLES } from './postgresReads.ts';

/** A server that answers the reads. */
export interface ReadSubject {
  readonly baseUrl: string;
  /** Headers of the callers, used in turns. */
  readonly callers: readonly Readonly<Record<string, string>>[];
  /** The process that answers. */
  readonly program: number;
  readonly servers: readonly number[];
}

/** Both, by name. */
export interface ReadSubjects {
  readonly subjects: ReadonlyMap<string, ReadSubject>;
  stop(): Promise<void>;
}

const ROWS_AT_ONCE = 10_000;
const FILL_TIMEOUT_MS = 600_000;

const storedRow = verdictSummary.extend({
  creator: addressSchema,
  percent: z.number(),
  failed: z.array(z.string()),
  doc: z.string(),
});
const ROWS_SQL = `SELECT ${VERDICT_COLUMNS}, ${hexText('v.creator')} AS creator, v.percent AS percent, v.failed AS failed, v.doc AS doc
  FROM token_verdicts AS v FINAL WHERE v.chain_id = {chainId:UInt64} AND v.token > ${asAddress('after')}
  ORDER BY v.token LIMIT ${ROWS_AT_ONCE}`;

/** Copies the next rows. @returns where to continue; undefined at the end */
const copyRows = async (
  clickhouse: Clickhouse,
  postgres: Postgres,
  after: Hex,
): Promise<{ after: Hex } | undefined> => {
  const params = { chainId: API_CHAIN_ID, after: addressParam(after) };
  const rows = await clickhouse.query(ROWS_SQL, params, storedRow);
  const copied = rows.map((row) => ({
    ...row,
    nameTerm: foldText(row.name),
    symbolTerm: foldText(row.symbol),
  }));
  await postgres.query(INSERT, [JSON.stringify(copied)]);
  const last = rows.at(-1);
  return last && { after: last.token };
};

/**
 * Copies every verdict from ClickHouse to PostgreSQL, in the order of addresses, in the same way as the API's index
 * is filled.
 */
const copyVerdicts = async (clickhouse: Clickhouse, postgres: Postgres): Promise<void> => {
  await postgres.query(TABLES);
  for (let place: { after: Hex } | undefined = { after: ZERO_ADDRESS }; place; ) {
    place = await copyRows(clickhouse, postgres, place.after);
  }
  const parts = await postgres.query(
    `SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'`,
  );
  for (const sql of [...INDEXES, ...(parts.length > 0 ? PARTS_INDEXES : [])]) {
    await postgres.query(sql);
  }
  await postgres.query('VACUUM (ANALYZE, FREEZE)');
};

/** The compiled API; its tables are filled before it starts. */
const startOurs = async (fill: (clickhouse: Clickhouse) => Promise<void>) => {
  const api = await startApi(
    { RATE_PLANS: WIDE_PLANS, LOG_LEVEL: 'warn' },
    [join(projectRoot(), 'dist/api/main.js')],
    async () => {
      const server = await startMigratingClickhouse();
      const clickhouse = createClickhouse({ url: server.url, timeoutMs: FILL_TIMEOUT_MS });
      await fill(clickhouse);
      await clickhouse.close();
      return server;
    },
  );
  const keys = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => api.newKey('enterprise')),
  );
  const callers = keys.map(({ key }) => ({ 'x-api-key': key }));
  const servers = [...serverPids().values()];
  const subject = { baseUrl: api.baseUrl, callers, program: api.process.pid, servers };
  return { subject, stop: api.close };
};

const startRoute = async (postgres: Postgres, packages: string) => {
  const port = await freePort();
  const baseUrl = `http://${LOOPBACK}:${port}`;
  const env = { PORT: String(port), DB_URL: postgres.url, PACKAGES: packages };
  const args = ['--import', 'tsx', 'deploy/compare/postgresRoute.ts'];
  const route = startScript('route', args, env);
  await untilAnswers(`${baseUrl}/tokens/${tokenAt(0)}`, route);
  const subject = { baseUrl, callers: [{}], program: route.pid, servers: [postgres.pid] };
  return { subject, stop: () => route.stop() };
};

/** Starts both on the same rows, with a number of tokens. */
export const startReadSubjects = async (tokens: number): Promise<ReadSubjects> => {
  const folder = await installPg();
  const postgres = await startPostgres(folder);
  const ours = await startOurs(async (clickhouse) => {
    await insertTokens(clickhouse, 0, tokens, () => undefined);
    await untilMerged(clickhouse);
    await copyVerdicts(clickhouse, postgres);
  });
  const route = await startRoute(postgres, folder);
  return {
    subjects: new Map([
      ['this service', ours.subject],
      [`Koa and PostgreSQL ${postgres.version}`, route.subject],
    ]),
    stop: async () => {
      await route.stop();
      await ours.stop();
      await postgres.stop();
    },
  };
};
