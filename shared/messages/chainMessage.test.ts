import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChainEvent } from '../chain/chainEvent.ts';
import type { Fact } from '../chain/fact.ts';
import { blocksEvent } from '../testing/blocksEvent.ts';
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

const RANGE = {
  owner: four,
  tickLower: -60,
  tickUpper: 120,
  liquidity: '0x5',
  salt: hash('9'),
} as const;

/** Facts of each kind and of each shape, every field different. */
const FACTS: readonly Fact[] = [
  { kind: 'transfer', token: one, from: two, to: three, value: '0x1', ...place },
  { kind: 'nativeTransfer', from: one, to: two, value: '0xff', ...inTransaction },
  { kind: 'creation', contract: one, creator: two, ...inTransaction },
  { kind: 'failedSale', token: one, seller: two, router: three, ...inTransaction },
  {
    kind: 'poolCreated',
    protocol: 'uniswap_v2',
    factory: one,
    pool: two,
    token0: three,
    token1: four,
    ...place,
  },
  { kind: 'sync', protocol: 'uniswap_v2', pool: one, reserve0: '0x10', reserve1: '0x11', ...place },
  {
    kind: 'swap',
    protocol: 'uniswap_v2',
    pool: one,
    sender: two,
    to: three,
    amount0In: '0x1',
    amount1In: '0x2',
    amount0Out: '0x3',
    amount1Out: '0x4',
    ...place,
  },
  {
    kind: 'mint',
    protocol: 'uniswap_v2',
    pool: one,
    sender: two,
    amount0: '0x1',
    amount1: '0x2',
    ...place,
  },
  {
    kind: 'burn',
    protocol: 'uniswap_v2',
    pool: one,
    sender: two,
    to: three,
    amount0: '0x1',
    amount1: '0x2',
    ...place,
  },
  {
    kind: 'poolCreated',
    protocol: 'uniswap_v4',
    factory: one,
    pool: hash('5'),
    token0: three,
    token1: four,
    terms: { fee: 0x80_0000, tickSpacing: -1, stable: true, hooks: two },
    price: { sqrtPriceX96: '0x6', tick: -887_272 },
    ...place,
  },
  { kind: 'priced', protocol: 'slipstream', pool: one, sqrtPriceX96: '0x7', tick: 5, ...place },
  {
    kind: 'swap',
    protocol: 'uniswap_v4',
    pool: hash('6'),
    manager: four,
    sender: two,
    to: three,
    amount0In: '0x1',
    amount1In: '0x2',
    amount0Out: '0x3',
    amount1Out: '0x4',
    after: { sqrtPriceX96: '0x8', tick: -3, liquidity: '0x9' },
    ...place,
  },
  {
    kind: 'swap',
    protocol: 'balancer_v2',
    pool: hash('7'),
    manager: four,
    sender: two,
    to: three,
    amount0In: '0x1',
    amount1In: '0x2',
    amount0Out: '0x3',
    amount1Out: '0x4',
    sides: { token0: one, token1: two },
    ...place,
  },
  {
    kind: 'swap',
    protocol: 'four_meme',
    pool: one,
    manager: four,
    sender: two,
    to: three,
    amount0In: '0x1',
    amount1In: '0x2',
    amount0Out: '0x3',
    amount1Out: '0x4',
    after: { reserve0: '0xa', reserve1: '0xb' },
    ...place,
  },
  {
    kind: 'mint',
    protocol: 'uniswap_v3',
    pool: one,
    sender: two,
    amount0: '0x1',
    amount1: '0x2',
    range: RANGE,
    ...place,
  },
  {
    kind: 'burn',
    protocol: 'uniswap_v4',
    pool: hash('8'),
    manager: four,
    sender: two,
    to: three,
    amount0: '0x1',
    amount1: '0x2',
    range: RANGE,
    ...place,
  },
  {
    kind: 'collect',
    protocol: 'uniswap_v3',
    pool: one,
    sender: two,
    to: three,
    amount0: '0x1',
    amount1: '0x2',
    range: RANGE,
    ...place,
  },
  {
    kind: 'graduated',
    protocol: 'four_meme',
    pool: one,
    manager: two,
    token0: three,
    token1: four,
    amount0: '0x1',
    amount1: '0x2',
    ...place,
  },
  { kind: 'ownershipTransferred', contract: one, previousOwner: two, newOwner: three, ...place },
  {
    kind: 'lock',
    act: 'locked',
    locker: one,
    lockId: '0x7',
    asset: two,
    position: '0x0',
    owner: three,
    amount: '0x1',
    unlockAt: '0x6553f100',
    ...place,
  },
  {
    kind: 'lock',
    act: 'increased',
    locker: one,
    lockId: '0x0',
    asset: two,
    position: '0x9',
    owner: three,
    amount: '0x1',
    unlockAt: '0x0',
    market: four,
    ...place,
  },
];

const eventOf = (facts: readonly Fact[]): ChainEvent =>
  blocksEvent([{ number: 10, hash: hash('b'), timestampS: 1_700_000_000, facts }], {
    epoch: 2,
    from: 9,
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

  it('are refused with an event of a market that is not complete', () => {
    const refuses = (kind: string, protocol: string, change: (tuple: unknown[]) => unknown[]) => {
      const message = JSON.parse(Buffer.from(encodeChainEvent(eventOf(FACTS))).toString()) as {
        blocks: { facts: unknown[][] }[];
      };
      const facts = message.blocks[0]?.facts ?? [];
      const at = facts.findIndex((tuple) => tuple[0] === kind && tuple[1] === protocol);
      assert.ok(at >= 0, `${kind} of ${protocol}`);
      facts[at] = change(facts[at] ?? []);
      const bytes = Buffer.from(JSON.stringify(message));
      assert.throws(
        () => decodeChainEvent(bytes),
        /must be a list of facts/,
        `${kind} ${protocol}`,
      );
    };
    refuses('sync', 'uniswap_v2', (tuple) => tuple.with(1, 'uniswap_v9'));
    refuses('sync', 'uniswap_v2', (tuple) => tuple.with(2, hash('1')));
    refuses('sync', 'uniswap_v2', (tuple) => [...tuple, null]);
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(2, one));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(12, [1]));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(12, ['0x1', 2 ** 24, '0x1']));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(13, '0x'));
    refuses('collect', 'uniswap_v3', (tuple) => tuple.slice(0, -1));
    refuses('poolCreated', 'uniswap_v4', (tuple) => tuple.with(9, [1, 2, 'yes', one]));
  });
});
