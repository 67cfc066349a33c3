import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import { touchedBy } from './touched.ts';

const [TOKEN, OTHER, POOL, MAKER] = [address(1), address(2), address(3), address(4)];

const eventOf = (...blocks: [number, Fact[]][]): BlocksEvent =>
  blocksEvent(
    blocks.map(([number, facts]) => ({
      number,
      hash: hash(number),
      timestampS: 100 + number,
      facts,
    })),
  );
const place = (n: number) => ({ txHash: hash(n), txIndex: n, logIndex: n });
const transfer = (token: Hex, n: number): Fact => ({
  kind: 'transfer',
  token,
  from: MAKER,
  to: MAKER,
  value: '0x1',
  ...place(n),
});
const creation = (contract: Hex, n: number): Fact => ({
  kind: 'creation',
  contract,
  creator: MAKER,
  txHash: hash(n),
  txIndex: n,
});
const pair = (n: number): Fact => ({
  kind: 'poolCreated',
  protocol: 'uniswap_v2',
  factory: MAKER,
  pool: POOL,
  token0: TOKEN,
  token1: OTHER,
  ...place(n),
});

describe('what facts touch', () => {
  it('is every contract once, at its first sight', () => {
    const { firstSeen } = touchedBy([
      eventOf([1, [transfer(TOKEN, 1)]], [2, [transfer(TOKEN, 2), pair(3)]]),
    ]);
    assert.deepEqual(
      [...firstSeen].map(([token, seen]) => [
        token,
        seen.map((one) => [one.source, one.blockNumber]),
      ]),
      [
        [TOKEN, [['transfer', 1]]],
        [OTHER, [['pairCreated', 2]]],
      ],
    );
  });

  it('begins with the creation, even where its constructor sends a transfer first', () => {
    const { firstSeen } = touchedBy([eventOf([1, [transfer(TOKEN, 1), creation(TOKEN, 1)]])]);
    const seen = firstSeen.get(TOKEN) ?? [];
    assert.deepEqual(
      seen.map(({ source, creator }) => [source, creator]),
      [
        ['creation', MAKER],
        ['transfer', undefined],
      ],
    );
  });

  it('has the highest block of every pool and contract, over all events', () => {
    const sync: Fact = {
      kind: 'sync',
      protocol: 'uniswap_v2',
      pool: POOL,
      reserve0: '0x1',
      reserve1: '0x1',
      ...place(5),
    };
    const owner: Fact = {
      kind: 'ownershipTransferred',
      contract: OTHER,
      previousOwner: MAKER,
      newOwner: TOKEN,
      ...place(6),
    };
    const touched = touchedBy([
      eventOf([1, [pair(1)]], [3, [transfer(TOKEN, 2)]]),
      eventOf([5, [sync]], [6, [owner]]),
    ]);
    assert.deepEqual([...touched.pools], [[POOL, 5]]);
    assert.deepEqual(
      [...touched.contracts],
      [
        [TOKEN, 3],
        [OTHER, 6],
      ],
    );
    assert.deepEqual(
      touched.pairs.map(({ fact, blockNumber, blockHash }) => [fact.pool, blockNumber, blockHash]),
      [[POOL, 1, hash(1)]],
    );
  });
});
