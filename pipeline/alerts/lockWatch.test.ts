import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import type { BlocksEvent } from '../../shared/chain/chainEvent.ts';
import type { Fact, LockFact } from '../../shared/chain/fact.ts';
import { DAY_S } from '../../shared/platform/durations.ts';
import { factOf } from '../../shared/testing/facts.ts';
import type { LockReader } from './lockReader.ts';
import { createLockWatch } from './lockWatch.ts';
import type { TokenLock } from './rules/locks.ts';
import { createBench } from './testing/alerterBench.ts';
import {
  address,
  block,
  blocksEvent,
  hash,
  reorgEvent,
  TOKEN,
  transfer,
  watchItem,
} from './testing/chainBuilder.ts';

const LOCKER = address('locker');
const OWNER = address('owner');
const LP = address('lp');
const nowS = (number: number): number => block(number).timestampS;

const lock = (change: Partial<TokenLock> = {}): TokenLock => ({
  token: TOKEN,
  kind: 'liquidity',
  locker: LOCKER,
  lockId: '7',
  asset: LP,
  position: '0',
  owner: OWNER,
  unlockAtS: nowS(5) + DAY_S,
  share: 0.9,
  lockedTx: hash('locked'),
  ...change,
});

const fact = (act: LockFact['act'], change: Partial<LockFact> = {}): LockFact => {
  const lock = { locker: LOCKER, lockId: '0x7', asset: LP, owner: OWNER, amount: '0x5' } as const;
  return factOf('lock', 3, { act, ...lock, txHash: hash('out'), ...change });
};

/** An index with these locks, which records queries. */
const indexOf = (locks: TokenLock[]) => {
  const asked: [number, number][] = [];
  const reader: LockReader = {
    lockers: async () => [LOCKER],
    ending: async (afterS, untilS) => {
      asked.push([afterS, untilS]);
      return locks.filter(({ unlockAtS }) => unlockAtS > afterS && unlockAtS <= untilS);
    },
    ofTokens: async (logged) =>
      logged.map((one) => ({ ...one, token: TOKEN, kind: 'liquidity', share: null })),
    at: async (places) =>
      locks.filter((one) =>
        places.some(({ asset, position }) => asset === one.asset && position === one.position),
      ),
  };
  return { reader, asked };
};

const eventOf = (number: number, facts: readonly Fact[] = []): BlocksEvent =>
  blocksEvent([block(number, facts)]);

/** Findings by block: type and details. */
const found = async (locks: TokenLock[], events: readonly BlocksEvent[]) => {
  const watch = createLockWatch({ locks: indexOf(locks).reader, unlockNoticeS: DAY_S });
  const all: (readonly [number, string, unknown])[] = [];
  for (const event of events) {
    for (const { finding, block: at } of await watch.find(event)) {
      all.push([at.number, finding.type, finding.details['before_time']]);
    }
  }
  return all;
};
const days = [3, 4, 5, 6, 7].map((number) => eventOf(number));

