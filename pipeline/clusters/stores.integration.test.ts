import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import type { BurnFact, Fact, MintFact } from '../../shared/chain/fact.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import {
  addressOf as address,
  addressesOf,
  topicOf as hash,
} from '../../shared/testing/evmData.ts';
import { factOf } from '../../shared/testing/facts.ts';
import { clickhouse, emptyTables } from '../../shared/testing/tables.ts';
import { createFactStore } from '../scorer/ingest/factStore.ts';
import { ringChange, ringEnd } from './rings/ringChange.ts';
import type { RingRow } from './rings/ringRow.ts';
import { createRingStore } from './rings/ringStore.ts';
import { ringRow } from './testing/ringRow.ts';
import { createLossStore } from './wallets/lossStore.ts';
import type { ReputationStep } from './wallets/reputationSteps.ts';
import type { WalletEdge } from './wallets/walletEdges.ts';
import { createWalletStore, type WalletWrite } from './wallets/walletStore.ts';

const CHAIN_ID = 31_337;
const [A, B, C] = [address(1), address(2), address(3)];

const step = (block: number): ReputationStep => ({
  block,
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
  before(emptyTables);
  const now = (): number => 1_700_000_000_000;
  /** Number of current rows of a table. */
  const count = async (table: string): Promise<number> => {
    const rows = await clickhouse.query(
      `SELECT toUInt32(count()) AS living FROM ${table} WHERE chain_id = {chainId:UInt64}`,
      { chainId: CHAIN_ID },
      z.object({ living: z.number() }),
    );
    return rows[0]?.living ?? 0;
  };

  it('a ring is read as it was written, loses members, and its second writing changes nothing', async () => {
    const store = createRingStore(clickhouse, CHAIN_ID, now);
    const become = async (wanted: RingRow, version: number): Promise<void> => {
      const stored = (await store.read([wanted.id])).get(wanted.id);
      const { row } = ringChange(stored, wanted, null);
      await store.write(row ? [row] : [], version);
    };
    const stored = async () => (await store.read(['cl_1'])).get('cl_1');
    await become(ringRow([A, B, C]), 1);
    assert.deepEqual(await stored(), { ...ringRow([A, B, C]), mergedInto: '' });
    assert.deepEqual(await store.living(), [{ id: 'cl_1', wallets: [A, B, C] }]);
    await become(ringRow([A, B]), 2);
    assert.deepEqual(await stored(), { ...ringRow([A, B]), mergedInto: '' });
    await become(ringRow([A, B]), 3);
    assert.deepEqual(await stored(), { ...ringRow([A, B]), mergedInto: '' });
    assert.equal(await store.lastVersion(), 2);
    assert.equal((await store.read(['cl_2'])).size, 0);
  });

  it('a ring that was merged has no wallets, and one that dissolved no row', async () => {
    const store = createRingStore(clickhouse, CHAIN_ID + 1, now);
    const members = async (): Promise<string[]> => {
      const sql =
        'SELECT wallet FROM ring_members WHERE chain_id = {chainId:UInt64} ORDER BY wallet';
      const row = z.object({ wallet: z.string() });
      const rows = await clickhouse.query(sql, { chainId: CHAIN_ID + 1 }, row);
      return rows.map(({ wallet }) => wallet);
    };
    const end = async (mergedInto: string | null, version: number): Promise<void> => {
      const stored = (await store.read(['cl_1'])).get('cl_1');
      const { row } = ringEnd('cl_1', stored, mergedInto);
      assert.ok(row);
      await store.write([row], version);
    };
    const alive = { ...ringRow([A, B]), mergedInto: '', isDeleted: false };
    await store.write([alive], 1);
    assert.deepEqual(await members(), [A, B]);
    await end('cl_2', 2);
    assert.deepEqual([await members(), await store.living()], [[], []]);
    assert.equal((await store.read(['cl_1'])).get('cl_1')?.mergedInto, 'cl_2');
    await end(null, 3);
    assert.equal((await store.read(['cl_1'])).size, 0);
  });

  it('a wallet keeps the steps and edges that are, under both ends, and is deleted completely', async () => {
    const store = createWalletStore(clickhouse, CHAIN_ID);
    const sizes = (): Promise<number[]> =>
      Promise.all(['dim_wallets FINAL', 'wallet_steps', 'graph_neighbours FINAL'].map(count));
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
    const store = createWalletStore(clickhouse, CHAIN_ID);
    await store.write([wallet([], [edge(B)])], 4);
    await store.write([{ ...wallet([], [edge(C)]), areAllEdges: false }], 5);
    assert.equal(await count('graph_neighbours FINAL'), 4);
  });

  it('a loss is read as it was written last, with and without the event that emptied the pool', async () => {
    const store = createLossStore(clickhouse, CHAIN_ID, address(99));
    const drain = { number: 9, txHash: hash(10), atS: 1_700_000_009 };
    const before = { token: C, stolenUsd: 0, victims: 0, drain: null };
    const emptied = { token: C, stolenUsd: 7.25, victims: 2, drain };
    await store.write([before], 1);
    assert.deepEqual([...(await store.read([C])).values()], [before]);
    await store.write([emptied], 2);
    await store.write([before], 1);
    assert.deepEqual([...(await store.read([C, A])).values()], [emptied]);
    assert.deepEqual(await store.markets([C]), [{ token: C, traders: [], peak: 0, drain: null }]);
  });

  it('a market of any protocol is drained by what leaves it with a twentieth of what it held at most', async () => {
    const weth = address(99);
    const [ticks, solidly, still, inManager, moved] = addressesOf(0x51, 0x52, 0x53, 0x54, 0x55);
    const [V3, PAIR, OPEN, FAR] = addressesOf(0x61, 0x62, 0x63, 0x64);
    const V4 = hash(0x65);
    /** Of ten coins below a price of one, as far as a twentieth of its root. */
    const edge = 1.0001 ** -30_000;
    const depth = 10e18 / (1 - edge);
    const rootX96 = (root: number): Hex =>
      `0x${(BigInt(Math.round(root * 2 ** 48)) << 48n).toString(16)}`;
    const range = (own: { tickLower: number; tickUpper: number }) => ({
      owner: A,
      liquidity: `0x${BigInt(depth).toString(16)}` as Hex,
      salt: hash(0),
      ...own,
    });
    const around = range({ tickLower: -60_000, tickUpper: 60_000 });
    const above = range({ tickLower: 60_000, tickUpper: 120_000 });
    const wei = (coins: number): Hex => `0x${(BigInt(coins) * 10n ** 18n).toString(16)}`;
    const price = { sqrtPriceX96: rootX96(1), tick: 0 };
    const onV3 = (pool: Hex) => ({ protocol: 'uniswap_v3', pool }) as const;
    const made = (pool: Hex, token0: Hex, protocol: 'uniswap_v3' | 'solidly', n: number): Fact =>
      factOf('poolCreated', n, { protocol, factory: A, pool, token0, token1: weth });
    const minted = (pool: Hex, n: number, own: Partial<MintFact> = {}): Fact =>
      factOf('mint', n, { ...onV3(pool), range: around, ...own });
    const burned = (pool: Hex, n: number, own: Partial<BurnFact> = {}): Fact =>
      factOf('burn', n, { ...onV3(pool), range: around, ...own });
    const managed = { protocol: 'uniswap_v4', manager: A, amount0: '0x0', amount1: '0x0' } as const;
    const held = (n: number, reserve1: Hex): Fact =>
      factOf('sync', n, { protocol: 'solidly', pool: PAIR, reserve1 });
    const store = createLossStore(clickhouse, CHAIN_ID, weth);
    const insert = async (number: number, facts: Fact[]) => {
      const block = { number, hash: hash(number), timestampS: 1_700_000_000 + number, facts };
      const event = blocksEvent([block], { chainId: CHAIN_ID });
      await createFactStore(clickhouse).insert([event]);
    };
    await insert(20, [
      made(V3, ticks, 'uniswap_v3', 1),
      made(PAIR, solidly, 'solidly', 2),
      made(OPEN, still, 'uniswap_v3', 3),
      made(FAR, moved, 'uniswap_v3', 4),
      factOf('poolCreated', 5, {
        protocol: 'uniswap_v4',
        factory: A,
        pool: V4,
        token1: inManager,
        terms: { fee: 500, tickSpacing: 10, stable: false, hooks: address(0) },
        price,
      }),
      ...[V3, OPEN, FAR].flatMap((pool, i) => [
        factOf('priced', 6 + 2 * i, { ...onV3(pool), ...price }),
        minted(pool, 7 + 2 * i),
      ]),
      minted(V4, 12, managed),
      held(13, wei(8)),
      factOf('swap', 14, {
        ...onV3(V3),
        amount0Out: '0x1',
        amount1In: wei(30),
        after: { sqrtPriceX96: rootX96(1 + 30e18 / depth), tick: 0, liquidity: '0x1' },
      }),
    ]);
    await insert(21, [
      burned(V3, 15),
      burned(V4, 16, managed),
      burned(FAR, 17),
      minted(FAR, 18, { range: above }),
      held(19, '0x0'),
      factOf('collect', 20, { ...onV3(OPEN), amount1: wei(9), range: around }),
    ]);
    const drain = (n: number) => {
      return { number: 21, txHash: hash(n), atS: 1_700_000_021 };
    };
    const markets = await store.markets([ticks, solidly, still, inManager, moved]);
    assert.deepEqual(
      markets.map((market) => ({ ...market, peak: Math.round(market.peak * 1e6) / 1e6 })),
      [
        { token: ticks, traders: [], peak: 40, drain: drain(15) },
        { token: solidly, traders: [], peak: 8, drain: drain(19) },
        { token: still, traders: [], peak: 10, drain: null },
        { token: inManager, traders: [], peak: 10, drain: drain(16) },
        { token: moved, traders: [], peak: 10, drain: drain(17) },
      ],
    );
  });
});
