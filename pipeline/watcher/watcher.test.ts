import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FatalError } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { RpcError } from '../../shared/platform/rpc/rpcError.ts';
import { createFakeChain, type FakeNodeOptions } from './testing/fakeChain.ts';
import {
  assertSame,
  busy,
  createFakeStream,
  expected,
  type FakeStream,
  fastClock,
  mine,
  node,
  readCanonicalFacts,
  readPublishedFinal,
  settle,
  watch,
} from './testing/scriptedWatcher.ts';

const logFactsOnly = (facts: Map<string, readonly { kind: string }[]>) =>
  new Map([...facts].map(([hash, list]) => [hash, list.filter((fact) => 'logIndex' in fact)]));

/** A chain of blocks with these numbers of transfers. */
const chainOf = (blocks: number, transfers = 3) => {
  const chain = createFakeChain();
  mine(chain, blocks, transfers);
  return chain;
};
/** The same, read by a watcher until it is idle. */
const followed = async (...[blocks, transfers]: Parameters<typeof chainOf>) => {
  const chain = chainOf(blocks, transfers);
  const stream = createFakeStream();
  const watcher = watch(node(chain), stream);
  await settle(watcher);
  return { chain, stream, watcher };
};
const reorgsOf = (stream: FakeStream): number =>
  stream.events().filter(({ kind }) => kind === 'reorg').length;
/** The numbers of the pieces that a block was published in, and whether each is the last. */
const piecesOf = (stream: FakeStream, number: number) =>
  stream
    .events()
    .flatMap((event) =>
      event.kind === 'blocks' && event.to.number === number ? [[event.chunk, event.last]] : [],
    );

describe('watcher', () => {
  test('follows blocks from an empty stream and reports every head', async () => {
    const chain = chainOf(5);
    chain.mine();
    const stream = createFakeStream();
    await settle(watch(node(chain), stream));
    assertSame(stream, chain);
    const last = stream.events().findLast((event) => event.kind === 'blocks');
    assert.equal(last?.to.number, 6);
    assert.deepEqual(last?.blocks, []);
  });

  test('begins at the head without START_BLOCK', async () => {
    const chain = chainOf(5);
    const stream = createFakeStream();
    await settle(watch(node(chain), stream, { startBlock: undefined }));
    assertSame(stream, chain, 5);
  });

  test('cuts a block with many facts and completes it', async () => {
    const chain = createFakeChain();
    chain.mine(busy(1203));
    const stream = createFakeStream();
    await settle(watch(node(chain), stream));
    assert.deepEqual(piecesOf(stream, 1), [
      [0, false],
      [1, false],
      [2, true],
    ]);
    assertSame(stream, chain);
  });

  test('reads a long history by ranges, with the same log facts as in full', async () => {
    const chain = chainOf(900, 2);
    const [byLogs, inFull] = [createFakeStream(), createFakeStream()];
    await settle(watch(node(chain), byLogs));
    await settle(watch(node(chain), inFull, { backfillDetail: 'full' }));
    assert.ok(byLogs.messages().length < 400, 'history came in long ranges');
    const facts = readCanonicalFacts(byLogs.events());
    assert.deepEqual(logFactsOnly(facts), logFactsOnly(readCanonicalFacts(inFull.events())));
    assertSame(inFull, chain);
  });

  test('never reads a range above what is final', async () => {
    const chain = chainOf(400, 1);
    const stream = createFakeStream();
    let highest = 0;
    const before: FakeNodeOptions['before'] = (call, _from, to) => {
      if (call === 'range') highest = Math.max(highest, to);
    };
    await settle(
      watch(node(chain, { before, finalityDepth: () => null }), stream, {
        fullBlocks: 0,
        finalityDepth: 100,
      }),
    );
    assert.equal(highest, 300);
  });

  for (const depth of [1, 2, 7, 33, 63, 64]) {
    for (const growth of [0, 1, 5]) {
      test(`takes back a reorg of depth ${depth} with ${growth} more blocks`, async () => {
        const { chain, stream, watcher } = await followed(80, 2);
        chain.reorg(
          depth,
          Array.from({ length: depth + growth }, (_, i) => busy(1 + (i % 3), 5000 + i)),
        );
        await settle(watcher);
        assertSame(stream, chain);
        assert.equal(reorgsOf(stream), 1);
        mine(chain, 20);
        await settle(watcher);
        assertSame(stream, chain);
      });
    }
  }

  test('a chain that stays shorter is followed, after confirmation', async () => {
    const { chain, stream, watcher } = await followed(10);
    chain.reorg(5, [busy(2, 900), busy(1, 901)]);
    assert.equal(await watcher.step(), 'idle');
    assert.equal(await watcher.step(), 'idle');
    assert.equal(reorgsOf(stream), 0);
    await settle(watcher);
    assertSame(stream, chain);
  });

  test('a lagging node never causes a rollback', async () => {
    const chain = chainOf(30);
    const stream = createFakeStream();
    let lag = 0;
    const watcher = watch(node(chain, { lag: () => lag }), stream);
    for (let i = 0; i < 20; i += 1) {
      lag = i % 2 === 0 ? 0 : 5;
      chain.mine(busy(2, i));
      await settle(watcher, 2);
    }
    lag = 0;
    await settle(watcher);
    assertSame(stream, chain);
    assert.equal(reorgsOf(stream), 0);
  });

  test('a head that turns out lower leaves nothing to read in ranges, and stops nobody', async () => {
    const chain = chainOf(400, 1);
    const stream = createFakeStream();
    const now = { ms: 0, lag: 0, isAway: true };
    const before = (call: string): void => {
      if (call === 'range' && now.isAway) throw new RpcError('unreachable', 'node', 'HTTP 503');
    };
    const source = node(chain, { lag: () => now.lag, before });
    const clock = { ...fastClock, now: () => now.ms };
    const watcher = watch(source, stream, { fullBlocks: 10 }, clock);
    await watcher.step();
    await assert.rejects(watcher.step(), RpcError);
    Object.assign(now, { ms: 60_000, lag: 395, isAway: false });
    await settle(watcher);
    now.lag = 0;
    await settle(watcher);
    const known = readCanonicalFacts(stream.events());
    assert.deepEqual([...known.keys()].toSorted(), [...expected(chain).keys()].toSorted());
  });

  test('follows a reorg to what was published as final, stops at one block deeper and says what to do', async () => {
    const { chain, stream, watcher } = await followed(100, 1);
    const published = readPublishedFinal(stream.events());
    assert.ok(
      published && published.number < 100 - 64,
      'the node calls more blocks final than were published',
    );
    const reorg = (depth: number): void =>
      chain.reorg(
        depth,
        Array.from({ length: depth + 1 }, () => busy(1, 9)),
      );
    reorg(100 - published.number);
    await settle(watcher);
    assertSame(stream, chain);
    reorg(101 - published.number + 1);
    await assert.rejects(settle(watcher), (error) => {
      assert.ok(error instanceof FatalError);
      assert.match(error.message, /beyond finality.*RPC_URL/);
      return true;
    });
  });

  test('shrinks ranges on a refusal, familiar or not, and loses nothing', async () => {
    const failures: ((blocks: number) => Error)[] = [
      () => new RpcError('rangeTooLarge', 'fake', 'block range is too wide'),
      () => new RpcError('node', 'fake', 'gremlins in the machine'),
    ];
    for (const failure of failures) {
      const chain = chainOf(1500, 1);
      const stream = createFakeStream();
      const before: FakeNodeOptions['before'] = (call, from, to) => {
        if (call === 'range' && to - from + 1 > 100) throw failure(to - from + 1);
      };
      await settle(watch(node(chain, { before }), stream));
      const known = logFactsOnly(readCanonicalFacts(stream.events()));
      assert.deepEqual(known, logFactsOnly(expected(chain)));
    }
  });

  test('a failure that lasts is logged once, and another one again', async () => {
    const chain = chainOf(1);
    const failures = ['HTTP 401', 'HTTP 401', 'HTTP 503', 'HTTP 503', 'HTTP 401'];
    const before: FakeNodeOptions['before'] = () => {
      const failure = failures.shift();
      if (failure) throw new RpcError('unreachable', 'fake', failure);
    };
    const stop = new AbortController();
    const lines: string[] = [];
    const warn = (_: unknown, line = ''): number => lines.push(line);
    const info = (_: unknown, line = ''): void => {
      if (line === 'watcher goes on after failures') stop.abort();
    };
    const logger = { ...silentLogger, debug: () => undefined, info, warn };
    const watcher = watch(node(chain, { before }), createFakeStream(), {}, fastClock, logger);
    await watcher.run(stop.signal);
    assert.deepEqual(
      lines,
      ['401', '503', '401'].map((status) => `watcher waits: node fake: HTTP ${status}`),
    );
  });
});