describe('unlock_soon', () => {
  it('comes once, in the first block at or after the notice', async () => {
    assert.deepEqual(await found([lock()], days), [[5, 'unlock_soon', undefined]]);
    const between = lock({ unlockAtS: nowS(5) + DAY_S - 1 });
    assert.deepEqual(await found([between], days), [[5, 'unlock_soon', undefined]]);
  });

  it('comes at the new time of a lock that was made longer meanwhile, and of one that was stored late', async () => {
    const locks = [lock()];
    const watch = createLockWatch({ locks: indexOf(locks).reader, unlockNoticeS: DAY_S });
    const longer = fact('extended', { unlockAt: `0x${(nowS(7) + DAY_S).toString(16)}` });
    const late = lock({ lockId: '8', unlockAtS: nowS(6) + DAY_S });
    const reported: string[] = [];
    for (const number of [3, 4, 5, 6, 7]) {
      if (number === 4) locks.splice(0, 1, lock({ unlockAtS: nowS(7) + DAY_S }), late);
      const made = fact('locked', {
        lockId: '0x8',
        unlockAt: `0x${late.unlockAtS.toString(16)}`,
      });
      const event = eventOf(number, number === 4 ? [longer, made] : []);
      for (const { finding } of await watch.find(event)) {
        reported.push(`${number} ${String(finding.details['lock']).split(':')[1]}`);
      }
    }
    assert.deepEqual(reported, ['6 8', '7 7']);
  });

  it('comes at once for a lock that is shorter than the notice', async () => {
    const unlockAt: Hex = `0x${(nowS(4) + 60).toString(16)}`;
    const events = [eventOf(3), eventOf(4, [fact('locked', { unlockAt })]), eventOf(5)];
    assert.deepEqual(await found([], events), [[4, 'unlock_soon', undefined]]);
  });

  it('is the same when an event comes again, and not of crumbs', async () => {
    const watch = createLockWatch({ locks: indexOf([lock()]).reader, unlockNoticeS: DAY_S });
    watch.recall(eventOf(4));
    const [first, again] = [await watch.find(eventOf(5)), await watch.find(eventOf(5))];
    assert.equal(first.length, 1);
    assert.deepEqual(again, first);
    assert.deepEqual(await found([lock({ share: 0.009 })], days), []);
  });

  it('asks for ten minutes at once', async () => {
    const { reader, asked } = indexOf([]);
    const watch = createLockWatch({ locks: reader, unlockNoticeS: DAY_S });
    for (const event of days) await watch.find(event);
    assert.equal(asked.length, 1);
  });

  it('is raised for who watches the token, withdrawn by a reorg, and raised again after it', async () => {
    const bench = createBench(undefined, { locks: indexOf([lock()]).reader });
    bench.watch(watchItem({ alerts: ['unlock_soon'] }));
    const alerter = bench.start();
    const five = block(5);
    await alerter.handle([4, 5].map((n, i) => ({ seq: i + 1, event: eventOf(n) })));
    assert.deepEqual(
      bench.alerts().map(({ type, severity }) => [type, severity]),
      [['unlock_soon', 'warning']],
    );
    await alerter.handle([{ seq: 3, event: reorgEvent(1, [five]) }]);
    assert.deepEqual(bench.alerts(), []);
    const other = { ...block(5), hash: hash('other') };
    await alerter.handle([{ seq: 4, event: blocksEvent([other], { epoch: 1 }) }]);
    assert.deepEqual(
      bench.alerts().map(({ blockHash }) => blockHash),
      [hash('other')],
    );
  });
});

describe('lock_withdrawn', () => {
  const out = transfer('out', LP, LOCKER, OWNER);

  it('is what leaves a locker, logged or not, before its time and after', async () => {
    const silent = [eventOf(4, [out])];
    assert.deepEqual(await found([lock()], silent), [[4, 'lock_withdrawn', true]]);
    const logged = [eventOf(4, [out, fact('withdrawn')])];
    assert.deepEqual(await found([lock()], logged), [[4, 'lock_withdrawn', true]]);
    const over = lock({ unlockAtS: nowS(4) - 1 });
    assert.deepEqual(await found([over], logged), [[4, 'lock_withdrawn', false]]);
  });

  it('is a position that moved away or was emptied, not one that came', async () => {
    const position = lock({ kind: 'position', position: '9' });
    const of = (act: LockFact['act'], owner: Hex): BlocksEvent[] => [
      eventOf(4, [fact(act, { locker: `0x${'0'.repeat(40)}`, position: '0x9', owner })]),
    ];
    assert.deepEqual(await found([position], of('moved', OWNER)), [[4, 'lock_withdrawn', true]]);
    const emptied = of('decreased', `0x${'0'.repeat(40)}`);
    assert.deepEqual(await found([position], emptied), [[4, 'lock_withdrawn', true]]);
    assert.deepEqual(await found([position], of('moved', LOCKER)), []);
  });

  it('is neither a fee of a lock, nor what others send or log', async () => {
    assert.deepEqual(await found([lock()], [eventOf(4, [out, fact('extended')])]), []);
    assert.deepEqual(await found([lock()], [eventOf(4, [fact('withdrawn')])]), []);
    const elsewhere = transfer('out', LP, address('other'), OWNER);
    assert.deepEqual(await found([lock()], [eventOf(4, [elsewhere])]), []);
    assert.deepEqual(await found([lock({ share: 0.001 })], [eventOf(4, [out])]), []);
  });
});
