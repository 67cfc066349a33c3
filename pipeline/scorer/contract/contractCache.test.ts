import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { contractOf, probeOf } from '../testing/checkInputOf.ts';
import { createContractCache, type KnownSubject } from './contractCache.ts';
import type { ContractProfile } from './contractProfile.ts';
import type { ContractReader } from './contractReader.ts';
import type { ContractStore, StoredProfile } from './contractStore.ts';

const CHAIN = 1;
const NOW_MS = 10_000_000;
const POOL: Hex = `0x${'9'.repeat(40)}`;
const tokenOf = (i: number): Hex => `0x${i.toString(16).padStart(40, '0')}`;

const subjectOf = (change: Partial<KnownSubject> = {}): KnownSubject => ({
  token: tokenOf(1),
  creator: tokenOf(2),
  codeHash: contractOf().codeHash,
  ownershipBlock: 0,
  pool: undefined,
  ...change,
});

const setup = (options: {
  stored?: StoredProfile;
  /** Whether a token has a stored profile; if absent, all have. */
  isStored?: (token: Hex) => boolean;
  isLive?: boolean;
  read?: ContractReader['read'];
  tookMs?: number;
}) => {
  const read: Hex[] = [];
  const inserted = new Map<Hex, ContractProfile>();
  let nowMs = NOW_MS;
  const store: ContractStore = {
    read: async (_chain, tokens) => {
      const { stored, isStored = () => true } = options;
      return new Map(stored ? tokens.filter(isStored).map((one) => [one, stored]) : []);
    },
    insert: async (_chain, profiles) => {
      for (const [token, profile] of profiles) inserted.set(token, profile);
    },
    label: async () => undefined,
    twins: async () => new Map(),
    nearScams: async (_chain, profiles) =>
      new Map([...profiles.keys()].map((one) => [one, { token: tokenOf(7), similarity: 0.95 }])),
  };
  const reader: ContractReader = {
    read: async (subject) => {
      read.push(subject.token);
      nowMs += options.tookMs ?? 0;
      return options.read ? options.read(subject) : contractOf({ blockNumber: 99 });
    },
  };
  const clock = { now: () => nowMs, sleep: async () => undefined };
  const isLive = () => options.isLive ?? true;
  const cache = createContractCache({ store, reader, clock, isLive });
  const study = async (subjects: readonly KnownSubject[]) => {
    const stored = await cache.read(
      CHAIN,
      subjects.map(({ token }) => token),
    );
    return cache.study(CHAIN, subjects, stored);
  };
  return { cache, study, read, inserted };
};

const fresh = (change: Partial<StoredProfile> = {}): StoredProfile => ({
  profile: contractOf({ blockNumber: 50 }),
  readAtMs: NOW_MS - 1_000,
  ...change,
});

