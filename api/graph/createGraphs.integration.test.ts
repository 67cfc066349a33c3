import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { type Clickhouse } from '../../shared/platform/clickhouse.ts';
import { clickhouse as database, emptyTables } from '../../shared/testing/tables.ts';
import { createSharedReads, type Share, unshared } from '../server/sharedReads.ts';
import { addressOf, verdictOf } from '../testing/fakePorts.ts';
import {
  insertEdge,
  insertMovement,
  insertPool,
  insertToken,
  insertVerdict,
  insertWallet,
  removeTokens,
} from '../testing/rows.ts';
import { createWallets } from '../wallets/createWallets.ts';
import { createGraphs } from './createGraphs.ts';
import type { AroundOptions, Graph } from './graph.ts';

const CHAIN = 31_337;
const CREATOR = addressOf(0xc0);
const FUNDER = addressOf(0xf0);
const TOKEN = addressOf(0x01);
const SECOND = addressOf(0x02);
const POOL = addressOf(0xb0);
const WETH = addressOf(0xee);
const [ALICE, BOB] = [addressOf(0xa1), addressOf(0xa2)];
const FIRST_SYNC_S = 1_700_000_100;
/** One more than a node may have before it is a hub. */
const HUB_CUSTOMERS = 1_001;
/** More rows than one read may touch. */
const GIANT_CUSTOMERS = 60_000;

const edgesOf = (graph: Graph | undefined): string[] =>
  (graph?.edges ?? [])
    .map(({ source, type, target }) => `${source.slice(2, 4)} ${type} ${target.slice(2, 4)}`)
    .toSorted();

