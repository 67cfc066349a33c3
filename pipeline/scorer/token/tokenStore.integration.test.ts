import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import type { Service } from '../../../shared/testing/services.ts';
import { sampleToken } from '../../testing/sampleToken.ts';
import type { FirstSeen } from '../ingest/touched.ts';
import type { ReadToken } from './tokenReader.ts';
import { createTokenDirectory, createTokenStore } from './tokenStore.ts';

const CHAIN_ID = 31_337;
const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const BLOCK = { number: 11, hash: hash(11) };
const REORG = {
  kind: 'reorg',
  chainId: CHAIN_ID,
  epoch: 1,
  ancestor: { number: 10, hash: hash(10), timestampS: 1_700_000_000 },
  orphaned: [BLOCK],
} as const;

describe('a token whose storing is cut off between its row and who made it', () => {
  let service: Service;
  let clickhouse: Clickhouse;

  before(async () => {
    service = await startMigratedClickhouse();
    clickhouse = createClickhouse({ url: service.url });
  });
  after(async () => {
    await clickhouse?.close();
    await service?.stop();
  });

  /** Whatever of a token, or of its creator, is in a table. */
  const rowsOf = async (table: 'dim_tokens' | 'graph_neighbours', token: Hex): Promise<number> => {
    const column = table === 'dim_tokens' ? 'token' : 'node';
    const [row] = await clickhouse.query(
      `SELECT toUInt32(count()) AS n FROM ${table} FINAL
        WHERE chain_id = {chainId:UInt64} AND lower(hex(${column})) = {token:String}`,
      { chainId: CHAIN_ID, token: token.slice(2) },
      z.object({ n: z.number() }),
    );
    return row?.n ?? 0;
  };

  /** The same block again, after a store that failed at its second insert. @param isStill whether the node still has the block */
  const storeTwice = async (token: Hex, isStill: boolean): Promise<void> => {
    const record = sampleToken(token, {
      chainId: CHAIN_ID,
      creator: address(0xc0),
      createdBlock: BLOCK.number,
      createdBlockHash: BLOCK.hash,
    });
    const seen: FirstSeen = {
      token,
      source: 'transfer',
      blockNumber: BLOCK.number,
      blockHash: BLOCK.hash,
      timestampS: 1_700_000_012,
      txHash: hash(1),
      creator: undefined,
    };
    let inserts = 0;
    const failing: Clickhouse = {
      ...clickhouse,
      insertBinary: async (...args) => {
        inserts += 1;
        if (inserts === 2) throw new Error('cut off');
        return clickhouse.insertBinary(...args);
      },
    };
    const resolveWith = (database: Clickhouse, answer: ReadToken): Promise<void> =>
      createTokenDirectory({
        chainId: CHAIN_ID,
        withoutPools: async (contracts) => new Set(contracts),
        tokens: createTokenStore(database),
        tokenReader: { read: async (_chainId, group) => group.map(() => answer) },
        logger: silentLogger,
      }).resolve([token], new Map([[token, [seen]]]), 0);
    await assert.rejects(resolveWith(failing, { kind: 'token', record }), /cut off/);
    await resolveWith(clickhouse, isStill ? { kind: 'token', record } : { kind: 'notAToken' });
  };

  it('has both when its block comes again', async () => {
    const token = address(0xa1);
    await storeTwice(token, true);
    assert.deepEqual(
      [await rowsOf('dim_tokens', token), await rowsOf('graph_neighbours', token)],
      [1, 1],
    );
  });

  it('has neither after a reorg, also where the node had left the block when it came again', async () => {
    for (const [index, isStill] of [true, false].entries()) {
      const token = address(0xb0 + index);
      await storeTwice(token, isStill);
      await createTokenStore(clickhouse).insertTombstones(REORG);
      assert.deepEqual(
        [await rowsOf('dim_tokens', token), await rowsOf('graph_neighbours', token)],
        [0, 0],
      );
    }
  });
});