describe('createContractCache', () => {
  it('reads what it does not know, once, and keeps it with the scam it resembles', async () => {
    const { study, read, inserted } = setup({});
    const { known } = await study([subjectOf()]);
    assert.deepEqual(read, [tokenOf(1)]);
    assert.equal(known.get(tokenOf(1))?.profile.blockNumber, 99);
    assert.equal(inserted.get(tokenOf(1))?.nearScam?.token, tokenOf(7));
  });

  it('keeps what was shown before a token was closed', async () => {
    const caller = { address: tokenOf(5), origin: 'code' } as const;
    const power = { kind: 'freeze', caller, selector: '0x12345678', data: '0x', value: 1 } as const;
    const { study } = setup({
      stored: fresh({
        readAtMs: 0,
        profile: contractOf({ blockNumber: 50, probe: probeOf([power]) }),
      }),
      read: async () =>
        contractOf({ probe: { kind: 'done', blockNumber: 99, trade: null, powers: [] } }),
    });
    const { probe } = (await study([subjectOf()])).known.get(tokenOf(1))?.profile ?? {};
    assert.deepEqual(probe?.kind === 'done' && probe.powers, [power]);
  });

  for (const [name, stored, change, isRead] of [
    ['is fresh', fresh(), {}, false],
    ['is old', fresh({ readAtMs: NOW_MS - 3_600_000 }), {}, true],
    [
      'could not be simulated a while ago',
      {
        ...fresh({ readAtMs: NOW_MS - 90_000 }),
        profile: contractOf({ probe: { kind: 'unknown', reason: sentence('nodeSilent') } }),
      },
      {},
      true,
    ],
    ['has a new owner', fresh(), { ownershipBlock: 51 }, true],
    ['had its owner before', fresh(), { ownershipBlock: 50 }, false],
    [
      'has a pool since',
      fresh(),
      { pool: { kind: 'reserves', pool: POOL, baseToken: tokenOf(3) } },
      true,
    ],
    ['is another contract', fresh(), { codeHash: `0x${'d'.repeat(64)}` as const }, true],
    ['has a code nobody hashed', fresh(), { codeHash: `0x${'0'.repeat(64)}` as const }, false],
  ] as const) {
    it(`${isRead ? 'reads again' : 'believes the store'} where the contract ${name}`, async () => {
      const { study, read } = setup({ stored });
      const { known } = await study([subjectOf(change)]);
      assert.equal(read.length, isRead ? 1 : 0);
      assert.equal(known.get(tokenOf(1))?.profile.blockNumber, isRead ? 99 : 50);
    });
  }

  it('asks no node of now about facts of the past', async () => {
    const { study, read } = setup({ isLive: false });
    assert.equal((await study([subjectOf()])).known.size, 0);
    assert.deepEqual(read, []);
  });

  it('keeps what it has where the node is away, and stops no verdict', async () => {
    const away = async () => Promise.reject(new RetryableError('away'));
    const { study } = setup({ stored: fresh({ readAtMs: 0 }), read: away });
    const { known } = await study([subjectOf()]);
    assert.equal(known.get(tokenOf(1))?.profile.blockNumber, 50);
  });

  it('lets other errors pass', async () => {
    const broken = async () => Promise.reject(new TypeError('bug'));
    await assert.rejects(setup({ read: broken }).study([subjectOf()]), TypeError);
  });

  it('bounds how many contracts a round reads, and for how long', async () => {
    const many = Array.from({ length: 100 }, (_, i) => subjectOf({ token: tokenOf(i + 1) }));
    const quick = setup({});
    const { postponed } = await quick.study(many);
    assert.equal(quick.read.length, 40);
    assert.deepEqual(
      [...postponed],
      many.slice(40).map(({ token }) => token),
    );
    const slow = setup({ tookMs: 4_000 });
    const { postponed: most } = await slow.study(many);
    assert.deepEqual([slow.read.length, most.size], [3, 97]);
  });

  it('reads those of which nothing is known first; no other waits for its turn', async () => {
    const many = Array.from({ length: 41 }, (_, i) => subjectOf({ token: tokenOf(i + 1) }));
    const isStored = (token: Hex) => token === tokenOf(1);
    const { study, read } = setup({ stored: fresh({ readAtMs: 0 }), isStored });
    const { known, postponed } = await study(many);
    assert.deepEqual([read.length, read.includes(tokenOf(1)), postponed.size], [40, false, 0]);
    assert.equal(known.get(tokenOf(1))?.profile.blockNumber, 50);
  });

  it('names those beyond a round before any is read; none where it reads none', async () => {
    const many = Array.from({ length: 43 }, (_, i) => tokenOf(i + 1));
    const isStored = (token: Hex) => token === tokenOf(1);
    for (const [isLive, left] of [
      [true, many.slice(41)],
      [false, []],
    ] as const) {
      const { cache, read } = setup({ stored: fresh(), isStored, isLive });
      assert.deepEqual([...cache.beyondRound(many, await cache.read(CHAIN, many))], left);
      assert.deepEqual(read, []);
    }
  });
});
