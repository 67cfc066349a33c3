import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { PROTOCOLS } from '../../../shared/chain/protocol.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import { createFactStore, type FactTable } from './factStore.ts';

const plain = (hex: Hex): string => hex.slice(2);
/** Little endian, so many bytes. */
const le = (value: number, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')
    .reverse()
    .toString('hex');

const BLOCK = { number: 1_000, hash: hash(0xb1), timestampS: 1_700_000_000 };
const PLACE = { txHash: hash(0x71), txIndex: 3, logIndex: 9 };
/** Chain, subject and place of a log. */
const begin = (subject: Hex): string =>
  le(56, 8) +
  plain(subject) +
  le(1_000, 8) +
  plain(hash(0xb1)) +
  le(9, 4) +
  le(1_700_000_000, 4) +
  plain(hash(0x71)) +
  le(3, 4);
const END = le(6, 8) + le(0, 1);
const amounts = (...values: number[]): string => values.map((value) => le(value, 32)).join('');
const none = plain(address(0));

/** The table a fact is written to, the last of its columns, and the bytes of its row. */
const inserted = async (fact: Fact) => {
  const inserts: { table: string; last: readonly string[]; bytes: string }[] = [];
  const insertBinary: Clickhouse['insertBinary'] = async (table, columns, rows) => {
    inserts.push({ table, last: columns.slice(-2), bytes: Buffer.from(rows).toString('hex') });
  };
  const event = blocksEvent([{ ...BLOCK, facts: [fact] }], { chainId: 56, epoch: 3 });
  await createFactStore({ insertBinary } as Clickhouse).insert([event]);
  return inserts;
};
const NO_POSITION = none + plain(hash(0)) + le(0, 4) + le(0, 4) + amounts(0);
const [A, B, C, D] = [address(0xa), address(0xb), address(0xc), address(0xd)];
/** An address as the name of a market. */
const WIDE_A = hash(0xa);

describe('rows of facts', () => {
  const cases: [Fact, FactTable, string][] = [
    [
      { kind: 'transfer', token: A, from: B, to: C, value: '0x1f4', ...PLACE },
      'fact_transfers',
      begin(A) + plain(B) + plain(C) + amounts(500),
    ],
    [
      { kind: 'nativeTransfer', from: A, to: B, value: '0x7', txHash: hash(0x71), txIndex: 3 },
      'fact_native_transfers',
      le(56, 8) +
        plain(B) +
        le(1_000, 8) +
        plain(hash(0xb1)) +
        le(3, 4) +
        le(1_700_000_000, 4) +
        plain(hash(0x71)) +
        plain(A) +
        amounts(7),
    ],
    [
      {
        kind: 'poolCreated',
        protocol: 'uniswap_v2',
        factory: A,
        pool: B,
        token0: C,
        token1: D,
        ...PLACE,
      },
      'fact_markets',
      begin(hash(0xb)) +
        le(1, 1) +
        plain(A) +
        plain(C) +
        plain(D) +
        le(0, 4) +
        le(0, 4) +
        le(0, 1) +
        none +
        amounts(0) +
        le(0, 4),
    ],
    [
      { kind: 'sync', protocol: 'uniswap_v2', pool: A, reserve0: '0x1', reserve1: '0x2', ...PLACE },
      'fact_pool_events',
      begin(A) + le(1, 1) + none + none + amounts(0, 0, 0, 0, 1, 2),
    ],
    [
      {
        kind: 'swap',
        protocol: 'uniswap_v2',
        pool: A,
        sender: B,
        to: C,
        amount0In: '0x1',
        amount1In: '0x2',
        amount0Out: '0x3',
        amount1Out: '0x4',
        ...PLACE,
      },
      'fact_pool_events',
      begin(A) + le(2, 1) + plain(B) + plain(C) + amounts(1, 2, 3, 4, 0, 0),
    ],
    [
      {
        kind: 'mint',
        protocol: 'uniswap_v2',
        pool: A,
        sender: B,
        amount0: '0x5',
        amount1: '0x6',
        ...PLACE,
      },
      'fact_pool_events',
      begin(A) + le(3, 1) + plain(B) + none + amounts(5, 6, 0, 0, 0, 0),
    ],
    [
      {
        kind: 'burn',
        protocol: 'uniswap_v2',
        pool: A,
        sender: B,
        to: C,
        amount0: '0x5',
        amount1: '0x6',
        ...PLACE,
      },
      'fact_pool_events',
      begin(A) + le(4, 1) + plain(B) + plain(C) + amounts(0, 0, 5, 6, 0, 0),
    ],
    [
      {
        kind: 'poolCreated',
        protocol: 'uniswap_v4',
        factory: A,
        pool: hash(0x99),
        token0: B,
        token1: C,
        terms: { fee: 3_000, tickSpacing: -60, stable: true, hooks: D },
        price: { sqrtPriceX96: '0x5', tick: -7 },
        ...PLACE,
      },
      'fact_markets',
      begin(hash(0x99)) +
        le(4, 1) +
        plain(A) +
        plain(B) +
        plain(C) +
        le(3_000, 4) +
        le(2 ** 32 - 60, 4) +
        le(1, 1) +
        plain(D) +
        amounts(5) +
        le(2 ** 32 - 7, 4),
    ],
    [
      { kind: 'priced', protocol: 'uniswap_v3', pool: A, sqrtPriceX96: '0x5', tick: 7, ...PLACE },
      'fact_market_events',
      begin(WIDE_A) +
        le(2, 1) +
        none +
        le(6, 1) +
        none +
        none +
        amounts(0, 0, 0, 0, 0, 0) +
        none +
        none +
        amounts(5, 0) +
        le(7, 4) +
        NO_POSITION,
    ],
    [
      { kind: 'sync', protocol: 'solidly', pool: A, reserve0: '0x1', reserve1: '0x2', ...PLACE },
      'fact_market_events',
      begin(WIDE_A) +
        le(5, 1) +
        none +
        le(1, 1) +
        none +
        none +
        amounts(0, 0, 0, 0, 1, 2) +
        none +
        none +
        amounts(0, 0) +
        le(0, 4) +
        NO_POSITION,
    ],
    [
      {
        kind: 'swap',
        protocol: 'balancer_v2',
        pool: hash(0x99),
        manager: D,
        sender: B,
        to: C,
        amount0In: '0x1',
        amount1In: '0x2',
        amount0Out: '0x3',
        amount1Out: '0x4',
        after: { sqrtPriceX96: '0x5', tick: -7, liquidity: '0x6' },
        sides: { token0: A, token1: B },
        ...PLACE,
      },
      'fact_market_events',
      begin(hash(0x99)) +
        le(7, 1) +
        plain(D) +
        le(2, 1) +
        plain(B) +
        plain(C) +
        amounts(1, 2, 3, 4, 0, 0) +
        plain(A) +
        plain(B) +
        amounts(5, 6) +
        le(2 ** 32 - 7, 4) +
        NO_POSITION,
    ],
    ...(['mint', 'burn', 'collect'] as const).map((kind, i): [Fact, FactTable, string] => [
      {
        kind,
        protocol: 'uniswap_v3',
        pool: A,
        sender: B,
        to: C,
        amount0: '0x5',
        amount1: '0x6',
        range: {
          owner: D,
          tickLower: -60,
          tickUpper: 120,
          liquidity: '0x7',
          salt: hash(0x88),
        },
        ...PLACE,
      },
      'fact_market_events',
      begin(WIDE_A) +
        le(2, 1) +
        none +
        le(3 + i, 1) +
        plain(B) +
        plain(C) +
        (kind === 'mint' ? amounts(5, 6, 0, 0) : amounts(0, 0, 5, 6)) +
        amounts(0, 0) +
        none +
        none +
        amounts(0, 0) +
        le(0, 4) +
        plain(D) +
        plain(hash(0x88)) +
        le(2 ** 32 - 60, 4) +
        le(120, 4) +
        amounts(7),
    ]),
    [
      {
        kind: 'graduated',
        protocol: 'four_meme',
        pool: A,
        manager: D,
        token0: A,
        token1: C,
        amount0: '0x5',
        amount1: '0x6',
        ...PLACE,
      },
      'fact_market_events',
      begin(WIDE_A) +
        le(8, 1) +
        plain(D) +
        le(7, 1) +
        none +
        none +
        amounts(0, 0, 5, 6, 0, 0) +
        plain(A) +
        plain(C) +
        amounts(0, 0) +
        le(0, 4) +
        NO_POSITION,
    ],
    [
      { kind: 'ownershipTransferred', contract: A, previousOwner: B, newOwner: C, ...PLACE },
      'fact_ownership_transfers',
      begin(A) + plain(B) + plain(C),
    ],
    [
      {
        kind: 'lock',
        act: 'extended',
        locker: B,
        lockId: '0x5',
        asset: A,
        position: '0x6',
        owner: C,
        amount: '0x7',
        unlockAt: `0x${'f'.repeat(64)}`,
        market: D,
        ...PLACE,
      },
      'fact_locks',
      begin(A) +
        amounts(6) +
        le(2, 1) +
        plain(B) +
        amounts(5) +
        plain(C) +
        amounts(7) +
        `${'ff'.repeat(6)}1f00` +
        plain(D),
    ],
    [
      {
        kind: 'failedSale',
        token: A,
        seller: B,
        router: C,
        txHash: hash(0x71),
        txIndex: 3,
      },
      'fact_failed_sales',
      le(56, 8) +
        plain(A) +
        le(1_000, 8) +
        plain(hash(0xb1)) +
        le(3, 4) +
        le(1_700_000_000, 4) +
        plain(hash(0x71)) +
        plain(B) +
        plain(C),
    ],
  ];
  for (const [fact, table, bytes] of cases) {
    it(`hold a ${fact.kind} byte by byte, version and deletion mark last`, async () => {
      const last = ['version', 'is_deleted'];
      assert.deepEqual(await inserted(fact), [{ table, last, bytes: bytes + END }]);
    });
  }

  it('know no creation: it is kept with its token', async () => {
    const fact: Fact = { kind: 'creation', contract: A, creator: B, txHash: hash(1), txIndex: 0 };
    assert.deepEqual(await inserted(fact), []);
  });

  it('number protocols as the columns of both tables of markets do', () => {
    const folder = join(projectRoot(), 'migrations');
    const columns = readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .flatMap((sql) => sql.match(/\bprotocol Enum8\([^)]*\)/g) ?? []);
    const unknown = PROTOCOLS.filter(
      (name, i) => columns.filter((one) => one.includes(`'${name}' = ${i + 1}`)).length < 2,
    );
    assert.deepEqual(unknown, [], 'add a migration');
  });
});
