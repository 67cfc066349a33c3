import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChainEvent } from '../chain/chainEvent.ts';
import type { Fact } from '../chain/fact.ts';
import { decodeChainEvent, encodeChainEvent } from './chainMessage.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
const inTransaction = { txHash: hash('a'), txIndex: 3 };
const place = { ...inTransaction, logIndex: 7 };
const [one, two, three, four] = ['1', '2', '3', '4'].map(address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];

/** One fact of each kind, every field different. */
const FACTS: readonly Fact[] = [
  { kind: 'transfer', token: one, from: two, to: three, value: '0x1', ...place },
  { kind: 'nativeTransfer', from: one, to: two, value: '0xff', ...inTransaction },
  { kind: 'creation', contract: one, creator: two, ...inTransaction },
  { kind: 'pairCreated', factory: one, pool: two, token0: three, token1: four, ...place },
  { kind: 'sync', pool: one, reserve0: '0x10', reserve1: '0x11', ...place },
  {
    kind: 'swap',
    pool: one,
    sender: two,
    to: three,
    amount0In: '0x1',
    amount1In: '0x2',
    amount0Out: '0x3',
    amount1Out: '0x4',
    ...place,
  },
  { kind: 'mint', pool: one, sender: two, amount0: '0x1', amount1: '0x2', ...place },
  { kind: 'burn', pool: one, sender: two, to: three, amount0: '0x1', amount1: '0x2', ...place },
  { kind: 'ownershipTransferred', contract: one, previousOwner: two, newOwner: three, ...place },
];

const eventOf = (facts: readonly Fact[]): ChainEvent => ({
  kind: 'blocks',
  chainId: 1,
  epoch: 2,
  from: 9,
  to: { number: 10, hash: hash('b'), parentHash: hash('c'), timestampS: 1_700_000_000 },
  blocks: [{ number: 10, hash: hash('b'), timestampS: 1_700_000_000, facts }],
  chunk: 0,
  last: true,
  head: 12,
  readAtMs: 1_700_000_000_123,
});

/** The message with one of its facts changed. */
const tampered = (change: (tuple: unknown[]) => unknown): Uint8Array => {
  const message = JSON.parse(Buffer.from(encodeChainEvent(eventOf(FACTS))).toString()) as {
    blocks: { facts: unknown[] }[];
  };
  const facts = message.blocks[0]?.facts ?? [];
  facts[0] = change(facts[0] as unknown[]);
  return Buffer.from(JSON.stringify(message));
};

describe('chain messages', () => {
  it('carry every kind of fact unchanged', () => {
    const event = eventOf(FACTS);
    assert.deepEqual(decodeChainEvent(encodeChainEvent(event)), event);
  });

  it('carry reorgs and finality unchanged', () => {
    const block = { number: 4, hash: hash('d') };
    const reorg: ChainEvent = {
      kind: 'reorg',
      chainId: 1,
      epoch: 3,
      ancestor: { ...block, timestampS: 5 },
      orphaned: [{ number: 5, hash: hash('e') }],
    };
    const final: ChainEvent = { kind: 'finalize', chainId: 1, epoch: 3, block };
    for (const event of [reorg, final]) {
      assert.deepEqual(decodeChainEvent(encodeChainEvent(event)), event);
    }
  });

  it('are refused with a fact of an unknown kind, a missing field or a wrong size', () => {
    const refused = [
      (tuple: unknown[]) => ['nothing', ...tuple.slice(1)],
      (tuple: unknown[]) => tuple.slice(0, -1),
      (tuple: unknown[]) => [...tuple, 1],
      (tuple: unknown[]) => tuple.with(1, '0x12'),
      (tuple: unknown[]) => tuple.with(4, `0x${'1'.repeat(65)}`),
      (tuple: unknown[]) => tuple.with(4, 5),
      (tuple: unknown[]) => tuple.with(6, -1),
      (tuple: unknown[]) => tuple.with(7, 0.5),
      () => ({ kind: 'transfer' }),
      () => null,
    ];
    for (const change of refused) {
      assert.throws(() => decodeChainEvent(tampered(change)), /must be a list of facts/);
    }
  });

  it('of an unknown version are refused', () => {
    const text = Buffer.from(encodeChainEvent(eventOf([]))).toString();
    assert.throws(() => decodeChainEvent(Buffer.from(text.replace(/"v":\d+/, '"v":99'))));
  });
});
