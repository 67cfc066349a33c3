import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import type { FlushPorts } from '../flushPorts.ts';
import type { Ring } from '../graph/ring.ts';
import type { Dirty } from '../memory/ringMemory.ts';
import { ringRow } from '../testing/ringRow.ts';
import type { StoredRing, WrittenRing } from './ringChange.ts';
import { storeRings } from './storeRings.ts';

const JOINED_S = 1_700_000_000;
const NOW_S = JOINED_S + 500;
const [A, B, C] = [address(1), address(2), address(3)];

const ring = (wallets: readonly Hex[]): Ring => ({
  id: 'cl_1',
  name: 'Ring 1',
  members: wallets.map((wallet, i) => ({ wallet, role: i === 0 ? 'master' : 'creator' })),
  tokens: [{ token: address(9), isScam: true }],
  evidence: [],
  statistics: { tokensCreated: 1, scams: 1, firstBlock: 1 },
});
const block = { number: 9, hash: hash(9), timestampS: NOW_S };

/** Stores a ring as it is now over what was stored of it. `now` undefined: it went into `cl_2`. */
const setup = (now: Ring | undefined) => {
  const table = new Map<string, StoredRing>();
  const published: string[] = [];
  let isDown = false;
  const ports = {
    chainId: 1,
    detector: { ring: () => now },
    rings: {
      read: async () => new Map(table),
      formerRing: async () => null,
      write: async (rings: readonly WrittenRing[]) => {
        for (const { isDeleted: _isDeleted, ...each } of rings) table.set(each.id, each);
      },
    },
    losses: { read: async () => new Map() },
    reader: { activity: async () => new Map() },
    publish: async (_message: object, id: string) => {
      if (isDown) throw new Error('not published');
      published.push(id);
    },
  } as unknown as FlushPorts;
  const ended = new Map(now ? [] : [['cl_1', 'cl_2']]);
  const dirty: Dirty = {
    rings: new Set(now ? ['cl_1'] : []),
    ended,
    wallets: new Set(),
    tokens: new Set(),
  };
  const moment = { block, trigger: 'block', version: 7, isStart: false } as const;
  return {
    table,
    published,
    fail: (down: boolean): void => {
      isDown = down;
    },
    store: () => storeRings(ports, dirty, moment),
  };
};
const stored = (wallets: readonly Hex[]): StoredRing => ({ ...ringRow(wallets), mergedInto: '' });

describe('storeRings', () => {
  it('keeps when each wallet joined, and names those that left', async () => {
    const { table, store } = setup(ring([A, C]));
    table.set('cl_1', stored([A, B]));
    assert.deepEqual([...(await store())].toSorted(), [A, B, C]);
    assert.deepEqual(
      table.get('cl_1')?.members.map(({ wallet, joinedAtS }) => [wallet, joinedAtS]),
      [
        [A, JOINED_S],
        [C, NOW_S],
      ],
    );
  });

  it('publishes a ring before its row is written, so that a failure in between is made good', async () => {
    const { table, published, fail, store } = setup(ring([A, B]));
    fail(true);
    await assert.rejects(store(), /not published/);
    assert.equal(table.size, 0);
    fail(false);
    await store();
    await store();
    assert.deepEqual(published, ['cluster:1:cl_1:7:created']);
    assert.equal(table.get('cl_1')?.members.length, 2);
  });

  it('publishes the end of a ring once, and names its wallets', async () => {
    const { table, published, fail, store } = setup(undefined);
    table.set('cl_1', stored([A, B]));
    fail(true);
    await assert.rejects(store(), /not published/);
    assert.equal(table.get('cl_1')?.mergedInto, '');
    fail(false);
    assert.deepEqual([...(await store())], [A, B]);
    assert.deepEqual([...(await store())], []);
    assert.deepEqual(published, ['cluster:1:cl_1:7:merged']);
    const { mergedInto, members } = table.get('cl_1') ?? {};
    assert.deepEqual([mergedInto, members], ['cl_2', []]);
  });
});
