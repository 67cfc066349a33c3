import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { startApi } from '../api/testing/startApi.ts';
import { decodeChainEvent } from '../shared/messages/chainMessage.ts';
import { chainStream } from '../shared/messages/subjects.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
} from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../shared/testing/devnet/devnetAddresses.ts';
import { startRole, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { readStream } from '../shared/testing/stores.ts';
import { readLogs, transferLines } from './testing/chaos/chainTruth.ts';
import { storedTransfers } from './testing/chaos/storedState.ts';

const CHAINS = [31_337, 31_338] as const;
/** Transfers of the token beside those that made it, on each chain. */
const TRANSFERS = [3, 5] as const;
const WAIT_MS_MAX = 120_000;
const ONE = 10n ** 18n;

const verdictSchema = z.object({ chain: z.number(), transactions: z.number() });
const alertSchema = z.object({ chain: z.number(), type: z.string() });

describe('two chains in one stack, with a token of the same address on both', () => {
  const nodes: Service[] = [];
  const devnets: Devnet[] = [];
  const tokens: DevnetToken[] = [];
  const roles: TestProcess[] = [];
  const apis: Awaited<ReturnType<typeof startApi>>[] = [];
  let key: string;
  let first: Awaited<ReturnType<typeof startApi>>;

  before(async () => {
    first = await startApi();
    apis.push(first);
    key = (await first.newKey('pro')).key;
    for (const [index, chainId] of CHAINS.entries()) {
      const node = await startAnvil({ chainId });
      const devnet = await createDevnet({ url: node.url, chainId });
      await devnet.deployUniswap();
      const token = await devnet.deployToken('ruggable', { creator: 1 });
      await devnet.addLiquidity(token, 5);
      nodes.push(node);
      devnets.push(devnet);
      tokens.push(token);
      if (index === 0) {
        const watch = {
          type: 'token',
          address: token.address,
          alerts: ['rug_pull', 'liquidity_removed'],
        };
        const { status } = await first.post('/watchlist', key, watch);
        assert.equal(status, 201);
      }
      const environment = {
        ...first.stores.environment,
        RPC_URL: node.url,
        CHAIN_ID: String(chainId),
        START_BLOCK: '0',
        ...DEVNET_PRICING,
      };
      for (const role of ['watcher', 'scorer', 'clusters', 'alerts'] as const) {
        roles.push(startRole(role, environment));
      }
    }
    for (const [index, devnet] of devnets.entries()) {
      const token = tokens[index];
      assert.ok(token);
      for (let i = 0; i < (TRANSFERS[index] ?? 0); i += 1) {
        await devnet.transfer(token.address, 1, devnet.address(3 + i), ONE);
      }
    }
  });
  after(async () => {
    await Promise.all(roles.map((role) => role.stop('SIGKILL')));
    for (const api of apis.toReversed()) await api.close();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  const transfersOf = (chainId: number) => storedTransfers(first.database, chainId);

  test('the addresses are the same', () => {
    assert.equal(tokens[0]?.address, tokens[1]?.address);
  });

  test('tables hold for each chain what it shows', async () => {
    for (const [index, chainId] of CHAINS.entries()) {
      const devnet = devnets[index];
      assert.ok(devnet);
      const wanted = transferLines(await readLogs(devnet.publicClient));
      const have = async () =>
        (await transfersOf(chainId)).length >= wanted.length ? true : undefined;
      await until(`facts of ${chainId}`, have, WAIT_MS_MAX, roles);
      assert.deepEqual(await transfersOf(chainId), wanted);
    }
  });

  test('streams hold events of their chain only', async () => {
    for (const chainId of CHAINS) {
      for (const { data } of await readStream(first.connection, chainStream(chainId))) {
        assert.equal(decodeChainEvent(data).chainId, chainId);
      }
    }
  });

  test('the token has a verdict on each chain, resting on that chain', async () => {
    const sql = `SELECT v.chain_id AS chain, JSONExtractUInt(v.doc, 'features', 'transaction_count') AS transactions
      FROM verdicts AS v WHERE v.token = '${tokens[0]?.address}' ORDER BY chain`;
    const made = async () => {
      const rows = await first.database.query(sql, {}, verdictSchema);
      const difference = (rows[1]?.transactions ?? 0) - (rows[0]?.transactions ?? 0);
      return rows.length === 2 && difference === TRANSFERS[1] - TRANSFERS[0] ? rows : undefined;
    };
    const rows = await until('two verdicts', made, WAIT_MS_MAX, roles);
    assert.deepEqual(
      rows.map(({ chain }) => chain),
      [...CHAINS],
    );
  });

  test('an alert is of the chain on which it happened', async () => {
    const [, devnet] = devnets;
    const [, token] = tokens;
    assert.ok(devnet && token);
    await devnet.removeLiquidity(token);
    const sql = 'SELECT a.chain_id AS chain, a.type AS type FROM alerts AS a FINAL';
    const raised = async () => {
      const rows = await first.database.query(sql, {}, alertSchema);
      return rows.length > 0 ? rows : undefined;
    };
    const rows = await until('an alert', raised, WAIT_MS_MAX, roles);
    assert.ok(rows.every(({ chain }) => chain === CHAINS[1]));
  });
});
