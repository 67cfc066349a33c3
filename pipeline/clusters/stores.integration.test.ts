import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import type { Service } from '../../shared/testing/services.ts';
import { createFactStore } from '../scorer/ingest/factStore.ts';
import { ringChange } from './rings/ringChange.ts';
import type { RingRow } from './rings/ringRow.ts';
import { createRingStore } from './rings/ringStore.ts';
import { createLossStore } from './wallets/lossStore.ts';
import type { ReputationStep } from './wallets/reputationSteps.ts';
import type { WalletEdge } from './wallets/walletEdges.ts';
import { createWalletStore, type WalletWrite } from './wallets/walletStore.ts';

const CHAIN_ID = 31_337;
const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const [A, B, C] = [address(1), address(2), address(3)];

const ring = (wallets: readonly Hex[]): RingRow => ({
  id: 'cl_1',
  name: 'Ring 1',
  riskScore: 80,
  tokensCreated: 2,
  scams: 1,
  stolenUsd: 12.5,
  victims: 3,
  firstSeenS: 1_700_000_000,
  lastActivityS: 1_700_000_100,
  members: wallets.map((wallet, i) => ({
    wallet,
    role: i === 0 ? 'master' : 'puppet',
    riskScore: 50,
    joinedAtS: 1_700_000_000,
  })),
  evidence: wallets.slice(1).map((to) => ({
    rule: 'common_funder',
    from: A,
    to,
    confidence: 0.95,
    tx: hash(7),
    block: 5,
  })),
});

const step = (place: number): ReputationStep => ({
  block: 5,
  blockHash: hash(5),
  place,
  event: 'token_created',
  token: C,
  txHash: hash(8),
  atS: 1_700_000_000,
  score: 50,
  delta: 0,
  role: '',
  outcome: '',
  stolenUsd: 0,
  victims: 0,
});
const edge = (other: Hex): WalletEdge => ({
  node: A,
  direction: 'out',
  kind: 'transferred',
  other,
  otherIsToken: false,
  weight: 1,
  valueUsd: 2,
  count: 1,
  firstS: 1_700_000_000,
  lastS: 1_700_000_000,
  txHash: hash(9),
});
const wallet = (steps: readonly ReputationStep[], edges: readonly WalletEdge[]): WalletWrite => ({
  wallet: A,
  row: {
    wallet: A,
    role: 'creator',
    label: '',
    isHub: false,
    isKnownScammer: true,
    riskScore: 75,
    reputationScore: 25,
    confidence: 0.5,
    tokensCreated: 1,
    scams: 1,
    stolenUsd: 3,
    victims: 1,
    counterparties: 2,
    medianTokenLifetimeH: null,
    funding: { funder: B, txHash: hash(9) },
    clusterId: 'cl_1',
    firstSeenS: 1_700_000_000,
    lastActivityS: 1_700_000_100,
    labels: ['known_scammer'],
    factors: [],
    behaviours: [],
    steps,
  },
  edges,
  areAllEdges: true,
});

