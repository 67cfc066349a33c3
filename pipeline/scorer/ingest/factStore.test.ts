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
import { topicOf } from '../../../shared/testing/evmData.ts';
import {
  SAMPLE_ADDRESSES,
  SAMPLE_FACTS,
  SAMPLE_PLACE,
} from '../../../shared/testing/sampleFacts.ts';
import { createFactStore, type FactTable } from './factStore.ts';

const plain = (hex: Hex): string => hex.slice(2);
/** Little endian, so many bytes. */
const le = (value: number, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')
    .reverse()
    .toString('hex');
/** The same for a number that may be negative, four bytes. */
const signed = (value: number): string => le(value < 0 ? 2 ** 32 + value : value, 4);
const amounts = (...values: number[]): string => values.map((value) => le(value, 32)).join('');
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

const BLOCK = { number: 1_000, hash: hash('b'), timestampS: 1_700_000_000 };
const { txHash, txIndex, logIndex } = SAMPLE_PLACE;
/** Chain, subject and place of what has this number in its block or transaction. */
const from = (subject: Hex, number: number): string =>
  le(56, 8) +
  plain(subject) +
  le(BLOCK.number, 8) +
  plain(BLOCK.hash) +
  le(number, 4) +
  le(BLOCK.timestampS, 4) +
  plain(txHash);
const ofLog = (subject: Hex): string => from(subject, logIndex) + le(txIndex, 4);
const ofTransaction = (subject: Hex): string => from(subject, txIndex);
const END = le(6, 8) + le(0, 1);

const NONE: Hex = `0x${'0'.repeat(40)}`;
const [A, B, C, D] = SAMPLE_ADDRESSES;
/** An address as the name of a market. */
const WIDE_A = topicOf(A);

/** An event of a market: its protocol and kind as the columns number them, and what is not zero. */
const marketEvent = (
  market: Hex,
  [protocol, kind]: readonly [number, number],
  some: {
    readonly manager?: Hex;
    readonly parties?: readonly [Hex, Hex];
    /** Both sides coming in, going out, and left. */
    readonly amounts?: readonly number[];
    readonly sides?: readonly [Hex, Hex];
    readonly price?: readonly [sqrt: number, liquidity: number, tick: number];
    readonly position?: string;
  },
): string => {
  const { manager = NONE, parties = [NONE, NONE], sides = [NONE, NONE], price = [0, 0, 0] } = some;
  return [
    ofLog(market),
    le(protocol, 1),
    plain(manager),
    le(kind, 1),
    ...parties.map(plain),
    amounts(...(some.amounts ?? [0, 0, 0, 0, 0, 0])),
    ...sides.map(plain),
    amounts(price[0], price[1]),
    signed(price[2]),
    some.position ?? plain(NONE) + plain(hash('0')) + signed(0) + signed(0) + amounts(0),
  ].join('');
};
const POSITION = plain(D) + plain(hash('9')) + signed(-60) + signed(120) + amounts(5);

/** The table of each sample and the bytes of its row, version and deletion mark apart. */
const ROWS: Readonly<Record<string, readonly [FactTable, string]>> = {
  transfer: ['fact_transfers', ofLog(A) + plain(B) + plain(C) + amounts(1)],
  nativeTransfer: ['fact_native_transfers', ofTransaction(B) + plain(A) + amounts(255)],
  failedSale: ['fact_failed_sales', ofTransaction(A) + plain(B) + plain(C)],
  'poolCreated uniswap_v2': [
    'fact_markets',
    ofLog(topicOf(B)) +
      le(1, 1) +
      [A, C, D].map(plain).join('') +
      signed(0) +
      signed(0) +
      le(0, 1) +
      plain(NONE) +
      amounts(0) +
      signed(0),
  ],
  'poolCreated uniswap_v4': [
    'fact_markets',
    ofLog(hash('5')) +
      le(4, 1) +
      [A, C, D].map(plain).join('') +
      signed(0x80_0000) +
      signed(-1) +
      le(1, 1) +
      plain(B) +
      amounts(6) +
      signed(-887_272),
  ],
  'sync uniswap_v2': [
    'fact_pool_events',
    ofLog(A) + le(1, 1) + plain(NONE) + plain(NONE) + amounts(0, 0, 0, 0, 16, 17),
  ],
  'swap uniswap_v2': [
    'fact_pool_events',
    ofLog(A) + le(2, 1) + plain(B) + plain(C) + amounts(1, 2, 3, 4, 0, 0),
  ],
  'mint uniswap_v2': [
    'fact_pool_events',
    ofLog(A) + le(3, 1) + plain(B) + plain(NONE) + amounts(1, 2, 0, 0, 0, 0),
  ],
  'burn uniswap_v2': [
    'fact_pool_events',
    ofLog(A) + le(4, 1) + plain(B) + plain(C) + amounts(0, 0, 1, 2, 0, 0),
  ],
  'sync solidly': [
    'fact_market_events',
    marketEvent(WIDE_A, [5, 1], { amounts: [0, 0, 0, 0, 16, 17] }),
  ],
  'priced slipstream': ['fact_market_events', marketEvent(WIDE_A, [6, 6], { price: [7, 0, 5] })],
  'swap uniswap_v4': [
    'fact_market_events',
    marketEvent(hash('6'), [4, 2], {
      manager: D,
      parties: [B, C],
      amounts: [1, 2, 3, 4, 0, 0],
      price: [8, 9, -3],
    }),
  ],
  'swap balancer_v2': [
    'fact_market_events',
    marketEvent(hash('7'), [7, 2], {
      manager: D,
      parties: [B, C],
      amounts: [1, 2, 3, 4, 0, 0],
      sides: [A, B],
    }),
  ],
  'swap four_meme': [
    'fact_market_events',
    marketEvent(WIDE_A, [8, 2], { manager: D, parties: [B, C], amounts: [1, 2, 3, 4, 10, 11] }),
  ],
  'mint uniswap_v3': [
    'fact_market_events',
    marketEvent(WIDE_A, [2, 3], {
      parties: [B, NONE],
      amounts: [1, 2, 0, 0, 0, 0],
      position: POSITION,
    }),
  ],
  'burn uniswap_v4': [
    'fact_market_events',
    marketEvent(hash('8'), [4, 4], {
      manager: D,
      parties: [B, C],
      amounts: [0, 0, 1, 2, 0, 0],
      position: POSITION,
    }),
  ],
  'collect uniswap_v3': [
    'fact_market_events',
    marketEvent(WIDE_A, [2, 5], {
      parties: [B, C],
      amounts: [0, 0, 1, 2, 0, 0],
      position: POSITION,
    }),
  ],
  'graduated four_meme': [
    'fact_market_events',
    marketEvent(WIDE_A, [8, 7], { manager: B, amounts: [0, 0, 1, 2, 0, 0], sides: [C, D] }),
  ],
  ownershipTransferred: ['fact_ownership_transfers', ofLog(A) + plain(B) + plain(C)],
  'lock locked': [
    'fact_locks',
    ofLog(B) +
      amounts(0) +
      le(1, 1) +
      plain(A) +
      amounts(7) +
      plain(C) +
      amounts(1) +
      le(0x6553_f100, 8) +
      plain(NONE),
  ],
  'lock extended': [
    'fact_locks',
    ofLog(B) +
      amounts(9) +
      le(2, 1) +
      plain(A) +
      amounts(0) +
      plain(C) +
      amounts(1) +
      `${'ff'.repeat(6)}1f00` +
      plain(D),
  ],
};

/** A sample by its kind, and by its protocol or act where it has one. */
const nameOf = (fact: Fact): string => {
  if ('protocol' in fact) return `${fact.kind} ${fact.protocol}`;
  return fact.kind === 'lock' ? `lock ${fact.act}` : fact.kind;
};

describe('rows of facts', () => {
  for (const fact of SAMPLE_FACTS) {
    it(`hold ${nameOf(fact)} byte by byte, version and deletion mark last`, async () => {
      const inserts: { table: string; last: readonly string[]; bytes: string }[] = [];
      const insertBinary: Clickhouse['insertBinary'] = async (table, columns, rows) => {
        const bytes = Buffer.from(rows).toString('hex');
        inserts.push({ table, last: columns.slice(-2), bytes });
      };
      const event = blocksEvent([{ ...BLOCK, facts: [fact] }], { chainId: 56, epoch: 3 });
      const store = createFactStore({ insertBinary } as Clickhouse);
      await store.insert([event]);
      // A creation is kept with its token.
      if (fact.kind === 'creation') return assert.deepEqual(inserts, []);
      const [table, bytes] = ROWS[nameOf(fact)] ?? assert.fail('a row is missing here');
      const last = ['version', 'is_deleted'];
      assert.deepEqual(inserts, [{ table, last, bytes: bytes + END }]);
    });
  }

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
