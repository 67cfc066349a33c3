import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hex } from '../chain/block.ts';
import { decodeLog } from './decodeLog.ts';
import type { RawLog } from './rawBlock.ts';
import { TOPIC } from './topic.ts';

const EMITTER: Hex = `0x${'aa'.repeat(20)}`;
const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const topic = (value: bigint | number): Hex => `0x${word(value)}`;
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const MAX = 2n ** 256n - 1n;
const DIRTY = topic(2n ** 160n + 1n);

const log = (topics: readonly Hex[], words: readonly (bigint | number)[]): RawLog => ({
  address: EMITTER,
  topics,
  data: `0x${words.map(word).join('')}`,
  blockNumber: '0x10',
  blockHash: `0x${'bb'.repeat(32)}`,
  transactionHash: `0x${'cc'.repeat(32)}`,
  transactionIndex: '0x3',
  logIndex: '0xff',
});
const place = { txHash: `0x${'cc'.repeat(32)}`, txIndex: 3, logIndex: 255 };

describe('decodeLog', () => {
  test('reads every kind of event', () => {
    const one = topic(1);
    const two = topic(2);
    const cases: [RawLog, object][] = [
      [
        log([TOPIC.transfer, one, two], [MAX]),
        {
          kind: 'transfer',
          token: EMITTER,
          from: address(1),
          to: address(2),
          value: `0x${'f'.repeat(64)}`,
        },
      ],
      [
        log([TOPIC.transfer, topic(0), two], [0]),
        { kind: 'transfer', token: EMITTER, from: address(0), to: address(2), value: '0x0' },
      ],
      [
        log([TOPIC.pairCreated, one, two], [7, 1]),
        {
          kind: 'poolCreated',
          protocol: 'uniswap_v2',
          factory: EMITTER,
          pool: address(7),
          token0: address(1),
          token1: address(2),
        },
      ],
      [
        log([TOPIC.sync], [2n ** 112n - 1n, 5]),
        {
          kind: 'sync',
          protocol: 'uniswap_v2',
          pool: EMITTER,
          reserve0: `0x${'f'.repeat(28)}`,
          reserve1: '0x5',
        },
      ],
      [
        log([TOPIC.swap, one, two], [1, 0, 0, 16]),
        {
          kind: 'swap',
          protocol: 'uniswap_v2',
          pool: EMITTER,
          sender: address(1),
          to: address(2),
          amount0In: '0x1',
          amount1In: '0x0',
          amount0Out: '0x0',
          amount1Out: '0x10',
        },
      ],
      [
        log([TOPIC.mint, one], [3, 4]),
        {
          kind: 'mint',
          protocol: 'uniswap_v2',
          pool: EMITTER,
          sender: address(1),
          amount0: '0x3',
          amount1: '0x4',
        },
      ],
      [
        log([TOPIC.burn, one, two], [3, 4]),
        {
          kind: 'burn',
          protocol: 'uniswap_v2',
          pool: EMITTER,
          sender: address(1),
          to: address(2),
          amount0: '0x3',
          amount1: '0x4',
        },
      ],
      [
        log([TOPIC.ownershipTransferred, one, two], []),
        {
          kind: 'ownershipTransferred',
          contract: EMITTER,
          previousOwner: address(1),
          newOwner: address(2),
        },
      ],
    ];
    for (const [given, expected] of cases)
      assert.deepEqual(decodeLog(given), { ...expected, ...place });
  });

  test('ignores what only looks alike, with the reason', () => {
    const one = topic(1);
    const cases: [RawLog, string][] = [
      [log([], [1]), 'topic'],
      [log([topic(9)], [1]), 'topic'],
      [log([TOPIC.transfer], [1, 2, 3]), 'shape'],
      [log([TOPIC.transfer, one, one], []), 'shape'],
      [log([TOPIC.transfer, one, one], [1, 2]), 'shape'],
      [log([TOPIC.transfer, one, one, one], []), 'erc721'],
      [log([TOPIC.transfer, DIRTY, one], [1]), 'address'],
      [log([TOPIC.transfer, one, DIRTY], [1]), 'address'],
      [log([TOPIC.pairCreated, one, one], [2n ** 160n, 1]), 'address'],
      [log([TOPIC.sync], [2n ** 112n, 5]), 'amount'],
      [log([TOPIC.sync], [1, 2n ** 112n]), 'amount'],
      [log([TOPIC.mint], [1, 2, 3]), 'shape'],
      [log([TOPIC.swap, one, one], [1, 2, 3]), 'shape'],
      [log([TOPIC.ownershipTransferred, one], [1]), 'shape'],
    ];
    for (const [given, reason] of cases) assert.equal(decodeLog(given), reason);
  });
});
