import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RetryableError } from '../../shared/platform/errors.ts';
import { RpcError } from '../../shared/platform/rpc/rpcError.ts';
import { PROPERTY_RUNS } from '../../shared/testing/random.ts';
import { createFakeChain } from './testing/fakeChain.ts';
import {
  type AppendFate,
  assertSame,
  busy,
  createFakeStream,
  mine,
  node,
  settle,
  type Watched,
  watch,
} from './testing/scriptedWatcher.ts';

const FINALITY_DEPTH = 12;

/** What may happen to a chain and to the watcher that follows it. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('mine'), blocks: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constant('reorg'),
    depth: fc.integer({ min: 1, max: FINALITY_DEPTH }),
    growth: fc.integer({ min: -1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('return') }),
  fc.record({ kind: fc.constant('steps'), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('kill') }),
  fc.record({ kind: fc.constant('loseTail'), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('lag'), blocks: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('failures'), every: fc.integer({ min: 2, max: 5 }) }),
  fc.record({
    kind: fc.constant('appends'),
    fates: fc.array(fc.constantFrom<AppendFate>('ok', 'unconfirmed', 'unavailable'), {
      maxLength: 4,
    }),
  }),
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** A chain, a node that shows it, the stream, and the watcher between them. */
const createWorld = () => {
  const chain = createFakeChain();
  mine(chain, 3);
  const trouble = { lag: 0, failEvery: 0, calls: 0, fates: [] as AppendFate[] };
  /** The branch the last reorg left, and the highest block it shares with the canonical one. */
  let left = { tip: chain.head().hash, fork: 0 };
  const stream = createFakeStream({ fate: () => trouble.fates.shift() ?? 'ok' });
  const source = node(chain, {
    finalityDepth: () => FINALITY_DEPTH,
    lag: () => trouble.lag,
    before: () => {
      trouble.calls += 1;
      if (trouble.failEvery > 0 && trouble.calls % trouble.failEvery === 0) {
        throw new RpcError('unreachable', 'fake', 'HTTP 503');
      }
    },
  });
  const start = (): Watched => watch(source, stream, { finalityDepth: FINALITY_DEPTH });
  let watcher = start();
  /** Highest block that may be final for the watcher: nothing below it may change. */
  let highest = chain.head().number;

  const reorg = (depth: number, growth: number): void => {
    const lowest = highest - FINALITY_DEPTH;
    const possible = Math.min(depth, chain.head().number - Math.max(lowest, 0));
    if (possible < 1) return;
    left = { tip: chain.head().hash, fork: chain.head().number - possible };
    const salt = trouble.calls + stream.messages().length;
    chain.reorg(
      possible,
      Array.from({ length: Math.max(1, possible + growth) }, (_, i) => busy(1 + (i % 3), salt + i)),
    );
  };
  const step = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      try {
        await watcher.step();
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
      }
    }
  };
  const happen = async (one: Event): Promise<void> => {
    if ('blocks' in one && one.kind === 'mine') mine(chain, one.blocks, 2);
    else if ('blocks' in one) trouble.lag = one.blocks;
    else if ('depth' in one) reorg(one.depth, one.growth);
    else if ('every' in one) trouble.failEvery = one.every;
    else if ('fates' in one) trouble.fates = [...one.fates];
    else if ('count' in one && one.kind === 'steps') await step(one.count);
    else if ('count' in one) stream.loseTail(Math.min(one.count, stream.messages().length));
    else if (one.kind === 'return') {
      if (left.fork >= highest - FINALITY_DEPTH) chain.restore(left.tip);
    } else {
      watcher.kill();
      watcher = start();
    }
    highest = Math.max(highest, chain.head().number);
  };
  return {
    happen,
    /** All trouble over, everything read: the stream holds the facts of the chain, and nothing twice. */
    check: async (): Promise<void> => {
      Object.assign(trouble, { lag: 0, failEvery: 0, fates: [] });
      // Where no block comes, nothing shows a watcher that the stream lost what it was given.
      mine(chain, 1);
      await settle(watcher);
      assertSame(stream, chain);
      const ids = stream.messages().map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, 'no message twice');
    },
  };
};

test(`whatever happens to chain, node, stream and watcher, the stream ends as the chain: ${PROPERTY_RUNS} runs`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 14 }), async (events) => {
      const world = createWorld();
      for (const one of events) await world.happen(one);
      await world.check();
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
