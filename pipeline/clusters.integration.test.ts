import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseEther } from 'viem';
import { z } from 'zod';
import { API_CHAIN_ID, startApi } from '../api/testing/startApi.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import type { DevnetToken } from '../shared/testing/devnet/tokenVerbs.ts';
import { startRole, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';

/** From the last transaction of a ring until the API shows it whole. */
const RING_MS_MAX = 5_000;
const WAIT_MS = 60_000;

/** Accounts of the ring; only the master has money at first. */
const MASTER = 8;
const FUNDERS = [11, 12, 13];
const CREATORS = [20, 21, 22, 23];
const PUPPETS = [24, 25, 26, 27, 28, 29];
const VICTIM = 5;
const RING = [MASTER, ...FUNDERS, ...CREATORS, ...PUPPETS];

type Entry = { id: string; size: number };

describe('a ring of wallets, on anvil', () => {
  let anvil: Service;
  let api: Awaited<ReturnType<typeof startApi>>;
  let devnet: Devnet;
  let key: string;
  const roles: TestProcess[] = [];
  const environment = (): Record<string, string> => ({
    NATS_URL: api.nats.url,
    REDIS_URL: api.redis.url,
    CLICKHOUSE_URL: api.clickhouse.url,
    RPC_URL: anvil.url,
    CHAIN_ID: String(API_CHAIN_ID),
    START_BLOCK: '0',
    WETH_ADDRESS: DEVNET_ADDRESSES.weth,
    STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
    NATIVE_PRICE_USD: '2000',
  });
  const startClusters = (): TestProcess => {
    const started = startRole('clusters', environment());
    roles.push(started);
    return started;
  };
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by the API's own tests
  const get = async (path: string): Promise<any> => {
    const answer = await api.call(path, { key });
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: unknown }).data;
  };
  /** The last block the clusters role has come to; -1 before the first. */
  const readUpTo = async (): Promise<number> => {
    const sql = 'SELECT block_number FROM cluster_progress FINAL';
    const rows = await api.database.query(sql, {}, z.object({ block_number: z.number() }));
    return rows[0]?.block_number ?? -1;
  };
  const send = (from: number, to: number, ether: number) =>
    devnet.transact([
      { from, to: devnet.address(to), value: parseEther(String(ether)), gas: 21_000n },
    ]);
  const ringOfSize = (size: number, timeoutMs: number): Promise<Entry> =>
    until(
      `a ring of ${size}`,
      async () => {
        const { clusters: found } = await get('/clusters?min_size=1');
        return (found as Entry[]).find((entry) => entry.size === size);
      },
      timeoutMs,
      roles.filter((role) => !role.hasEnded()),
    );

  before(async () => {
    anvil = await startAnvil({ args: ['--accounts', '40'] });
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    for (const account of RING.slice(1)) await devnet.setBalance(devnet.address(account), 0n);
    api = await startApi();
    key = (await api.newKey('pro')).key;
    roles.push(startRole('watcher', environment()), startRole('scorer', environment()));
    startClusters();
    await until('all roles read', async () => (await readUpTo()) >= 0 || undefined, WAIT_MS, roles);
  });
  after(async () => {
    await Promise.all(roles.map((role) => role.stop('SIGKILL')));
    await api?.close();
    await anvil?.stop();
  });

  it('is found within seconds of its last transaction, with its roles', async (context) => {
    for (const funder of FUNDERS) await send(MASTER, funder, 60);
    for (const [i, wallet] of [...CREATORS, ...PUPPETS].entries()) {
      await send(FUNDERS[i % FUNDERS.length] ?? 0, wallet, 10);
    }
    const tokens: DevnetToken[] = [];
    for (const creator of CREATORS) {
      const token = await devnet.deployToken('ruggable', { creator });
      await devnet.addLiquidity(token, 5);
      await devnet.buy(token.address, VICTIM, 1);
      await devnet.buy(token.address, PUPPETS[tokens.length] ?? 0, 0.5);
      tokens.push(token);
    }
    for (const token of tokens) {
      await devnet.removeLiquidity(token);
      await send(token.creator, MASTER, 6);
    }
    const startedMs = Date.now();
    const { id } = await ringOfSize(RING.length, RING_MS_MAX);
    context.diagnostic(`ring of ${RING.length} after ${Date.now() - startedMs} ms`);
    const ring = await get(`/clusters/${id}`);
    const members = ring.wallets.map(({ address }: { address: string }) => address);
    assert.deepEqual(members.toSorted(), RING.map((account) => devnet.address(account)).toSorted());
    assert.equal(ring.tokens.length, CREATORS.length);
    assert.ok(ring.evidence.length >= RING.length - 1);
  });
});
