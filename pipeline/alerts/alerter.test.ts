import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlocksEvent } from '../../shared/chain/chainEvent.ts';
import type { AlertOverrides } from '../../shared/messages/settingsMessage.ts';
import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { createBench } from './testing/alerterBench.ts';
import {
  address,
  block,
  blocksEvent,
  burn,
  CREATOR,
  hash,
  POOL,
  pairCreated,
  reorgEvent,
  ringChange,
  sale,
  score,
  sync,
  TOKEN,
  transfer,
  watchItem,
} from './testing/chainBuilder.ts';

const opened = blocksEvent([block(1, [pairCreated(), sync('open', 1000, 100)])]);
const rugBlock = block(2, [
  transfer('rug', POOL, CREATOR, POOL),
  sync('rug', 10, 1),
  burn('rug', 990, 99, address('router')),
]);
const rugged = blocksEvent([rugBlock]);
const halved = blocksEvent([block(2, [sync('half', 2000, 45)])]);
const rugOnly = { alerts: ['rug_pull' as const] };

/**
 * An alerter that has handled these events after a pool was created, with these watchlist items and settings.
 */
const setup = async (
  items: Partial<WatchItem> | readonly Partial<WatchItem>[],
  events: readonly BlocksEvent[] = [rugged],
  overrides: AlertOverrides = {},
) => {
  const bench = createBench();
  for (const item of [items].flat()) bench.watch(watchItem(item));
  bench.set('fam1', overrides);
  bench.add(opened, ...events);
  const alerter = bench.start();
  await alerter.handle(bench.stream);
  return { bench, alerter, watchIds: bench.alerts().map(({ watchId }) => watchId) };
};

describe('alerter on verdicts and rings', () => {
  it('alerts watchers of a token and of its creator that the verdict turned, once', async () => {
    const { bench, alerter } = await setup({ alerts: ['verdict_change'] });
    bench.watch(
      watchItem({ id: 42, type: 'wallet', address: CREATOR, alerts: ['verdict_change'] }),
    );
    for (let i = 0; i < 2; i += 1) await alerter.handleScore(score());
    await alerter.handleScore(score({ previousPrediction: null, analyzedAtMs: 1_700_000_060_000 }));
    assert.deepEqual(
      bench
        .alerts()
        .map(({ watchId, severity }) => `${watchId} ${severity}`)
        .toSorted(),
      ['41 critical', '42 critical'],
    );
  });

  it('asks for the confidence that the item’s sensitivity wants', async () => {
    const { bench, alerter } = await setup({ alerts: ['verdict_change'], sensitivity: 'low' });
    await alerter.handleScore(score({ confidence: 0.94 }));
    assert.equal(bench.alerts().length, 0);
    await alerter.handleScore(score({ confidence: 0.95 }));
    assert.equal(bench.alerts().length, 1);
  });

  it('keeps an alert’s id when the same verdict is made again', async () => {
    const { bench, alerter } = await setup({ alerts: ['verdict_change'] });
    bench.set('fam1', { dedupe_window_seconds: 0 });
    await alerter.handleScore(score());
    await alerter.handleScore(score({ analyzedAtMs: 1_700_000_055_000 }));
    assert.equal(bench.alerts().length, 1);
  });

  it('withdraws what rests on an orphaned block, and raises it again when the block comes back', async () => {
    const { bench, alerter } = await setup({ alerts: ['verdict_change'] });
    await alerter.handleScore(score());
    const [raised] = bench.alerts();
    await alerter.handle([{ seq: 3, event: reorgEvent(1, [rugBlock]) }]);
    assert.deepEqual(bench.alerts(), []);
    await alerter.handle([{ seq: 4, event: blocksEvent([rugBlock], { epoch: 1 }) }]);
    assert.deepEqual(bench.alerts(), [raised]);
    assert.deepEqual(
      bench.sent().map(({ state }) => state),
      ['raised', 'withdrawn', 'raised'],
    );
    assert.equal(new Set(bench.sent().map(({ eventId }) => eventId)).size, 3);
  });

  it('sends an alert once, wherever a process was killed and though a reorg elsewhere came in between', async () => {
    /** More than fit into one message. */
    const INTERRUPTIONS_MAX = 12;
    for (let last = 1; last <= INTERRUPTIONS_MAX; last += 1) {
      let left = Infinity;
      const bench = createBench(() => {
        left -= 1;
        if (left === 0) throw new RetryableError('killed');
      });
      bench.watch(watchItem({ alerts: ['verdict_change'] }));
      const elsewhere = block(3);
      bench.add(opened, rugged, blocksEvent([elsewhere]));
      const killed = bench.start();
      await killed.handle(bench.stream);
      left = last;
      await killed.handleScore(score()).catch(() => undefined);
      left = Infinity;
      const restarted = bench.start();
      await restarted.recall(bench.stream);
      await restarted.handle([{ seq: 4, event: reorgEvent(1, [elsewhere]) }]);
      await restarted.handleScore(score());
      assert.equal(bench.alerts().length, 1, `killed at ${last}`);
      assert.equal(bench.sent().length, 1, `killed at ${last}`);
    }
  });

  it('alerts to a message on an orphaned block only when the block comes back', async () => {
    const { bench, alerter } = await setup({ alerts: ['verdict_change'] });
    await alerter.handle([{ seq: 3, event: reorgEvent(1, [rugBlock]) }]);
    await alerter.handleScore(score());
    assert.deepEqual([bench.alerts(), bench.sent()], [[], []]);
    // After a restart: messages read again show the new process that the block is orphaned.
    const restarted = bench.start();
    await restarted.recall([...bench.stream, { seq: 3, event: reorgEvent(1, [rugBlock]) }]);
    await restarted.handle([{ seq: 4, event: blocksEvent([rugBlock], { epoch: 1 }) }]);
    assert.equal(bench.alerts().length, 1);
    assert.deepEqual(
      bench.sent().map(({ state }) => state),
      ['raised'],
    );
  });

  it('alerts to a tax that changed since the verdict before, or since the same block was scored', async () => {
    const { bench, alerter } = await setup({ alerts: ['tax_change'] });
    bench.set('fam1', { dedupe_window_seconds: 0 });
    const at = (block: string, analyzedAtMs: number) =>
      score({ blockHash: hash(block), previousPrediction: null, analyzedAtMs });
    bench.setTax(hash('a'), 0.02, 0.02);
    await alerter.handleScore(at('a', 1_700_000_050_000));
    assert.deepEqual(bench.alerts(), []);
    bench.setTax(hash('a'), 0.3, 0.02);
    await alerter.handleScore(at('a', 1_700_000_060_000));
    bench.setTax(hash('b'), 0.6, 0.3);
    await alerter.handleScore(at('b', 1_700_000_070_000));
    assert.deepEqual(
      bench.alerts().map(({ details }) => [details['previous_tax'], details['new_tax']]),
      [
        [0.02, 0.3],
        [0.3, 0.6],
      ],
    );
  });

  it('alerts watchers of a wallet that it joined a ring, and what others of the ring do', async () => {
    const { bench, alerter } = await setup({
      type: 'wallet',
      address: CREATOR,
      alerts: ['cluster_activity'],
    });
    await alerter.handleCluster(ringChange());
    assert.deepEqual(
      bench.alerts().map(({ severity, recommendation }) => [severity, recommendation]),
      [['warning', 'AVOID']],
    );
    const mate = address('mate');
    bench.setRing({ clusterId: 'ring1', wallet: mate, mates: [CREATOR] });
    const rug = block(3, [transfer('r', POOL, mate, POOL), sync('r', 1, 0.1), burn('r', 9, 0.9)]);
    await alerter.handle([{ seq: 3, event: blocksEvent([rug]) }]);
    assert.deepEqual(
      bench.alerts().map(({ details }) => details['activity']),
      ['changed', 'rug_pull'],
    );
  });
});

