import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { systemClock } from '../../shared/platform/clock.ts';
import { createRpcChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { createEndpoint } from '../../shared/platform/rpc/endpoint.ts';
import { createEndpointPool } from '../../shared/platform/rpc/endpointPool.ts';
import { createHttpPost } from '../../shared/platform/rpc/httpPost.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import { type Hostility, startHostileNode } from '../testing/hostile/hostileNode.ts';
import { REFUSALS } from '../testing/hostile/rangeRefusals.ts';
import { createSyntheticChain } from '../testing/hostile/syntheticChain.ts';
import { rangeOfLogs } from './blockRange.ts';
import { createBlockRangeFeed } from './blockRangeFeed.ts';

const BLOCKS = 2_500;
/** Blocks for which the providers return logs at once. */
const BLOCKS_MAX = 100;
/** Milliseconds after which an unanswered range is considered too wide. */
const PIECE_TIMEOUT_MS = 1_500;
/** Total requests for logs that 2,500 blocks may take: 25 requests of 100 blocks would be enough. */
const REQUESTS_MAX = 90;
/**
 * Of these, requests that the provider refuses: three ranges are read at once, halved until they are narrow enough.
 */
const REFUSED_MAX = 24;
/** Milliseconds in total that the client may wait between requests: nothing indicates that the node is down. */
const WAITED_MS_MAX = 500;

const chain = createSyntheticChain({
  id: 1,
  first: 1,
  head: () => BLOCKS,
  weth: addressOf(1),
});

/** Reads all blocks like a backfill; counts the milliseconds that the client chose to wait. */
const readAll = async (hostility: Hostility) => {
  const node = await startHostileNode(chain, hostility);
  let waitedMs = 0;
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => {
      waitedMs += ms;
      await systemClock.sleep(ms);
    },
  };
  const http = createHttpPost(node.url);
  const endpoint = createEndpoint({ http, clock, pieceTimeoutMs: PIECE_TIMEOUT_MS });
  const pool = createEndpointPool([endpoint], clock);
  const source = createRpcChainSource({ pool, now: () => clock.now() });
  const feed = createBlockRangeFeed({
    read: async (from, to) => rangeOfLogs(await source.range(from, to)),
  });
  let facts = 0;
  try {
    for (let next = 1; next <= BLOCKS; ) {
      const range = await feed.next(next, BLOCKS);
      facts += range.facts;
      next = range.to.number + 1;
    }
  } finally {
    pool.close();
    await node.stop();
  }
  return { facts, waitedMs, counts: node.counts };
};

describe('providers that refuse logs of many blocks', () => {
  let facts = 0;
  before(async () => {
    ({ facts } = await readAll({}));
    assert.ok(facts > BLOCKS);
  });
  for (const [name, refuse] of Object.entries(REFUSALS)) {
    it(`are read to the end: ${name}`, async () => {
      const { counts, waitedMs, ...read } = await readAll({
        range: { blocksMax: BLOCKS_MAX, refuse },
      });
      const { ranges, refusedRanges } = counts;
      assert.equal(read.facts, facts);
      assert.ok(refusedRanges >= 1, 'no range was wide');
      assert.ok(refusedRanges <= REFUSED_MAX, `${refusedRanges} ranges were refused`);
      assert.ok(ranges <= REQUESTS_MAX, `${ranges} requests`);
      assert.ok(waitedMs <= WAITED_MS_MAX, `waited for ${waitedMs} ms`);
    });
  }
});