describe('createGraphs on ClickHouse', () => {
  before(emptyTables);
  before(async () => {
    for (const token of [TOKEN, SECOND]) {
      await insertToken(database, CHAIN, { token, creator: CREATOR, createdAtS: FIRST_SYNC_S });
    }
    await insertToken(database, CHAIN + 1, {
      token: TOKEN,
      creator: BOB,
      createdAtS: FIRST_SYNC_S,
    });
    await insertVerdict(database, CHAIN, verdictOf(TOKEN), {
      holders: { [POOL]: 0.6, [BOB]: 0.3, [CREATOR]: 0.1 },
    });
    await insertPool(database, CHAIN, { pool: POOL, token: TOKEN, other: WETH });
    await insertEdge(database, CHAIN, { source: FUNDER, target: CREATOR, weight: 0.8 });
    await insertMovement(database, CHAIN, { kind: 'native', from: FUNDER, to: CREATOR, block: 5 });
    await insertMovement(database, CHAIN, { kind: 'native', from: ALICE, to: CREATOR, block: 9 });
    await insertMovement(database, CHAIN, { kind: 'bought', from: ALICE, to: TOKEN, block: 9 });
  });
  const graphs = (
    from: Pick<Clickhouse, 'query'> = database,
    now = () => Date.now(),
    share: Share = unshared,
  ) => {
    const wallets = createWallets(database, CHAIN);
    return createGraphs({ database: from, chainId: CHAIN, wallets, now, share });
  };
  const around = (center: Hex, options: Partial<AroundOptions> = {}) =>
    graphs().around(center, { depth: 1, nodesMax: 500, direction: 'both', ...options });
  const pathOptions = {
    depthMax: 4,
    pathsMax: 3,
    direction: 'any',
    throughHubs: false,
    signal: new AbortController().signal,
  } as const;
  const pathsOf = async (from: Hex, to: Hex, options: object = {}) => {
    const { paths } = await graphs().paths(from, to, { ...pathOptions, ...options });
    return paths.map(({ nodes }) => nodes);
  };

  it('draws the network of a token: creator, holders, pool, buyers', async () => {
    const one = await around(TOKEN);
    assert.deepEqual(edgesOf(one), [
      'a1 bought 01',
      'a2 holds 01',
      'b0 holds 01',
      'c0 created 01',
      'c0 holds 01',
    ]);
    assert.deepEqual([one?.kind, one?.isTruncated], ['token', false]);
    const kinds = new Map(one?.nodes.map((node) => [node.address, node]));
    assert.equal(kinds.get(TOKEN)?.verdict?.prediction, 'SCAM');
    assert.match(kinds.get(POOL)?.label ?? '', /^Pool /);
    assert.equal(kinds.get(CREATOR)?.riskScore, 66 + 2 / 3);
  });

  it('goes on to what the neighbours are linked with', async () => {
    const two = await around(TOKEN, { depth: 2 });
    const fresh = edgesOf(two).filter((edge) => !edge.endsWith(' 01'));
    assert.deepEqual(fresh, ['a1 transferred c0', 'b0 holds ee', 'c0 created 02', 'f0 funded c0']);
    assert.equal(two?.nodes.find(({ address }) => address === WETH)?.kind, 'token');
    assert.ok(edgesOf(await around(WETH, { depth: 1 })).length === 0, 'WETH is not indexed');
  });

  it('keeps to limits, types, weights and directions, and says what is cut', async () => {
    const cut = await around(TOKEN, { depth: 2, nodesMax: 3 });
    assert.deepEqual([cut?.nodes.length, cut?.isTruncated], [3, true]);
    const made = await around(TOKEN, { depth: 2, types: ['created'] });
    assert.deepEqual(edgesOf(made), ['c0 created 01', 'c0 created 02']);
    const held = await around(TOKEN, { types: ['holds'], minWeight: 0.8 });
    assert.deepEqual(edgesOf(held), ['a2 holds 01', 'b0 holds 01']);
    const into = await around(CREATOR, { direction: 'in' });
    assert.deepEqual(edgesOf(into), ['a1 transferred c0', 'f0 funded c0']);
    const moved = await around(CREATOR, { types: ['transferred'], minWeight: 0.6 });
    assert.deepEqual(edgesOf(moved), []);
  });

  it('finds no address the index has not seen, and no token as a wallet', async () => {
    assert.equal(await around(addressOf(0x99)), undefined);
    assert.equal(await around(CREATOR, { only: 'token' }), undefined);
    assert.equal(await around(TOKEN, { only: 'wallet' }), undefined);
    assert.equal((await around(ALICE))?.kind, 'wallet');
  });

  it('follows a holder list that got shorter, and a token that was deleted', async () => {
    const token = addressOf(0x03);
    const block = 70;
    await insertToken(database, CHAIN, { token, creator: BOB, createdAtS: FIRST_SYNC_S, block });
    const held = (holders: Record<Hex, number>, version: number) =>
      insertVerdict(database, CHAIN, verdictOf(token), { holders, version });
    await held({ [ALICE]: 0.7, [BOB]: 0.3 }, 1);
    assert.deepEqual(edgesOf(await around(token)), ['a1 holds 03', 'a2 created 03', 'a2 holds 03']);
    await held({ [BOB]: 1 }, 2);
    assert.deepEqual(edgesOf(await around(token)), ['a2 created 03', 'a2 holds 03']);
    await removeTokens(database, CHAIN, block);
    assert.equal(await around(token, { only: 'token' }), undefined);
    assert.deepEqual(edgesOf(await around(BOB)), []);
  });

  it('shows the verdict on a token that is known only as a holder of another', async () => {
    const [held, holder, creator] = [addressOf(0x91), addressOf(0x92), addressOf(0x93)];
    for (const token of [held, holder]) {
      await insertToken(database, CHAIN, { token, creator, createdAtS: FIRST_SYNC_S });
    }
    await insertVerdict(database, CHAIN, verdictOf(held), { holders: { [holder]: 1 } });
    await insertVerdict(database, CHAIN, verdictOf(holder));
    const graph = await around(held);
    const shown = graph?.nodes.find(({ address }) => address === holder);
    assert.deepEqual([shown?.kind, shown?.verdict?.prediction], ['token', 'SCAM']);
  });

  it('leaves out a creator that was corrected', async () => {
    const token = addressOf(0x04);
    await insertToken(database, CHAIN, {
      token,
      creator: addressOf(0x41),
      createdAtS: FIRST_SYNC_S,
    });
    await insertToken(database, CHAIN, {
      token,
      creator: addressOf(0x42),
      createdAtS: FIRST_SYNC_S,
    });
    await insertVerdict(database, CHAIN, verdictOf(token));
    const graph = await around(token);
    assert.deepEqual(edgesOf(graph), ['42 created 04']);
    assert.equal(graph?.nodes.length, 2);
    const centerOf = async (address: Hex) =>
      (await around(address))?.nodes.find((node) => node.address === address);
    assert.equal((await centerOf(addressOf(0x42)))?.riskScore, 66 + 2 / 3);
    const other = { token: addressOf(0x05), creator: addressOf(0x41), createdAtS: FIRST_SYNC_S };
    await insertToken(database, CHAIN, other);
    assert.equal((await centerOf(addressOf(0x41)))?.riskScore, 50);
  });

  it('drops edges that a reorg removed', async () => {
    const [from, to] = [addressOf(0x61), addressOf(0x62)];
    await insertMovement(database, CHAIN, { kind: 'native', from, to, block: 20 });
    await insertEdge(database, CHAIN, { source: from, target: to, weight: 0.4 });
    assert.deepEqual(edgesOf(await around(from)), ['61 funded 62']);
    await insertEdge(database, CHAIN, { source: from, target: to, weight: 0.4, isDeleted: true });
    assert.deepEqual(edgesOf(await around(to)), ['61 transferred 62']);
    const orphan = { kind: 'native', from, to, block: 20, version: 1, isDeleted: true };
    await insertMovement(database, CHAIN, orphan);
    assert.equal(await around(from), undefined);
    await insertMovement(database, CHAIN, { kind: 'native', from, to, block: 21, version: 2 });
    assert.deepEqual(edgesOf(await around(from)), ['61 transferred 62']);
  });

  it('adds movements between two addresses up', async () => {
    const [from, to] = [addressOf(0x65), addressOf(0x66)];
    for (const [block, kind] of [
      [31, 'native'],
      [30, 'native'],
      [32, 'proceeds'],
    ] as const) {
      await insertMovement(database, CHAIN, { kind, from, to, block, value: 333 });
    }
    for (const center of [from, to]) {
      const [edge, ...others] = (await around(center))?.edges ?? [];
      assert.equal(others.length, 0);
      const { type, txCount, firstAtS, lastAtS } = edge ?? {};
      assert.deepEqual(
        [type, txCount, firstAtS, lastAtS],
        ['transferred', 3, 1_700_000_030, 1_700_000_032],
      );
      assert.ok((edge?.weight ?? 0) > 0.99, 'a thousand native units weigh all');
    }
  });

  it('reads an address of many movements but few edges completely', async () => {
    const [busy, other] = [addressOf(0x67), addressOf(0x68)];
    await database.exec(
      `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, block_number, value, tx_count, version)
       SELECT {chainId:UInt64}, unhex({busy:String}), 'movement', 'out', 'native', unhex({other:String}), number, 0.1, 1, 0
       FROM numbers({count:UInt64})`,
      { chainId: CHAIN, busy: busy.slice(2), other: other.slice(2), count: GIANT_CUSTOMERS },
    );
    const graph = await around(busy);
    assert.deepEqual(edgesOf(graph), ['67 transferred 68']);
    assert.deepEqual([graph?.isTruncated, graph?.edges[0]?.txCount], [false, GIANT_CUSTOMERS]);
  });

  describe('with hubs', () => {
    const HUB = addressOf(0x71);
    const GIANT = addressOf(0x72);
    const LISTED = addressOf(0x73);
    const [LEFT, RIGHT] = [addressOf(0x81), addressOf(0x82)];
    before(async () => {
      const customers = (hub: Hex, count: number) =>
        database.exec(
          `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, weight, tx_count, version)
           SELECT {chainId:UInt64}, unhex({hub:String}), 'edge', 'out', 'transferred',
             unhex(substring(hex(SHA256(toString(number))), 1, 40)), 0.1, 1, 1 FROM numbers({count:UInt64})`,
          { chainId: CHAIN, hub: hub.slice(2), count },
        );
      await customers(HUB, HUB_CUSTOMERS);
      await customers(GIANT, GIANT_CUSTOMERS);
      await insertWallet(database, CHAIN, {
        wallet: LISTED,
        role: 'unknown',
        clusterId: '',
        isHub: true,
      });
      await insertEdge(database, CHAIN, { source: LISTED, target: addressOf(0x74), weight: 0.5 });
      for (const hub of [HUB, GIANT, LISTED]) {
        await insertEdge(database, CHAIN, { source: LEFT, target: hub, weight: 0.9 });
        await insertEdge(database, CHAIN, { source: hub, target: RIGHT, weight: 0.9 });
      }
    });

    it('shows them as leaves', async () => {
      const graph = await around(LEFT, { depth: 2 });
      assert.deepEqual(edgesOf(graph), ['81 funded 71', '81 funded 72', '81 funded 73']);
      assert.equal(graph?.isTruncated, true);
    });

    it('walks from one that is the centre, as far as the limits', async () => {
      for (const hub of [HUB, GIANT]) {
        const graph = await around(hub, { nodesMax: 100 });
        assert.deepEqual([graph?.nodes.length, graph?.isTruncated], [100, true]);
      }
      assert.equal((await around(LISTED))?.edges.length, 3);
    });

    it('finds no path through them unless requested', async () => {
      assert.deepEqual(await pathsOf(LEFT, RIGHT), []);
      const through = await pathsOf(LEFT, RIGHT, { throughHubs: true });
      assert.deepEqual(new Set(through.map((nodes) => nodes[1])), new Set([HUB, GIANT, LISTED]));
      await insertEdge(database, CHAIN, { source: LEFT, target: addressOf(0x83), weight: 0.1 });
      await insertEdge(database, CHAIN, { source: addressOf(0x83), target: RIGHT, weight: 0.1 });
      assert.deepEqual(await pathsOf(LEFT, RIGHT), [[LEFT, addressOf(0x83), RIGHT]]);
    });
  });

  it('finds paths between addresses', async () => {
    assert.deepEqual(await pathsOf(FUNDER, SECOND), [[FUNDER, CREATOR, SECOND]]);
    assert.deepEqual(await pathsOf(SECOND, FUNDER, { direction: 'out' }), []);
    assert.deepEqual(await pathsOf(FUNDER, SECOND, { depthMax: 1 }), []);
    const none = await graphs().paths(FUNDER, addressOf(0x99), pathOptions);
    assert.deepEqual([none.paths, none.isTruncated], [[], false]);
  });

  it('finds the shortest paths, the cheapest first, and long ones up to the depth', async () => {
    const [from, to] = [addressOf(0x31), addressOf(0x39)];
    const link = (source: number, target: number, weight = 1) =>
      insertEdge(database, CHAIN, { source: addressOf(source), target: addressOf(target), weight });
    const chain = [0x31, 0x34, 0x35, 0x36, 0x39];
    for (const [i, node] of chain.slice(1).entries()) await link(chain[i] ?? 0, node);
    assert.deepEqual(await pathsOf(from, to, { depthMax: 4 }), [chain.map(addressOf)]);
    assert.deepEqual(await pathsOf(from, to, { depthMax: 3 }), []);
    for (const [via, weight] of [
      [0x32, 0.5],
      [0x33, 0.9],
    ] as const) {
      await link(0x31, via, weight);
      await link(0x39, via, weight);
    }
    const [dear, cheap] = [0x32, 0x33].map((via) => [from, addressOf(via), to]);
    assert.deepEqual(await pathsOf(from, to), [cheap, dear]);
    assert.deepEqual(await pathsOf(from, to, { pathsMax: 1 }), [cheap]);
    assert.deepEqual(await pathsOf(from, to, { types: ['sold'] }), []);
    const heaviest = await around(from, { nodesMax: 3 });
    assert.deepEqual(edgesOf(heaviest), ['31 funded 33', '31 funded 34']);
    assert.equal(heaviest?.isTruncated, true);
  });

  it('stops searching when the time is over', async () => {
    const clock = [0, 3_000];
    const late = graphs(database, () => clock.shift() ?? 3_000);
    const { paths, isTruncated } = await late.paths(FUNDER, SECOND, pathOptions);
    assert.deepEqual([paths, isTruncated], [[], true]);
  });

  it('answers requests for the same within a second by the same queries', async () => {
    let [queries, nowMs] = [0, 0];
    const now = () => nowMs;
    const counting: Pick<Clickhouse, 'query'> = {
      query: (...args) => {
        queries += 1;
        return database.query(...args);
      },
    };
    const shared = graphs(counting, now, createSharedReads({ now }).share);
    const options = { depth: 2, nodesMax: 500, direction: 'both' } as const;
    await shared.around(TOKEN, options);
    const queriesOfOne = queries;
    nowMs = 1_000;
    const answers = await Promise.all([1, 2, 3].map(() => shared.around(TOKEN, options)));
    nowMs = 1_999;
    answers.push(await shared.around(TOKEN, options));
    assert.equal(new Set(answers).size, 1);
    assert.equal(queries, 2 * queriesOfOne);
    await shared.around(TOKEN, { ...options, depth: 1 });
    assert.ok(queries > 2 * queriesOfOne);
  });
});
