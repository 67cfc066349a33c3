import assert from 'node:assert/strict';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { ChainEvent } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { decodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { type Logger, silentLogger } from '../../../shared/platform/logger.ts';
import type { ChainSource } from '../../../shared/platform/rpc/createRpc.ts';
import { RpcError } from '../../../shared/platform/rpc/rpcError.ts';
import { createWakeUp } from '../../../shared/platform/wakeUp.ts';
import { addressOf as address, dataOf, topicOf } from '../../../shared/testing/evmData.ts';
import { rangeOfBlocks } from '../blockRange.ts';
import { createChainPublisher } from '../chainPublisher.ts';
import type { MessageHeaders } from '../messageHeaders.ts';
import { AppendError, type AppendFailure, type ChainStream } from '../ports.ts';
import { createWatcher, type Watcher, type WatcherOptions } from '../watcher.ts';
import {
  createFakeSource,
  type FakeBlock,
  type FakeChain,
  type FakeNodeOptions,
} from './fakeChain.ts';

/** A message as stored in the stream. */
export interface FakeMessage {
  readonly seq: number;
  readonly id: string;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
}

/** Result of one append: stored and confirmed, stored but never confirmed, or neither. */
export type AppendFate = 'ok' | 'unconfirmed' | AppendFailure;

export interface FakeStreamOptions {
  readonly bytesMax?: number;
  /** Decides the result of every append. */
  readonly fate?: (message: { id: string; headers: MessageHeaders }) => AppendFate;
}

/** JetStream's rules in memory: expected sequences, message ids, a full stream, purges. */
export interface FakeStream extends ChainStream {
  messages(): readonly FakeMessage[];
  /** All events in order. */
  events(): ChainEvent[];
  /** Loses the last messages, like a server killed before it synced. */
  loseTail(count: number): void;
  /** Sets the acknowledged position of every reader. */
  acknowledge(seq: number): void;
}

export const createFakeStream = (options: FakeStreamOptions = {}): FakeStream => {
  const { bytesMax = 2 * 1024 ** 3, fate = () => 'ok' } = options;
  let messages: FakeMessage[] = [];
  let firstSeq = 1;
  let lastSeq = 0;
  let floor: number | null = null;
  const bytes = (): number => messages.reduce((sum, message) => sum + message.data.length, 0);

  return {
    info: async () => ({ firstSeq, lastSeq, messages: messages.length, bytes: bytes(), bytesMax }),
    append: async (message, expectedLastSeq, expectedLastId) => {
      const what = fate(message);
      if (what !== 'ok' && what !== 'unconfirmed')
        throw new AppendError(what, `fake stream: ${what}`);
      const known = messages.find(({ id }) => id === message.id);
      if (known) return { seq: known.seq };
      if (expectedLastSeq !== lastSeq)
        throw new AppendError('wrongLastSequence', `last is ${lastSeq}`);
      if (expectedLastId !== undefined && expectedLastId !== messages.at(-1)?.id)
        throw new AppendError('wrongLastSequence', 'another message is the last');
      if (bytes() + message.data.length > bytesMax)
        throw new AppendError('full', 'maximum bytes exceeded');
      lastSeq += 1;
      messages.push({ seq: lastSeq, ...message });
      if (what === 'unconfirmed') throw new AppendError('unavailable', 'no confirmation');
      return { seq: lastSeq };
    },
    headersFrom: async (seq) =>
      messages.filter((one) => one.seq >= seq).map(({ headers }) => headers),
    readersFloor: async () => floor,
    purge: async (seq) => {
      messages = messages.filter((message) => message.seq > seq);
      firstSeq = Math.max(firstSeq, seq + 1);
    },
    messages: () => messages,
    events: () => messages.map(({ data }) => decodeChainEvent(data)),
    loseTail: (count) => {
      messages = messages.slice(0, messages.length - count);
      lastSeq -= count;
    },
    acknowledge: (seq) => {
      floor = seq;
    },
  };
};

/** Facts by block hash that a reader of the stream considers canonical. */
type CanonicalFacts = Map<string, readonly Fact[]>;

const factKey = (fact: Fact): string =>
  'logIndex' in fact ? `log ${fact.logIndex}` : `${fact.kind} ${fact.txIndex}`;

/**
 * State of an idempotent reader after all events: facts by block, each once, without orphaned blocks. Verifies the
 * contract: ranges without gaps, reorgs whose orphans were published, epochs that grow by one, nothing final
 * reverted.
 */
export const readCanonicalFacts = (events: readonly ChainEvent[]): CanonicalFacts => {
  const blocks = new Map<string, { number: number; facts: Map<string, Fact> }>();
  let next: number | undefined;
  let epoch = 0;
  let final = -1;
  for (const event of events) {
    if (event.kind === 'finalize') {
      assert.ok(event.block.number < (next ?? 0), 'only published blocks become final');
      final = event.block.number;
      continue;
    }
    if (event.kind === 'reorg') {
      epoch += 1;
      assert.equal(event.epoch, epoch, 'epochs grow by one');
      assert.ok(event.ancestor.number >= final, 'nothing final is orphaned');
      for (const { hash } of event.orphaned) blocks.delete(hash);
      const left = [...blocks.values()].filter(({ number }) => number > event.ancestor.number);
      assert.equal(left.length, 0, 'a reorg names every orphaned block');
      next = event.ancestor.number + 1;
      continue;
    }
    assert.equal(event.epoch, epoch, 'blocks carry the epoch of the last reorg');
    assert.equal(event.from, next ?? event.from, 'ranges follow one another');
    next ??= event.from;
    for (const { number, hash, facts } of event.blocks) {
      assert.ok(number >= event.from && number <= event.to.number, 'a block lies in its range');
      const known = blocks.get(hash) ?? { number, facts: new Map<string, Fact>() };
      for (const fact of facts) known.facts.set(factKey(fact), fact);
      blocks.set(hash, known);
    }
    if (event.last) next = event.to.number + 1;
  }
  return new Map([...blocks].map(([hash, { facts }]) => [hash, [...facts.values()]]));
};

const transfer = (token: number, from: number, to: number, value: number) => ({
  address: address(token),
  topics: [TOPIC.transfer, topicOf(from), topicOf(to)],
  data: dataOf(value),
});
/** A block of `count` transfers; `salt` makes blocks differ. */
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
export const fastClock: Clock = {
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

/** Progress is ignored. */
export const NO_PROGRESS: Parameters<typeof createWatcher>[1]['progress'] = {
  saw: () => undefined,
  published: () => undefined,
  reorganised: () => undefined,
  failed: () => undefined,
  status: () => undefined,
};

/** A watcher of the stream's chain with a clock whose waits take no time. */
export const watch = (
  source: ChainSource,
  stream: FakeStream,
  options: Partial<WatcherOptions> = {},
  clock = fastClock,
  logger: Logger = silentLogger,
): Watcher => {
  const { signal } = new AbortController();
  const publisher = createChainPublisher({ stream, clock, logger: silentLogger, signal });
  return createWatcher(
    { ...OPTIONS, ...options },
    {
      source,
      stream,
      publisher,
      wakeUp: createWakeUp(clock),
      progress: NO_PROGRESS,
      clock,
      logger,
    },
  );
};

/** Steps until `idles` consecutive idle steps; retries after RetryableErrors, like `run`. */
export const settle = async (watcher: Watcher, idles = 4): Promise<void> => {
  let failures = 0;
  for (let idle = 0; idle < idles; ) {
    try {
      const result = await watcher.step();
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

/** Fails if the stream describes another chain. */
export const assertSame = (stream: FakeStream, chain: FakeChain, from = 0): void => {
  const known = readCanonicalFacts(stream.events());
  const wanted = expected(chain, from);
  assert.deepEqual([...known.keys()].toSorted(), [...wanted.keys()].toSorted());
  for (const [hash, facts] of wanted) {
    const byPlace = (a: { txIndex: number }, b: { txIndex: number }) => a.txIndex - b.txIndex;
    assert.deepEqual([...(known.get(hash) ?? [])].toSorted(byPlace), [...facts].toSorted(byPlace));
  }
};

/**
 * The highest block published as final in a stream: by a `finalize` event, or in a range of several blocks.
 * @throws AssertionError if what was published as final changed.
 */
export const readPublishedFinal = (events: readonly ChainEvent[]): BlockRef | undefined => {
  let final: BlockRef | undefined;
  const hashes = new Map<number, string>();
  const above = (number: number, what: string): void =>
    assert.ok(
      number > (final?.number ?? -1),
      `${what} though ${final?.number} was published as final`,
    );
  for (const event of events) {
    if (event.kind === 'reorg') {
      above(event.ancestor.number + 1, `a reorg to ${event.ancestor.number}`);
      for (const { number } of event.orphaned) hashes.delete(number);
    } else if (event.kind === 'finalize') {
      const { block } = event;
      above(block.number + 1, `finality of ${block.number}`);
      assert.equal(hashes.get(block.number), block.hash, 'a final block is one that was published');
      final = block;
    } else {
      above(event.from, `a block ${event.from}`);
      if (!event.last) continue;
      hashes.set(event.to.number, event.to.hash);
      if (event.from < event.to.number) final = { number: event.to.number, hash: event.to.hash };
    }
  }
  return final;
};

/** Whether a branch has another block than the final one, or cannot lead to it. */
export const contradicts = (
  chain: Pick<FakeChain, 'byHash'>,
  tip: Hex,
  final: BlockRef | undefined,
): boolean => {
  if (!final) return false;
  let [a, b] = [chain.byHash(tip), chain.byHash(final.hash)];
  while (a && b && a.header.number > b.header.number) a = chain.byHash(a.header.parentHash);
  while (a && b && b.header.number > a.header.number) b = chain.byHash(b.header.parentHash);
  return a?.header.hash !== b?.header.hash;
};