describe('alerter and what families set', () => {
  const allDay = { from: '00:00', to: '00:00', timezone: 'UTC', except_critical: true };
  const cases: readonly (readonly [
    name: string,
    overrides: AlertOverrides,
    raised: number,
    sent: number,
  ])[] = [
    ['nothing', {}, 1, 1],
    ['alerts off', { enabled: false }, 0, 0],
    ['the type muted', { muted: ['rug_pull'] }, 0, 0],
    ['the token muted', { muted: [TOKEN] }, 0, 0],
    ['another type muted', { muted: ['mint'] }, 1, 1],
    ['only critical ones', { min_severity: 'critical' }, 0, 0],
    ['a threshold above the drop', { thresholds: { liquidity_drop: 0.6 } }, 0, 0],
    ['a threshold for something else', { thresholds: { price_drop: 1 } }, 1, 1],
    ['quiet hours', { quiet_hours: allDay }, 1, 0],
  ];
  for (const [name, overrides, raised, sent] of cases) {
    it(`raises ${raised} and sends ${sent} with ${name}`, async () => {
      const { bench } = await setup(rugOnly, [halved], overrides);
      assert.deepEqual([bench.alerts().length, bench.sent().length], [raised, sent]);
    });
  }

  it('says nothing of the withdrawal of an alert that was never sent', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    const night = { from: '22:00', to: '06:00', timezone: 'UTC', except_critical: false };
    bench.set('fam1', { quiet_hours: night });
    bench.setTime(Date.UTC(2026, 0, 1, 23));
    bench.add(opened, rugged);
    const alerter = bench.start();
    await alerter.handle(bench.stream);
    bench.setTime(Date.UTC(2026, 0, 2, 7));
    await alerter.handle([{ seq: 3, event: reorgEvent(1, [rugBlock]) }]);
    assert.deepEqual([bench.alerts().length, bench.sent().length], [0, 0]);
  });

  it('repeats itself as soon as the family’s own window allows', async () => {
    for (const [windowS, raised] of [
      [0, 3],
      [13, 2],
      [60, 1],
    ]) {
      const drained = [45, 40, 35].map((base, i) =>
        blocksEvent([block(2 + i, [sync(`s${i}`, 2000, base)])]),
      );
      const { bench } = await setup(rugOnly, drained, { dedupe_window_seconds: windowS });
      assert.equal(bench.alerts().length, raised, `window ${windowS}`);
    }
  });

  it('looks back as far as the family’s own window, also where that is longer than the usual one', async () => {
    const [first, later] = [block(2, [sync('a', 2000, 10)]), block(90, [sync('b', 2000, 1)])];
    for (const [overrides, raised] of [
      [{}, 2],
      [{ dedupe_window_seconds: 1_200 }, 1],
    ] as const) {
      const events = [blocksEvent([first]), blocksEvent([later])];
      const { bench } = await setup(rugOnly, events, overrides);
      assert.equal(bench.alerts().length, raised, JSON.stringify(overrides));
    }
  });
});

