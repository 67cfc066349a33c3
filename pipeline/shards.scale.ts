import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { readMigrations } from '../migrations/migrate.ts';
import { renderForCluster } from '../migrations/renderForCluster.ts';
import { splitStatements } from '../migrations/statements.ts';
import { createClickhouse } from '../shared/platform/clickhouse.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { createRpc, type Rpc } from '../shared/platform/rpc/createRpc.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/random.ts';
import { CLICKHOUSE_CLUSTER, type Service, startAnvil } from '../shared/testing/services.ts';
import { poolEventLines, readLogs, transferLines } from './testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from './testing/chaos/crashStage.ts';
import {
  impliedListings,
  isAllRead,
  storedListings,
  storedPoolEvents,
  storedTokens,
  storedTransfers,
  storedVerdicts,
} from './testing/chaos/storedState.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const CHAIN_ID = 31_337;
const SHARDS = 3;
const WAIT_MS_MAX = 600_000;
const ACTIONS = 30;
const countSchema = z.object({ rows: z.number() });

describe('the pipeline on three ClickHouse servers behind Distributed tables', () => {
  let stack: PipelineStack;
  let anvil: Service;
  let devnet: Devnet;
  let driver: DevnetDriver;
  let rpc: Rpc;
  let roles: TestProcess[] = [];

  const converged = () => isAllRead(stack, rpc, CHAIN_ID);
  /** Rows of a query on each server by itself. */
  const onEach = (sql: string): Promise<number[]> =>
    Promise.all(
      stack.clickhouseUrls.map(async (url) => {
        const server = createClickhouse({ url });
        const [row] = await server.query(sql, {}, countSchema);
        await server.close();
        return row?.rows ?? 0;
      }),
    );

  before(async () => {
    [stack, anvil] = await Promise.all([startPipelineStack({ shards: SHARDS }), startAnvil()]);
    rpc = createRpc([anvil.url], systemClock);
    devnet = await createDevnet({ url: anvil.url });
    driver = createDevnetDriver(devnet, createRandom(11));
    await driver.prepare();
    const environment = {
      RPC_URL: anvil.url,
      CHAIN_ID: String(CHAIN_ID),
      WETH_ADDRESS: DEVNET_ADDRESSES.weth,
      STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
      NATIVE_PRICE_USD: '2000',
    };
    roles = (['watcher', 'scorer', 'clusters'] as const).map((role) =>
      stack.start(role, environment),
    );
    for (let i = 0; i < ACTIONS; i += 1) await driver.act(3);
    await until('everything is read', converged, WAIT_MS_MAX, roles);
  });
  after(async () => {
    rpc?.close();
    await stack?.stop();
    await anvil?.stop();
  });

  test('holds what the chain shows, reorgs taken back', async () => {
    const logs = await readLogs(devnet.publicClient);
    assert.deepEqual(await storedTransfers(stack.clickhouse), transferLines(logs));
    assert.deepEqual(await storedPoolEvents(stack.clickhouse), poolEventLines(logs));
  });

  test('has one verdict for each token', async () => {
    const tokens = (await storedTokens(stack.clickhouse)).map(({ token }) => token);
    const verdicts = (await storedVerdicts(stack.clickhouse)).map(({ token }) => token);
    assert.deepEqual(verdicts.toSorted(), tokens.toSorted());
    const counted = await onEach("SELECT sum(tokens) AS rows FROM token_totals WHERE span = 'all'");
    assert.deepEqual(counted, [tokens.length, tokens.length, tokens.length], 'counted by views');
  });

  test('lists and counts what the verdicts imply', async () => {
    assert.deepEqual(
      await storedListings(stack.clickhouse),
      await impliedListings(stack.clickhouse),
    );
  });

  test('keeps a part in each server, and shows the whole from each', async () => {
    const sql = 'SELECT count() AS rows FROM fact_transfers';
    const parts = await onEach(`${sql}_local FINAL`);
    const whole = await onEach(`${sql} FINAL`);
    const total = parts.reduce((sum, rows) => sum + rows, 0);
    assert.ok(
      parts.every((rows) => rows < total),
      `no server has all: ${parts.join(', ')}`,
    );
    assert.deepEqual(whole, [total, total, total]);
  });

  test('understands every statement of a replicated cluster', async () => {
    const target = { cluster: CLICKHOUSE_CLUSTER, database: 'tsd' };
    const statements = (await readMigrations()).flatMap(({ sql }) => splitStatements(sql));
    assert.ok(statements.length > 0);
    for (const statement of statements.flatMap((one) => renderForCluster(one, target))) {
      await stack.clickhouse.exec(`EXPLAIN AST ${statement}`);
    }
  });

  test('keeps every version of a row in one shard', async () => {
    const twice = `SELECT count() AS rows FROM (SELECT chain_id, token FROM token_verdicts
      GROUP BY chain_id, token HAVING uniqExact(_shard_num) > 1)`;
    assert.deepEqual(await onEach(twice), [0, 0, 0]);
  });
});
