import assert from 'node:assert/strict';
import { rangeOfBlocks } from '../../pipeline/watcher/blockRange.ts';
import { createChainPublisher } from '../../pipeline/watcher/chainPublisher.ts';
import type { ChainSource } from '../../pipeline/watcher/ports.ts';
import {
  createWatcher,
  type Watcher,
  type WatcherOptions,
} from '../../pipeline/watcher/watcher.ts';
import type { Hex } from '../chain/block.ts';
import { TOPIC } from '../decode/tokenEvent.ts';
import type { Clock } from '../platform/clock.ts';
import { RetryableError } from '../platform/errors.ts';
import { silentLogger } from '../platform/logger.ts';
import { RpcError } from '../platform/rpc/rpcError.ts';
import { createWakeUp } from '../platform/wakeUp.ts';
import { readCanonicalFacts } from './chainOracle.ts';
import {
  createFakeSource,
  type FakeBlock,
  type FakeChain,
  type FakeNodeOptions,
} from './fakeChain.ts';
import type { FakeStream } from './fakeStream.ts';

const word = (value: number): string => value.toString(16).padStart(64, '0');
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const topicOf = (value: number): Hex => `0x${word(value)}`;
const transfer = (token: number, from: number, to: number, value: number) => ({
  address: address(token),
  topics: [TOPIC.transfer, topicOf(from), topicOf(to)],
  data: `0x${word(value)}` as Hex,
});
/** A block of `count` transfers; `salt` tells one from another. */
export const busy = (count: number, salt = 0): FakeBlock => [
  {
    from: address(1),
    to: address(2),
    value: '0x10',
    logs: Array.from({ length: count }, (_, i) =>
      transfer(100 + (i % 7), 1, 2 + i, salt * 1000 + i),
    ),
  },
];

/** Sleeps take no time: they only let others run. */
const fastClock: Clock = {
  now: () => 1_700_000_000_000,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

const OPTIONS: WatcherOptions = {
  chainId: 7,
  startBlock: 0,
  fullBlocks: 256,
  backfillDetail: 'logs',
  finalityDepth: 64,
  pollIntervalMs: 10,
};

const missing = (what: string): Error => new RpcError('behind', 'fake', what);

/** A watcher whose process can end. */
export type Watched = Watcher & { flush: () => Promise<void>; kill: () => void };

/** A watcher of the stream's chain on a clock that takes no time. */
export const watch = (
  source: ChainSource,
  stream: FakeStream,
  options: Partial<WatcherOptions> = {},
): Watched => {
  const life = new AbortController();
  const { signal } = life;
  const publisher = createChainPublisher({
    stream,
    clock: fastClock,
    logger: silentLogger,
    signal,
  });
  const watcher = createWatcher(
    { ...OPTIONS, ...options },
    {
      source,
      stream,
      publisher,
      wakeUp: createWakeUp(fastClock),
      progress: {
        saw: () => undefined,
        published: () => undefined,
        reorganised: () => undefined,
        failed: () => undefined,
      },
      clock: fastClock,
      logger: silentLogger,
    },
  );
  return { ...watcher, flush: () => publisher.flush(), kill: () => life.abort() };
};

/** Steps until `idles` idle steps in a row; RetryableErrors are tried again, as `run` does. */
export const settle = async (watcher: Watched, idles = 4): Promise<void> => {
  let failures = 0;
  for (let idle = 0; idle < idles; ) {
    try {
      const result = await watcher.step();
      if (result === 'idle') await watcher.flush();
      idle = result === 'idle' ? idle + 1 : 0;
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!(error instanceof RetryableError) || failures > 50) throw error;
    }
  }
};

/** A node on the chain. */
export const node = (chain: FakeChain, options: FakeNodeOptions = {}) =>
  createFakeSource(chain, missing, options);

/** Facts of the canonical chain by block hash. */
export const expected = (chain: FakeChain, from = 0) =>
  new Map(
    chain
      .canonical()
      .filter(({ header }) => header.number >= from)
      .flatMap((block) => rangeOfBlocks([block]).blocks)
      .map(({ hash, facts }) => [hash, facts]),
  );

/** Adds blocks of `facts` transfers each. */
export const mine = (chain: FakeChain, count: number, facts = 3): void => {
  for (let i = 0; i < count; i += 1) chain.mine(busy(facts, chain.head().number));
};

/** Fails where the stream tells of another chain. */
export const assertSame = (stream: FakeStream, chain: FakeChain, from = 0): void => {
  const known = readCanonicalFacts(stream.events());
  const wanted = expected(chain, from);
  assert.deepEqual([...known.keys()].toSorted(), [...wanted.keys()].toSorted());
  for (const [hash, facts] of wanted) {
    const byPlace = (a: { txIndex: number }, b: { txIndex: number }) => a.txIndex - b.txIndex;
    assert.deepEqual([...(known.get(hash) ?? [])].toSorted(byPlace), [...facts].toSorted(byPlace));
  }
};
