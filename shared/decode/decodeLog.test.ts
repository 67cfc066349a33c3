import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from '../chain/block.ts';
import { dataOf, topicOf as topic } from '../testing/evmData.ts';
import { SAMPLE_LOGS } from '../testing/sampleFacts.ts';
import { decodeLog, FACT_TOPICS } from './decodeLog.ts';
import type { RawLog } from './rawBlock.ts';
import { TOPIC } from './topic.ts';

const DIRTY = topic(2n ** 160n + 1n);

const log = (topics: readonly Hex[], words: readonly (bigint | number)[]): RawLog => ({
  address: `0x${'aa'.repeat(20)}`,
  topics,
  data: dataOf(...words),
  blockNumber: '0x10',
  blockHash: `0x${'bb'.repeat(32)}`,
  transactionHash: `0x${'cc'.repeat(32)}`,
  transactionIndex: '0x3',
  logIndex: '0xff',
});

// `decodeLog.property.test.ts` shows that all values equal those that viem decodes.
test('a log of every event becomes its fact, whichever way tokens and liquidity went', () => {
  const place = { txHash: `0x${'cc'.repeat(32)}`, txIndex: 3, logIndex: 255 };
  const seen = new Set<Hex | undefined>();
  for (const { event, fact, ...logged } of SAMPLE_LOGS) {
    assert.deepEqual(decodeLog({ ...log([], []), ...logged }), { ...fact, ...place }, event);
    seen.add(logged.topics[0]);
  }
  assert.deepEqual(seen, new Set(FACT_TOPICS));
});

test('a log that only looks alike is ignored, with the reason', () => {
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
    [log([TOPIC.burn, one, one], [1]), 'shape'],
    [log([TOPIC.swap, one, one], [1, 2, 3]), 'shape'],
    [log([TOPIC.ownershipTransferred, one], [1]), 'shape'],
  ];
  for (const [given, reason] of cases) assert.equal(decodeLog(given), reason);
});
