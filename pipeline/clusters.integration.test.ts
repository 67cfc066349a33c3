import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseEther } from 'viem';
import { z } from 'zod';
import { API_CHAIN_ID, startApi } from '../api/testing/startApi.ts';
import { walletsSubject } from '../shared/messages/subjects.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
} from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../shared/testing/devnet/devnetAddresses.ts';

import {
  startRole,
  type TestProcess,
  until,
  untilHolds,
} from '../shared/testing/pipelineProcess.ts';
import { REPLACED_VERDICT } from '../shared/testing/samples.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';

/**
 * Target time from the last transaction until the API shows the complete ring: reported, not asserted, because a
 * loaded machine may take longer.
 */
const RING_AIM_MS = 5_000;
const WAIT_MS = 120_000;

/** Accounts of the ring; only the master has money at first. */
const MASTER = 8;
const FUNDERS = [11, 12, 13];
const CREATORS = [20, 21, 22, 23];
const PUPPETS = [24, 25, 26, 27, 28, 29];
const VICTIM = 5;
/** A ring of its own, until the master funds its funder. */
const OTHER_FUNDER = 31;
const OTHER_CREATORS = [32, 33];
const OTHER_RING = [OTHER_FUNDER, ...OTHER_CREATORS];
const RING = [MASTER, ...FUNDERS, ...CREATORS, ...PUPPETS];

type Entry = { id: string; size: number };

