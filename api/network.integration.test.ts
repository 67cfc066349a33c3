import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Hex } from '../shared/chain/block.ts';
import { factOf } from '../shared/testing/facts.ts';
import { clickhouse as database, emptyTables } from '../shared/testing/tables.ts';
import { createClusters } from './clusters/queries.ts';
import { addressOf, verdictOf } from './testing/fakePorts.ts';
import {
  insertCluster,
  insertFacts,
  insertToken,
  insertVerdict,
  insertWallet,
  removeFacts,
} from './testing/rows.ts';
import { createWallets } from './wallets/createWallets.ts';

const CHAIN = 31_337;
const CREATOR = addressOf(0xc0);
const FUNDER = addressOf(0xf0);
const TOKEN = addressOf(0x01);
const SECOND = addressOf(0x02);
const THIRD = addressOf(0x03);
const [ALICE, BOB] = [addressOf(0xa1), addressOf(0xa2)];
const START_S = 1_700_000_000;

describe('wallets and clusters on ClickHouse', () => {
  before(emptyTables);
  before(async () => {
    const token = (address: Hex, atS: number) =>
      insertToken(database, CHAIN, { token: address, creator: CREATOR, createdAtS: atS });
    await token(TOKEN, START_S + 100);
    await token(SECOND, START_S + 200);
    await token(THIRD, START_S + 300);
    await insertToken(database, CHAIN + 1, { token: TOKEN, creator: ALICE, createdAtS: START_S });
    const verdict = (address: Hex, atS: number, failed: string[]) => {
      const { doc, ...rest } = verdictOf(address);
      const checks = failed.map((id) => {
        return { id, status: 'fail', severity: 'warning', reason: 'It did.' } as const;
      });
      return insertVerdict(database, CHAIN, {
        ...rest,
        createdAtS: atS,
        analyzedAtMs: (atS + 50) * 1000,
        doc: { ...doc, checks, creator: { ...doc.creator, address: CREATOR } },
      });
    };
    await verdict(TOKEN, START_S + 100, ['look_alike']);
    await verdict(SECOND, START_S + 200, []);
    const paid = (block: number, atS: number, from: Hex, value: Hex) => {
      const payment = factOf('nativeTransfer', block + 1_000, { from, to: CREATOR, value });
      return insertFacts(database, CHAIN, block, [payment], atS);
    };
    await paid(4, 50, BOB, '0x1');
    await removeFacts(database, CHAIN, 4);
    await paid(5, START_S, FUNDER, '0x2328');
    await paid(9, START_S + 900, ALICE, '0xa');
  });
  const wallets = () => createWallets(database, CHAIN);

  it('describes a wallet by what it made and received', async () => {
    const wallet = await wallets().find(CREATOR);
    assert.ok(wallet);
    assert.deepEqual(
      [wallet.role, wallet.tokensCreated, wallet.scams, wallet.isKnownScammer, wallet.riskScore],
      ['creator', 3, 2, true, 75],
    );
    assert.deepEqual([wallet.firstSeenS, wallet.lastActivityS], [START_S, START_S + 900]);
    assert.equal(wallet.funding?.address, FUNDER);
    assert.equal(wallet.counterparties, 2);
    const { score, factors } = wallet.reputation;
    assert.equal(
      factors.reduce((sum, factor) => sum + factor.contribution, 50),
      score,
    );
  });

  it('does not know an unseen address, nor one of another chain', async () => {
    assert.equal(await wallets().find(addressOf(0x99)), undefined);
    assert.equal(await wallets().find(ALICE), undefined);
  });

  it('pages the tokens of a wallet, newest first', async () => {
    const page = (options: object) =>
      wallets().tokens(CREATOR, { limit: 1, offset: 0, ...options });
    const first = await page({});
    assert.deepEqual([first.tokens.map(({ token }) => token), first.total], [[SECOND], 2]);
    const after = { value: first.tokens[0]?.createdAtS ?? 0, id: SECOND };
    assert.deepEqual(
      (await page({ after })).tokens.map(({ token }) => token),
      [TOKEN],
    );
    assert.deepEqual(
      (await page({ offset: 1 })).tokens.map(({ token }) => token),
      [TOKEN],
    );
    assert.deepEqual(await wallets().tokens(FUNDER, { limit: 5, offset: 0 }), {
      tokens: [],
      total: 0,
    });
  });

  it('says how the reputation came about, and which scams there were', async () => {
    const steps = await wallets().history(CREATOR, { limit: 100 });
    assert.deepEqual(
      steps.map(({ event, score }) => [event, score]),
      [
        ['token_created', 25],
        ['token_flagged', 25],
        ['token_created', 33],
        ['token_flagged', 33],
        ['token_created', 50],
      ],
    );
    const some = await wallets().history(CREATOR, { fromS: START_S + 210, limit: 1 });
    assert.deepEqual(
      some.map(({ token }) => token),
      [THIRD],
    );
    const scams = await wallets().scams(CREATOR);
    assert.deepEqual(
      scams.map(({ token, outcome }) => [token.address, outcome]),
      [
        [SECOND, 'serial_spam'],
        [TOKEN, 'impersonation'],
      ],
    );
  });

  it('serves what the cluster detector keeps, once it keeps it', async () => {
    const master = addressOf(0x51);
    await insertWallet(database, CHAIN, {
      wallet: master,
      role: 'master',
      clusterId: 'cl_1',
      scam: { token: TOKEN, atS: START_S },
    });
    const stored = await wallets().find(master);
    assert.deepEqual(
      [stored?.role, stored?.clusterId, stored?.riskScore, stored?.reputation.score],
      ['master', 'cl_1', 93, 9],
    );
    assert.equal(stored?.funding, null);
    const steps = await wallets().history(master, { limit: 10 });
    assert.deepEqual([steps.length, steps[0]?.event, steps[0]?.token], [1, 'token_flagged', TOKEN]);
    const scams = await wallets().scams(master);
    assert.deepEqual([scams[0]?.stolenUsd, scams[0]?.token.symbol], [14_800, 'SAMPLE']);

    const clusters = createClusters(database, CHAIN);
    const page = {
      size: { min: 3 },
      sort: 'risk_score',
      order: 'desc',
      limit: 10,
      offset: 0,
    } as const;
    assert.deepEqual(await clusters.list(page), { clusters: [], total: 0 });
    await insertCluster(database, CHAIN, {
      id: 'cl_1',
      size: 3,
      riskScore: 92,
      members: [
        [CREATOR, 'puppet'],
        [master, 'master'],
      ],
      link: [master, CREATOR],
    });
    const puppets = Array.from(
      { length: 1_001 },
      (_, i): Hex => `0x${String(i).padStart(40, '0')}`,
    );
    await insertCluster(database, CHAIN, {
      id: 'cl_2',
      size: 1_002,
      riskScore: 50,
      members: [...puppets.map((puppet) => [puppet, 'puppet'] as const), [FUNDER, 'master']],
    });
    await insertCluster(database, CHAIN, { id: 'cl_3', size: 2, riskScore: 99 });
    await insertCluster(database, CHAIN, {
      id: 'cl_0',
      size: 8,
      riskScore: 99,
      mergedInto: 'cl_1',
    });
    const ids = async (changes: object) =>
      (await clusters.list({ ...page, ...changes })).clusters.map(({ id }) => id);
    assert.deepEqual(await ids({}), ['cl_1', 'cl_2']);
    assert.deepEqual(await ids({ sort: 'size', size: { min: 1 } }), ['cl_2', 'cl_1', 'cl_3']);
    assert.deepEqual(await ids({ sort: 'total_stolen', order: 'asc', offset: 1 }), ['cl_1']);
    const all = { min: 1 };
    for (const [filter, expected] of [
      [{ id: 'cl_3' }, ['cl_3']],
      [{ id: 'cl_0' }, []],
      [{ text: 'ring 1' }, ['cl_1']],
      [{ riskScore: { min: 50, max: 92 } }, ['cl_1', 'cl_2']],
      [{ size: { min: 2.5, max: 1_001 } }, ['cl_1']],
      [{ scamRate: { min: 0.5 }, tokensCreated: { max: 2 } }, ['cl_3', 'cl_1', 'cl_2']],
      [{ scamRate: { max: 0.4 } }, []],
      [{ tokensCreated: { min: 3 } }, []],
      [{ stolenUsd: { min: 1 } }, []],
    ] as const) {
      assert.deepEqual(await ids({ size: all, ...filter }), expected, JSON.stringify(filter));
      const { total } = await clusters.list({ ...page, size: all, ...filter });
      assert.equal(total, expected.length);
    }
    await insertWallet(database, CHAIN, { wallet: CREATOR, role: 'creator', clusterId: 'cl_1' });
    const found = await clusters.find('cl_1');
    assert.ok(found?.kind === 'found');
    assert.deepEqual(
      found.cluster.wallets.map(({ role, walletRole, riskScore }) => [role, walletRole, riskScore]),
      [
        ['master', 'master', 93],
        ['puppet', 'creator', 93],
      ],
      'wallets have their own risk, not that of the ring',
    );
    assert.deepEqual(
      found.cluster.tokens.map(({ address }) => address),
      [SECOND, TOKEN],
    );
    assert.deepEqual(found.cluster.evidence[0]?.wallets, [master, CREATOR]);
    const large = await clusters.find('cl_2');
    assert.ok(large?.kind === 'found');
    assert.deepEqual(
      large.cluster.wallets.map(({ address }) => address),
      [FUNDER, ...puppets.slice(0, 999)],
      'the first thousand wallets, the master before all others',
    );
    assert.deepEqual(await clusters.find('cl_0'), { kind: 'merged', into: 'cl_1' });
    assert.equal(await clusters.find('cl_9'), undefined);
  });
});
