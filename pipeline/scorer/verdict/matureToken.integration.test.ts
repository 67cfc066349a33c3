import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { createFeatureStore } from '../features/featureStore.ts';
import { createPoolHistoryStore, sideKey } from '../features/poolHistoryStore.ts';
import { poolDays } from '../features/poolLifeFeatures.ts';
import { NO_CACHE } from '../readCache.ts';

const CHAIN_ID = 1;
const HOLDERS = 1_000_000;
const SYNCS = 100_000;
const AIRDROPPED = 20_000;
const FIRST_SYNC_S = 1_600_000_000;
const QUERY_BYTES_MAX = 1024 * 1024 * 1024;
const TOKEN: Hex = `0x${'11'.repeat(20)}`;
const POOL: Hex = `0x${'22'.repeat(20)}`;
const BASE: Hex = `0x${'33'.repeat(20)}`;

const bytes = (hex: Hex): string => `unhex('${hex.slice(2)}')`;
/** Rows numbered from 0, a hundred per block and a block every twelve seconds. */
const PLACE = `1000 + intDiv(number, 100), unhex(repeat('ab', 32)), number % 100,
  toDateTime(${FIRST_SYNC_S} + 12 * intDiv(number, 100)), SHA256(toString(number)), 0`;

describe('a token of a million holders', () => {
  before(emptyTables);
  before(async () => {
    await clickhouse.exec(`INSERT INTO dim_tokens (chain_id, token, name, symbol, creator, created_block, created_at, version)
      SELECT ${CHAIN_ID}, ${bytes(TOKEN)}, 'Mature', 'M', unhex(repeat('00', 20)), 1000, toDateTime(${FIRST_SYNC_S}), 0`);
    await clickhouse.exec(`INSERT INTO dim_pools (chain_id, token, pool, other_token, token_is_0, created_block, version)
      SELECT ${CHAIN_ID}, ${bytes(TOKEN)}, ${bytes(POOL)}, ${bytes(BASE)}, 1, 1000, 0`);
    await clickhouse.exec(`INSERT INTO fact_transfers (chain_id, token, block_number, block_hash, log_index, timestamp,
        tx_hash, tx_index, from_address, to_address, value, version)
      SELECT ${CHAIN_ID}, ${bytes(TOKEN)}, ${PLACE}, unhex(repeat('00', 20)), substring(SHA256(concat('holder', toString(number))), 1, 20), 1000, 0
      FROM numbers(${HOLDERS})`);
    await clickhouse.exec(`INSERT INTO fact_pool_events (chain_id, pool, block_number, block_hash, log_index, timestamp,
        tx_hash, tx_index, kind, reserve0, reserve1, version)
      SELECT ${CHAIN_ID}, ${bytes(POOL)}, ${PLACE}, 'sync', 1000000 + number, 1000000 - number, 0
      FROM numbers(${SYNCS})`);
  });

  it('is read in bounded memory', async (context) => {
    const features = createFeatureStore(clickhouse);
    const startedMs = performance.now();
    const facts = await features.read(CHAIN_ID, [TOKEN], [BASE], Number.MAX_SAFE_INTEGER);
    const tookMs = performance.now() - startedMs;
    const holders = facts.holders.get(TOKEN);
    assert.deepEqual([holders?.holders, holders?.transfers], [HOLDERS, HOLDERS]);
    assert.equal(facts.pools.get(TOKEN)?.[0]?.syncs, SYNCS);
    await clickhouse.exec('SYSTEM FLUSH LOGS');
    const [peak] = await clickhouse.query(
      `SELECT max(memory_usage) AS bytes_max FROM system.query_log WHERE query_kind = 'Select'`,
      {},
      z.object({ bytes_max: z.number() }),
    );
    assert.ok(peak && peak.bytes_max > 0);
    context.diagnostic(`${Math.round(tookMs)} ms, ${Math.round(peak.bytes_max / 2 ** 20)} MiB`);
    assert.ok(peak.bytes_max <= QUERY_BYTES_MAX, `${peak.bytes_max} bytes`);
  });

  const confirm = (token: Hex, name: string): Promise<void> =>
    clickhouse.exec(`INSERT INTO dim_tokens (chain_id, token, name, symbol, creator, created_block, created_at, version)
      SELECT ${CHAIN_ID}, ${bytes(token)}, '${name}', 'T', unhex(repeat('00', 20)), 1000, toDateTime(${FIRST_SYNC_S}), 0`);

  it('is read by its latest transfers only, beside young tokens, once it has more than are read', async () => {
    const young: Hex = `0x${'44'.repeat(20)}`;
    await confirm(young, 'Young');
    await clickhouse.exec(`INSERT INTO fact_transfers (chain_id, token, block_number, block_hash, log_index, timestamp,
        tx_hash, tx_index, from_address, to_address, value, version)
      SELECT ${CHAIN_ID}, ${bytes(young)}, ${PLACE}, unhex(repeat('00', 20)), substring(SHA256(concat('holder', toString(number))), 1, 20), 1000, 0
      FROM numbers(30)`);
    const read = 50_000;
    const features = createFeatureStore(clickhouse, NO_CACHE, read);
    const facts = await features.read(CHAIN_ID, [young, TOKEN], [BASE], Number.MAX_SAFE_INTEGER);
    const holders = facts.holders.get(TOKEN);
    // Blocks are read whole: at most one more, with a hundred transfers.
    assert.ok(holders && holders.transfers >= read && holders.transfers <= read + 100);
    assert.equal(holders.is_whole, false);
    const [early, late] = [facts.touches.get(young)?.block, facts.touches.get(TOKEN)?.block];
    assert.ok(early && late && late.number > early.number);
    assert.deepEqual(
      [facts.holders.get(young)?.holders, facts.holders.get(young)?.is_whole],
      [30, true],
    );
    const asOfS = new Map([[TOKEN, FIRST_SYNC_S + 120]]);
    const born = await features.read(CHAIN_ID, [TOKEN], [BASE], Number.MAX_SAFE_INTEGER, asOfS);
    assert.deepEqual(
      [born.holders.get(TOKEN)?.transfers, born.holders.get(TOKEN)?.is_whole],
      [1_100, true],
      'early on the same token was young',
    );
  });

  it('has days of its pool as they follow from its events', async () => {
    const pool: Hex = `0x${'77'.repeat(20)}`;
    const events = [
      [0, 100, 100],
      [3_600, 50, 50],
      [7_200, 60, 42],
      [DAY_S, 30, 21],
      [DAY_S + 60, 15, 10.5],
      [3 * DAY_S, 45, 31.5],
      [3 * DAY_S + 60, 40, 36],
    ] as const;
    const rows = events.map(([sinceS, base, amount], i) =>
      [
        CHAIN_ID,
        bytes(pool),
        `${1_000 + i}, unhex(repeat('ab', 32)), 0, toDateTime(${FIRST_SYNC_S + sinceS})`,
        `SHA256('${i}'), 0, 'sync', ${BigInt(amount * 1e18)}, ${BigInt(base * 1e18)}, 0`,
      ].join(', '),
    );
    await clickhouse.exec(`INSERT INTO fact_pool_events (chain_id, pool, block_number, block_hash, log_index, timestamp,
        tx_hash, tx_index, kind, reserve0, reserve1, version) VALUES ${rows.map((row) => `(${row})`).join(', ')}`);
    const side = { pool, isBase1: true };
    const days = (
      await createPoolHistoryStore(clickhouse, NO_CACHE).days(CHAIN_ID, [side], 9_999)
    ).get(sideKey(side));
    const expected = poolDays(
      events.map(([sinceS, base, amount], blockNumber) => {
        const [reserveBase, reserveToken] = [base * 1e18, amount * 1e18];
        return { timestampS: FIRST_SYNC_S + sinceS, blockNumber, reserveBase, reserveToken };
      }),
    ).map((day) => Object.values(day));
    const rounded = (numbers: readonly number[]) => numbers.map((one) => one.toPrecision(12));
    assert.deepEqual(days?.map(rounded), expected.map(rounded));
    assert.deepEqual(
      days?.map((day) => day.at(-1)?.toPrecision(6)),
      ['0.500000', '0.250000', '3.00000'],
    );
  });

  it('is known to have been sent by the hundred, where it has no pool', async () => {
    const spam: Hex = `0x${'55'.repeat(20)}`;
    await confirm(spam, 'Spam');
    const insert = (from: string, tx: string, value: string, count: number): Promise<void> =>
      clickhouse.exec(`INSERT INTO fact_transfers (chain_id, token, block_number, block_hash, log_index, timestamp,
          tx_hash, tx_index, from_address, to_address, value, version)
        SELECT ${CHAIN_ID}, ${bytes(spam)}, ${from} + intDiv(number, 100), unhex(repeat('ab', 32)), number % 100,
          toDateTime(${FIRST_SYNC_S}), SHA256(${tx}), 0, unhex(repeat('66', 20)), substring(SHA256(concat('${from}', toString(number))), 1, 20),
          ${value}, 0 FROM numbers(${count})`);
    await insert('1000', "concat('batch', toString(intDiv(number, 100)))", '7', AIRDROPPED);
    // Single payments, and one transaction with a different payment to each recipient.
    await insert('90000', 'toString(number)', '7', 40);
    await insert('91000', "'uneven'", 'number + 1', 60);
    const facts = await createFeatureStore(clickhouse).read(
      CHAIN_ID,
      [spam],
      [BASE],
      Number.MAX_SAFE_INTEGER,
    );
    const spread = facts.spread.get(spam);
    assert.deepEqual(
      [spread?.recipients, spread?.unasked, spread?.batches],
      [AIRDROPPED + 100, AIRDROPPED, AIRDROPPED / 100],
    );
    assert.match(spread?.largest_batch ?? '', /^0x[0-9a-f]{64}$/);
  });
});