describe('watcher of a node that lies', () => {
  test('forgets a head beyond all numbers with the next reading', async () => {
    const chain = chainOf(20);
    const stream = createFakeStream();
    const honest = node(chain);
    let lies = 3;
    const source = {
      ...honest,
      follow: async (next: number, count: number) => {
        const reading = await honest.follow(next, count);
        lies -= 1;
        const number = lies >= 0 ? Number.MAX_SAFE_INTEGER : reading.head.number;
        return { ...reading, head: { ...reading.head, number } };
      },
    };
    const watcher = watch(source, stream);
    await settle(watcher);
    mine(chain, 2);
    await settle(watcher);
    assertSame(stream, chain);
    const last = stream.events().findLast((event) => event.kind === 'blocks');
    assert.equal(last?.kind === 'blocks' && last.head, chain.head().number);
  });
});

describe('watcher after a crash', () => {
  test('a half-published block is published again from its beginning', async () => {
    const chain = chainOf(3);
    chain.mine(busy(1300, 3));
    const stream = createFakeStream();
    await settle(watch(node(chain), stream));
    stream.loseTail(2);
    await settle(watch(node(chain), stream));
    assert.deepEqual(piecesOf(stream, 4), [
      [0, false],
      [1, false],
      [2, false],
      [3, true],
    ]);
    assertSame(stream, chain);
  });

  test('the start block itself may be orphaned', async () => {
    const chain = chainOf(10);
    const stream = createFakeStream();
    await settle(watch(node(chain), stream, { startBlock: 10 }));
    chain.reorg(1, [busy(2, 4), busy(1, 5)]);
    await settle(watch(node(chain), stream, { startBlock: 10 }));
    assertSame(stream, chain, 10);
  });

  test('a stream that lost its position stops the watcher', async () => {
    const { chain, stream } = await followed(3);
    await stream.purge(99);
    await assert.rejects(settle(watch(node(chain), stream)), FatalError);
  });
});
