import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../chain/block.ts';
import { positionMoves } from './lockers.ts';
import type { RawLog } from './rawBlock.ts';
import { TOPIC } from './topic.ts';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const word = (digits: string): Hex => `0x${digits.padStart(64, '0')}`;
const MANAGER: Hex = `0x${'ab'.repeat(20)}`;

const transfer = (transactionHash: Hex, ...more: readonly Hex[]): RawLog => ({
  address: MANAGER,
  topics: [TOPIC.transfer, word('1'), word('2'), ...more],
  data: more.length > 0 ? '0x' : word('5'),
  blockNumber: '0x1',
  blockHash: hash('b'),
  transactionHash,
  transactionIndex: '0x0',
  logIndex: '0x4',
});

describe('positionMoves', () => {
  it('are transfers of NFTs in transactions that lock something, and no others', () => {
    const [locking, other] = [hash('c'), hash('d')];
    const logs = [transfer(locking, word('9')), transfer(locking), transfer(other, word('9'))];
    assert.deepEqual(positionMoves(logs, new Set([locking])), [
      {
        kind: 'lock',
        act: 'moved',
        locker: `0x${'0'.repeat(40)}`,
        lockId: '0x0',
        asset: MANAGER,
        position: '0x9',
        owner: `0x${'2'.padStart(40, '0')}`,
        amount: '0x0',
        unlockAt: '0x0',
        txHash: locking,
        txIndex: 0,
        logIndex: 4,
      },
    ]);
  });
});
