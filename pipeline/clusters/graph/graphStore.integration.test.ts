import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { type Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { type BlockGraph, GRAPH_KINDS, type GraphFact } from '../facts/graphFact.ts';
import { createGraphStore, type GraphStore } from './graphStore.ts';

const CHAIN_ID = 31_337;
const fact = (kind: GraphFact['kind'], place: number): GraphFact => ({
  kind,
  from: address(1),
  to: address(2),
  token: address(3),
  value: 1.5,
  place,
  txHash: hash(900 + place),
  codeHash: ZERO_HASH,
});
/** A block with a fact of every kind. */
const block = (number: number, branch = 0): BlockGraph => ({
  number,
  hash: hash(number + 100 * branch),
  timestampS: 1_700_000_000 + number,
  facts: GRAPH_KINDS.map((kind, i) => fact(kind, i)),
});
const reorg: ReorgEvent = {
  kind: 'reorg',
  chainId: CHAIN_ID,
  epoch: 1,
  ancestor: { number: 1, hash: hash(1), timestampS: 1_700_000_001 },
  orphaned: [{ number: 2, hash: hash(2) }],
};

describe('createGraphStore on ClickHouse', () => {
  before(emptyTables);
  let store: GraphStore;
  const stored = async (height: number): Promise<BlockGraph[]> => {
    const blocks: BlockGraph[] = [];
    for await (const page of store.blocksUpTo(height)) blocks.push(...page);
    return blocks;
  };

  before(async () => {
    store = createGraphStore(clickhouse, CHAIN_ID);
  });
  /** Blocks of the movements in `graph_neighbours`, by kind. */
  const shown = async (): Promise<Record<string, number[]>> => {
    const rows = await clickhouse.query(
      `SELECT kind, arraySort(groupArray(toUnixTimestamp(last_at) - 1700000000)) AS blocks
       FROM graph_neighbours FINAL WHERE chain_id = {chainId:UInt64} GROUP BY kind`,
      { chainId: CHAIN_ID },
      z.object({ kind: z.string(), blocks: z.array(z.number()) }),
    );
    return Object.fromEntries(rows.map(({ kind, blocks }) => [kind, blocks]));
  };
  /** Every kind in each of the blocks, under both ends. */
  const shownAt = (...numbers: number[]): Record<string, number[]> =>
    Object.fromEntries(
      GRAPH_KINDS.map((kind) => [kind, numbers.flatMap((number) => [number, number])]),
    );

  it('gives back what was stored, once, up to a height', async () => {
    await store.insert([block(0), block(1), block(2)], 0);
    await store.insert([block(2)], 0);
    assert.deepEqual(await stored(2), [block(0), block(1), block(2)]);
    assert.deepEqual(await stored(1), [block(0), block(1)]);
    assert.deepEqual(await shown(), shownAt(0, 1, 2));
  });

  it('deletes the facts of orphaned blocks, again too, and names them', async () => {
    await store.insertTombstones(reorg);
    await store.insertTombstones(reorg);
    assert.deepEqual(await stored(9), [block(0), block(1)]);
    assert.deepEqual(await shown(), shownAt(0, 1), 'the movements before stay');
    assert.deepEqual(
      (await store.tombstonesOf(reorg)).map((each) => each.hash),
      [hash(2)],
    );
    await store.insert([block(2, 1)], 1);
    assert.deepEqual(await stored(9), [block(0), block(1), block(2, 1)]);
    assert.deepEqual(await shown(), shownAt(0, 1, 2));
  });

  it('shows nothing of two addresses when their only movement is orphaned', async () => {
    const only = { ...block(3), facts: [{ ...fact('native', 0), to: address(8) }] };
    await store.insert([only], 1);
    const orphaned = [{ number: 3, hash: hash(3) }];
    const ancestor = { number: 2, hash: hash(102), timestampS: 1_700_000_002 };
    await store.insertTombstones({ ...reorg, epoch: 2, ancestor, orphaned });
    assert.deepEqual(await shown(), shownAt(0, 1, 2));
  });

  it('shows nothing of an orphaned block whose insert ended in between', async () => {
    let left = 1;
    const insertBinary: Clickhouse['insertBinary'] = async (...rows) => {
      left -= 1;
      if (left < 0) throw new Error('crash');
      await clickhouse.insertBinary(...rows);
    };
    const crashing = createGraphStore({ ...clickhouse, insertBinary }, CHAIN_ID);
    await assert.rejects(crashing.insert([block(4)], 2), /crash/);
    const orphaned = [{ number: 4, hash: hash(4) }];
    const ancestor = { number: 3, hash: hash(103), timestampS: 1_700_000_003 };
    await store.insertTombstones({ ...reorg, epoch: 3, ancestor, orphaned });
    assert.deepEqual(await shown(), shownAt(0, 1, 2));
  });

  it('brings a block back that is canonical again', async () => {
    await store.insert([block(2)], 3);
    assert.equal((await stored(9)).filter((each) => each.hash === hash(2)).length, 1);
  });

  it('remembers the last place', async () => {
    assert.equal(await store.progress(), undefined);
    const place = (number: number) => ({
      epoch: 1,
      block: { number, hash: hash(number), timestampS: 1_700_000_000 },
    });
    await store.saveProgress(place(7), 7);
    await store.saveProgress(place(5), 9);
    assert.deepEqual(await store.progress(), place(5));
  });
});
