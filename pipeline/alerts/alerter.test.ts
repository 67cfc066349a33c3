import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RetryableError } from '../../shared/runtime/errors.ts';
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
  sale,
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
const rugOnly = { alerts: ['rug_pull' as const] };

describe('alerter', () => {
  it('raises what a watched token suffers, with the creator’s sale', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    bench.add(opened, rugged);
    await bench.start().handle(bench.stream);
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

  it('tells watchers of the wallet that drained the pool', async () => {
    const bench = createBench();
    bench.watch(watchItem({ type: 'wallet', address: CREATOR, alerts: ['rug_pull'] }));
    bench.watch(watchItem({ type: 'wallet', address: address('bystander'), id: 42 }));
    bench.add(opened, rugged);
    await bench.start().handle(bench.stream);
    assert.deepEqual(
      bench.alerts().map(({ watchId }) => watchId),
      [41],
    );
  });

  it('asks the sensitivity and the kinds of each item', async () => {
    const bench = createBench();
    bench.watch(watchItem({ id: 1, sensitivity: 'low', ...rugOnly }));
    bench.watch(watchItem({ id: 2, sensitivity: 'medium', ...rugOnly }));
    bench.watch(watchItem({ id: 3, sensitivity: 'high', ...rugOnly }));
    bench.watch(watchItem({ id: 4, sensitivity: 'high', alerts: ['price_drop'] }));
    bench.add(opened, blocksEvent([block(2, [sync('half', 2000, 45)])]));
    await bench.start().handle(bench.stream);
    assert.deepEqual(
      bench
        .alerts()
        .map(({ watchId }) => watchId)
        .toSorted((a, b) => a - b),
      [2, 3],
    );
  });

  it('does not repeat itself, unless it gets worse', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    bench.add(
      opened,
      blocksEvent([block(2, [sync('s2', 2000, 45)])]),
      blocksEvent([block(3, [sync('s3', 2000, 40)])]),
      blocksEvent([block(4, [sync('s4', 2000, 5)])]),
      blocksEvent([block(5, [sync('s5', 2000, 4)])]),
    );
    await bench.start().handle(bench.stream);
    assert.deepEqual(
      bench.alerts().map(({ severity, blockNumber }) => [severity, blockNumber]),
      [
        ['warning', 2],
        ['critical', 4],
      ],
    );
  });

  it('changes nothing when everything comes again', async () => {
    const bench = createBench();
    bench.watch(watchItem());
    bench.add(opened, rugged);
    await bench.start().handle(bench.stream);
    const [alerts, sent] = [bench.alerts(), bench.sent()];
    await bench.start().handle(bench.stream);
    assert.deepEqual(bench.alerts(), alerts);
    assert.deepEqual(bench.sent(), sent);
  });

  it('reads the stream anew after it lost its tail', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    bench.add(opened, rugged);
    const alerter = bench.start();
    await alerter.handle(bench.stream);
    const other = blocksEvent([block(2, [sync('drain', 1000, 2)], 'b')]);
    await alerter.handle([{ seq: 1, event: opened }]);
    await alerter.handle([{ seq: 2, event: other }]);
    assert.deepEqual(
      bench.alerts().map(({ blockHash }) => blockHash),
      // The item was told of this pool in the same second.
      [rugBlock.hash],
    );
  });

  it('withdraws what an orphaned block gave ground for, and raises it again when it returns', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    bench.add(opened, rugged, reorgEvent(1, [rugBlock]));
    const alerter = bench.start();
    await alerter.handle(bench.stream);
    assert.deepEqual(bench.alerts(), []);
    const back = block(2, [], 'b');
    const later = [
      blocksEvent([back], { epoch: 1 }),
      reorgEvent(2, [back]),
      blocksEvent([rugBlock], { epoch: 2 }),
    ];
    await alerter.handle(later.map((event, i) => ({ seq: 4 + i, event })));
    assert.equal(bench.alerts().length, 1);
    assert.deepEqual(
      bench.sent().map(({ state }) => state),
      ['raised', 'withdrawn', 'raised'],
    );
    assert.equal(new Set(bench.sent().map(({ alert }) => alert.id)).size, 1);
  });

  it('gives the same transaction in another block another id', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    const moved = { ...rugBlock, hash: hash('block 2b') };
    bench.add(opened, rugged, reorgEvent(1, [rugBlock]), blocksEvent([moved], { epoch: 1 }));
    await bench.start().handle(bench.stream);
    assert.deepEqual(
      bench.alerts().map(({ blockHash }) => blockHash),
      [moved.hash],
    );
    assert.equal(new Set(bench.sent().map(({ alert }) => alert.id)).size, 2);
  });

  it('undoes in its memory what a reorg took back', async () => {
    const bench = createBench();
    bench.watch(watchItem(rugOnly));
    const grown = block(2, [sync('add', 10_000, 1000)]);
    bench.add(
      opened,
      blocksEvent([grown]),
      reorgEvent(1, [grown]),
      blocksEvent([block(2, [sync('sale', 1250, 80)], 'b')], { epoch: 1 }),
    );
    await bench.start().handle(bench.stream);
    assert.deepEqual(bench.alerts(), []);
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
    for (const placed of bench.stream.slice(0, 2)) await restarted.recall(placed);
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

  it('goes on with the same batch after a failure, without counting a block twice', async () => {
    let failures = 0;
    let calls = 0;
    const bench = createBench(() => {
      calls += 1;
      if (calls % 3 !== 0 || failures === 6) return;
      failures += 1;
      throw new RetryableError('away');
    });
    bench.watch(watchItem());
    bench.add(opened, rugged, blocksEvent([block(3, [sync('s', 1, 0.5)])]));
    const alerter = bench.start();
    for (let isDone = false; !isDone; ) {
      isDone = await alerter.handle(bench.stream).then(
        () => true,
        () => false,
      );
    }
    assert.ok(failures > 0);
    assert.deepEqual(
      bench
        .alerts()
        .map(({ type }) => type)
        .toSorted(),
      ['liquidity_removed', 'rug_pull'],
    );
    assert.equal(bench.sent().length, 2);
  });
});