describe('a ring of wallets, on anvil', () => {
  let anvil: Service;
  let api: Awaited<ReturnType<typeof startApi>>;
  let devnet: Devnet;
  let key: string;
  let clusters: TestProcess;
  /** How often the API was notified of stored wallets. */
  let told = 0;
  const roles: TestProcess[] = [];
  const rings = new Map<number, string>();
  const environment = (): Record<string, string> => ({
    ...api.stores.environment,
    RPC_URL: anvil.url,
    CHAIN_ID: String(API_CHAIN_ID),
    START_BLOCK: '0',
    ...DEVNET_PRICING,
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
  /** The last block that the clusters role has processed; -1 before the first. */
  const readUpTo = async (): Promise<number> => {
    const sql = "SELECT block_number FROM chain_progress FINAL WHERE reader = 'clusters'";
    const rows = await api.database.query(sql, {}, z.object({ block_number: z.number() }));
    return rows[0]?.block_number ?? -1;
  };
  const send = (from: number, to: number, ether: number) =>
    devnet.transact([
      { from, to: devnet.address(to), value: parseEther(String(ether)), gas: 21_000n },
    ]);
  /** Waits until the rings have these sizes, largest first; returns their ids. */
  const ringsOfSizes = (sizes: readonly number[], timeoutMs: number): Promise<string[]> =>
    until(
      `rings of ${sizes.join(' and ')}`,
      async () => {
        const { clusters: all } = await get('/clusters?min_size=1&sort=size');
        const found = all as Entry[];
        const isIt = JSON.stringify(found.map(({ size }) => size)) === JSON.stringify(sizes);
        return isIt ? found.map(({ id }) => id) : undefined;
      },
      timeoutMs,
      roles.filter((role) => !role.hasEnded()),
    );
  /** Creates a token, lets somebody buy it, and removes the liquidity. */
  const rug = async (creator: number, puppet?: number): Promise<DevnetToken> => {
    const token = await devnet.deployToken('ruggable', { creator });
    await devnet.addLiquidity(token, 5);
    await devnet.buy(token.address, VICTIM, 1);
    if (puppet !== undefined) await devnet.buy(token.address, puppet, 0.5);
    await devnet.removeLiquidity(token);
    return token;
  };

  before(async () => {
    anvil = await startAnvil({ args: ['--accounts', '40'] });
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    for (const account of [...RING.slice(1), ...OTHER_RING])
      await devnet.setBalance(devnet.address(account), 0n);
    api = await startApi();
    api.connection.subscribe(walletsSubject(API_CHAIN_ID), { callback: () => (told += 1) });
    key = (await api.newKey('pro')).key;
    roles.push(startRole('watcher', environment()), startRole('scorer', environment()));
    clusters = startClusters();
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
    for (const [i, creator] of CREATORS.entries()) {
      await rug(creator, PUPPETS[i]);
      // No earlier payment to the master is known: its own earlier payments show that these are not its funding.
      await send(creator, MASTER, 6);
    }
    const startedMs = Date.now();
    // The scorer's duration is irrelevant here.
    const judgedSql = "SELECT count() AS scams FROM token_verdicts FINAL WHERE prediction = 'SCAM'";
    const judged = async () => {
      const rows = await api.database.query(judgedSql, {}, z.object({ scams: z.number() }));
      return rows[0]?.scams === CREATORS.length || undefined;
    };
    await until('every token judged', judged, WAIT_MS, roles);
    const [id = ''] = await ringsOfSizes([RING.length], WAIT_MS);
    context.diagnostic(
      `ring of ${RING.length} ${Date.now() - startedMs} ms after its last transaction; aim ${RING_AIM_MS} ms`,
    );
    rings.set(RING.length, id);
    await untilHolds(async () => {
      const ring = await get(`/clusters/${id}`);
      const members = ring.wallets.map(({ address }: { address: string }) => address);
      assert.deepEqual(
        members.toSorted(),
        RING.map((account) => devnet.address(account)).toSorted(),
      );
      assert.equal(ring.tokens.length, CREATORS.length);
      assert.ok(ring.evidence.length >= RING.length - 1);
      const { statistics } = ring;
      assert.deepEqual(statistics, {
        size: RING.length,
        tokens_created: CREATORS.length,
        scam_rate: 1,
        total_stolen: 2_000 * CREATORS.length,
        victims: CREATORS.length,
      });
    }, WAIT_MS);
  });

  it('says of each of its wallets what it is', async () => {
    const roleOf = async (account: number): Promise<string> => {
      const wallet = await get(`/wallets/${devnet.address(account)}`);
      assert.equal(wallet.cluster_id, rings.get(RING.length));
      return wallet.role;
    };
    // Wallets are stored after rings.
    await untilHolds(async () => {
      assert.equal(await roleOf(MASTER), 'master');
      for (const funder of FUNDERS) assert.equal(await roleOf(funder), 'funder');
      for (const creator of CREATORS) assert.equal(await roleOf(creator), 'creator');
      for (const puppet of PUPPETS) assert.equal(await roleOf(puppet), 'puppet');
      const creator = await get(`/api/wallets/${devnet.address(CREATORS[0] ?? 0)}`);
      assert.equal(creator.total_value_stolen, 2_000);
      assert.equal(creator.scam_history[0].outcome, 'rug_pull');
      const { factors, reputation_score: score } = creator.reputation;
      const sum = factors.reduce(
        (all: number, factor: { contribution: number }) => all + factor.contribution,
        50,
      );
      assert.equal(sum, score);
      const { history } = await get(`/api/wallets/${creator.address}/reputation`);
      assert.equal(history[0].score, score);
      const token = await get(`/tokens/${creator.scam_history[0].token.address}`);
      assert.equal(token.cluster_id, rings.get(RING.length));
    }, WAIT_MS);
  });

  it('has its wallets in searches, which are told when these are stored', async () => {
    const filters = { cluster_id: rings.get(RING.length) ?? '', role: ['funder', 'master'] };
    await untilHolds(async () => {
      const found = await api.post('/api/search/advanced', key, { entity: 'wallet', filters });
      const { data } = found.body as { data: { results: { address: string }[] } };
      assert.deepEqual(
        data.results.map(({ address }) => address).toSorted(),
        [MASTER, ...FUNDERS].map((account) => devnet.address(account)).toSorted(),
      );
    }, WAIT_MS);
    assert.ok(told > 0);
  });

  it('stays what it is when the role is killed in between', async () => {
    await clusters.stop('SIGKILL');
    await devnet.setBalance(devnet.address(OTHER_FUNDER), parseEther('60'));
    for (const creator of OTHER_CREATORS) {
      await send(OTHER_FUNDER, creator, 20);
      await rug(creator);
    }
    clusters = startClusters();
    const [first, second = ''] = await ringsOfSizes([RING.length, OTHER_RING.length], WAIT_MS);
    assert.equal(first, rings.get(RING.length));
    rings.set(OTHER_RING.length, second);
  });

  it('finds a verdict that no message reported', async () => {
    const id = rings.get(RING.length);
    const before = (await get(`/clusters/${id}`)).statistics;
    const turn = (prediction: string): Promise<void> =>
      api.database.exec(
        `INSERT INTO token_verdicts SELECT * REPLACE({prediction:String} AS prediction, version + 1 AS version, ${REPLACED_VERDICT})
         FROM token_verdicts FINAL WHERE creator = unhex({creator:String})`,
        { prediction, creator: devnet.address(CREATORS.at(-1) ?? 0).slice(2) },
      );
    const statistics = async () => (await get(`/clusters/${id}`)).statistics;
    await turn('LEGIT');
    await untilHolds(async () => assert.notDeepEqual(await statistics(), before), WAIT_MS);
    await turn('SCAM');
    await untilHolds(async () => assert.deepEqual(await statistics(), before), WAIT_MS);
  });

  it('swallows another that its master funds, and gives it up when a reorg removes the funding', async () => {
    await send(MASTER, OTHER_FUNDER, 1);
    const [merged] = await ringsOfSizes([RING.length + OTHER_RING.length], WAIT_MS);
    assert.ok([...rings.values()].includes(merged ?? ''));
    const gone = [...rings.values()].find((id) => id !== merged) ?? '';
    await untilHolds(async () => {
      const answer = await api.call(`/clusters/${gone}`, { key });
      assert.equal(answer.status, 404);
      assert.match(JSON.stringify(answer.body), new RegExp(`merged into ${merged}`));
    }, WAIT_MS);
    await clusters.stop('SIGKILL');
    await devnet.reorg(1);
    await devnet.mine(1);
    clusters = startClusters();
    const split = await ringsOfSizes([RING.length, OTHER_RING.length], WAIT_MS);
    assert.equal(split[0], rings.get(RING.length));
    await untilHolds(async () => {
      for (const account of OTHER_RING) {
        const wallet = await get(`/wallets/${devnet.address(account)}`);
        assert.equal(wallet.cluster_id, split[1]);
      }
    }, WAIT_MS);
  });
});