// `pipeline/simulation.test.ts` shows that reorgs, crashes, failures and repetitions leave the alerts of the
// canonical chain.
describe('alerter', () => {
  it('raises what a watched token suffers, with the creator’s sale', async () => {
    const { bench } = await setup(rugOnly);
    const [alert, ...others] = bench.alerts();
    assert.deepEqual(others, []);
    assert.equal(alert?.type, 'rug_pull');
    assert.equal(alert?.watchId, 41);
    assert.equal(alert?.details['creator_sold_usd'], 198_000);
    assert.deepEqual(alert?.token, { address: TOKEN, name: 'Moon', symbol: 'MOON' });
    const [message, ...more] = bench.sent();
    assert.deepEqual(more, []);
    assert.deepEqual([message?.state, message?.alert], ['raised', alert]);
  });

  it('alerts watchers of the wallet that drained the pool', async () => {
    const { watchIds } = await setup([
      { type: 'wallet', address: CREATOR, alerts: ['rug_pull'] },
      { type: 'wallet', address: address('bystander'), id: 42 },
    ]);
    assert.deepEqual(watchIds, [41]);
  });

  it('asks the sensitivity and the kinds of each item', async () => {
    const items: Partial<WatchItem>[] = [
      { id: 1, sensitivity: 'low', ...rugOnly },
      { id: 2, sensitivity: 'medium', ...rugOnly },
      { id: 3, sensitivity: 'high', ...rugOnly },
      { id: 4, sensitivity: 'high', alerts: ['mint'] },
    ];
    const { watchIds } = await setup(items, [halved]);
    assert.deepEqual(
      watchIds.toSorted((a, b) => a - b),
      [2, 3],
    );
  });

  it('reads the stream again after it lost its tail', async () => {
    const { bench, alerter } = await setup(rugOnly);
    const other = blocksEvent([block(2, [sync('drain', 1000, 2)], 'b')]);
    await alerter.handle([{ seq: 1, event: opened }]);
    await alerter.handle([{ seq: 2, event: other }]);
    assert.deepEqual(
      bench.alerts().map(({ blockHash }) => blockHash),
      // The item had an alert on this pool in the same second.
      [rugBlock.hash],
    );
  });

  it('sees a block as one that came in two messages, over a restart', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    const whole = block(2, [
      sync('loan', 1000, 1),
      sale('loan', 1, 99, CREATOR),
      sync('pay', 1000, 100),
    ]);
    const [head, tail] = [
      { ...whole, facts: whole.facts.slice(0, 2) },
      { ...whole, facts: whole.facts.slice(2) },
    ];
    bench.add(
      opened,
      blocksEvent([head], { last: false }),
      blocksEvent([tail], { chunk: 1 }),
      blocksEvent([block(3, [sync('drain', 1000, 3)])]),
    );
    await bench.start().handle(bench.stream.slice(0, 2));
    const restarted = bench.start();
    await restarted.recall(bench.stream.slice(0, 2));
    await restarted.handle(bench.stream.slice(2));
    assert.deepEqual(
      bench.alerts().map(({ blockNumber }) => blockNumber),
      [3],
    );
  });

  it('goes by the watchlist of the moment', async () => {
    const bench = createBench();
    const item = watchItem(rugOnly);
    bench.add(opened, rugged);
    bench.watch(item);
    bench.unwatch(item);
    const alerter = bench.start();
    await alerter.handle(bench.stream);
    assert.deepEqual(bench.alerts(), []);
    bench.watch({ ...item, id: 42 });
    await alerter.handle([{ seq: 3, event: blocksEvent([block(3, [sync('rest', 10, 0.1)])]) }]);
    assert.deepEqual(
      bench.alerts().map(({ watchId }) => watchId),
      [42],
    );
  });
});