describe('stores of rings, wallets and losses on ClickHouse', () => {
  let server: Service;
  let clickhouse: Clickhouse;
  const now = (): number => 1_700_000_000_000;
  /** How many rows of a table stand. */
  const count = async (table: string): Promise<number> => {
    const rows = await clickhouse.query(
      `SELECT toUInt32(count()) AS living FROM ${table} FINAL WHERE chain_id = {chainId:UInt64}`,
      { chainId: CHAIN_ID },
      z.object({ living: z.number() }),
    );
    return rows[0]?.living ?? 0;
  };

  before(async () => {
    server = await startMigratedClickhouse();
    clickhouse = createClickhouse({ url: server.url });
  });
  after(async () => {
    await clickhouse?.close();
    await server?.stop();
  });

  it('a ring is read as it was written, loses members, and its second writing changes nothing', async () => {
    const store = createRingStore(clickhouse, CHAIN_ID, now);
    const become = async (wanted: RingRow, version: number): Promise<void> => {
      const stored = (await store.read([wanted.id])).get(wanted.id);
      await store.write([ringChange(stored, wanted, null)], version, async () => undefined);
    };
    const stored = async () => (await store.read(['cl_1'])).get('cl_1');
    await become(ring([A, B, C]), 1);
    assert.deepEqual(await stored(), { ...ring([A, B, C]), mergedInto: '' });
    assert.deepEqual(await store.living(), [{ id: 'cl_1', wallets: [A, B, C] }]);
    await become(ring([A, B]), 2);
    assert.deepEqual(await stored(), { ...ring([A, B]), mergedInto: '' });
    await become(ring([A, B]), 3);
    assert.deepEqual(await stored(), { ...ring([A, B]), mergedInto: '' });
    assert.equal(await store.lastVersion(), 2);
    assert.equal((await store.read(['cl_2'])).size, 0);
  });

  it('members are written only when the ring was published', async () => {
    const store = createRingStore(clickhouse, CHAIN_ID + 1, now);
    const write = ringChange(undefined, ring([A, B]), null);
    const failing = store.write([write], 1, () => Promise.reject(new Error('not published')));
    await assert.rejects(failing, /not published/);
    assert.deepEqual(await store.living(), [{ id: 'cl_1', wallets: [] }]);
  });

  it('a wallet keeps the steps and edges that are, under both ends, and goes whole', async () => {
    const store = createWalletStore(clickhouse, CHAIN_ID, now);
    const sizes = (): Promise<number[]> =>
      Promise.all(['dim_wallets', 'wallet_history', 'graph_neighbours'].map(count));
    await store.write([wallet([step(0), step(1)], [edge(B), edge(C)])], 1);
    assert.deepEqual(await sizes(), [1, 2, 4]);
    await store.write([wallet([step(0)], [edge(B)])], 2);
    await store.write([wallet([step(0)], [edge(B)])], 2);
    assert.deepEqual(await sizes(), [1, 1, 2]);
    const former = createRingStore(clickhouse, CHAIN_ID, now);
    assert.equal(await former.formerRing([A], 'cl_2'), 'cl_1');
    assert.equal(await former.formerRing([A], 'cl_1'), null);
    await store.write([{ wallet: A, row: undefined, edges: [], areAllEdges: true }], 3);
    assert.deepEqual(await sizes(), [0, 0, 0]);
  });

  it('edges that are not all there are leave the others', async () => {
    const store = createWalletStore(clickhouse, CHAIN_ID, now);
    await store.write([wallet([], [edge(B)])], 4);
    await store.write([{ ...wallet([], [edge(C)]), areAllEdges: false }], 5);
    assert.equal(await count('graph_neighbours'), 4);
  });

  it('a loss is read as it was written last, with and without the event that emptied the pool', async () => {
    const store = createLossStore(clickhouse, CHAIN_ID, address(99));
    const drain = { number: 9, hash: hash(9), txHash: hash(10), atS: 1_700_000_009 };
    const before = { token: C, stolenUsd: 0, victims: 0, drain: null };
    const emptied = { token: C, stolenUsd: 7.25, victims: 2, drain };
    await store.write([before], 1);
    assert.deepEqual([...(await store.read([C])).values()], [before]);
    await store.write([emptied], 2);
    await store.write([before], 1);
    assert.deepEqual([...(await store.read([C, A])).values()], [emptied]);
    assert.deepEqual(await store.markets([C]), [{ token: C, traders: [], peak: 0, drain: null }]);
  });

  it('a market of any protocol is drained by the event after which it holds a twentieth of what it held at most', async () => {
    const weth = address(99);
    const [ticks, solidly, still] = [address(0x51), address(0x52), address(0x53)];
    const [V3, PAIR, OPEN] = [address(0x61), address(0x62), address(0x63)];
    const range = {
      owner: A,
      tickLower: -60,
      tickUpper: 60,
      liquidity: '0x1',
      salt: hash(0),
    } as const;
    const wei = (coins: number): Hex => `0x${(BigInt(coins) * 10n ** 18n).toString(16)}`;
    const place = (n: number) => ({ txHash: hash(n), txIndex: 0, logIndex: n });
    const made = (pool: Hex, token0: Hex, protocol: 'uniswap_v3' | 'solidly', n: number) =>
      ({
        kind: 'poolCreated',
        protocol,
        factory: A,
        pool,
        token0,
        token1: weth,
        ...place(n),
      }) as const;
    const ofV3 = (pool: Hex) =>
      ({ protocol: 'uniswap_v3', pool, sender: A, amount0: '0x1' }) as const;
    const facts: Fact[] = [
      made(V3, ticks, 'uniswap_v3', 1),
      made(PAIR, solidly, 'solidly', 2),
      made(OPEN, still, 'uniswap_v3', 3),
      { kind: 'mint', ...ofV3(V3), amount1: wei(10), range, ...place(4) },
      { kind: 'mint', ...ofV3(OPEN), amount1: wei(10), range, ...place(5) },
      {
        kind: 'sync',
        protocol: 'solidly',
        pool: PAIR,
        reserve0: '0x1',
        reserve1: wei(8),
        ...place(6),
      },
      {
        kind: 'swap',
        protocol: 'uniswap_v3',
        pool: V3,
        sender: A,
        to: B,
        amount0In: '0x0',
        amount0Out: '0x1',
        amount1In: wei(30),
        amount1Out: '0x0',
        ...place(7),
      },
      { kind: 'burn', ...ofV3(V3), to: A, amount1: wei(39), range, ...place(8) },
      { kind: 'collect', ...ofV3(V3), to: A, amount1: wei(39), range, ...place(9) },
      { kind: 'collect', ...ofV3(OPEN), to: A, amount1: wei(9), range, ...place(10) },
      {
        kind: 'sync',
        protocol: 'solidly',
        pool: PAIR,
        reserve0: '0x1',
        reserve1: '0x0',
        ...place(11),
      },
    ];
    const block = { number: 20, hash: hash(20) };
    const to = { ...block, parentHash: hash(19), timestampS: 1_700_000_020 };
    const blocks = [{ ...block, timestampS: 1_700_000_020, facts }];
    const event = {
      kind: 'blocks',
      chainId: CHAIN_ID,
      epoch: 0,
      from: 20,
      to,
      blocks,
      chunk: 0,
      last: true,
      head: 20,
      readAtMs: 0,
    } as const;
    await createFactStore(clickhouse).insert([event]);
    const store = createLossStore(clickhouse, CHAIN_ID, weth);
    const drain = (n: number) => ({ ...block, txHash: hash(n), atS: 1_700_000_020 });
    assert.deepEqual(await store.markets([ticks, solidly, still]), [
      { token: ticks, traders: [], peak: 40, drain: drain(9) },
      { token: solidly, traders: [], peak: 8, drain: drain(11) },
      { token: still, traders: [], peak: 10, drain: null },
    ]);
  });
});
