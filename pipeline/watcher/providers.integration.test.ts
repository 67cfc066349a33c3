import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../shared/platform/clock.ts';
import { createRpcChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { createEndpoint } from '../../shared/platform/rpc/endpoint.ts';
import { createEndpointPool } from '../../shared/platform/rpc/endpointPool.ts';
import { createHttpPost } from '../../shared/platform/rpc/httpPost.ts';
import { type Service, startAnvil } from '../../shared/testing/services.ts';
import { REFUSALS, startRangeProxy } from '../testing/hostile/rangeProxy.ts';
import { rangeOfLogs } from './blockRange.ts';
import { createBlockRangeFeed } from './blockRangeFeed.ts';

const BLOCKS = 2_500;
/** Blocks that the providers give logs of at once. */
const BLOCKS_MAX = 100;
/** Milliseconds after which a range that is not answered is taken for too wide. */
const PIECE_TIMEOUT_MS = 1_500;
/** Requests for logs that 2,500 blocks may take in all: 25 of 100 blocks would do. */
const REQUESTS_MAX = 90;
/** Of them, those that the provider refuses: three ranges are under way at once, halved until they are narrow enough. */
const REFUSED_MAX = 24;
/** Milliseconds that the client may wait between requests, in all: nothing tells it that the node is down. */
const WAITED_MS_MAX = 500;
const EMITTER = '0x00000000000000000000000000000000000e3177';
/** Logs `Transfer(caller, caller, 1)`. */
const EMITTER_CODE =
  '0x600160005233337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300';
const TRANSFERS = 5;

describe('providers that refuse logs of many blocks', () => {
  let anvil: Service;
  const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const response = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: object };
    assert.equal(error, undefined, method);
    return result;
  };

  before(async () => {
    anvil = await startAnvil();
    await call('anvil_setCode', EMITTER, EMITTER_CODE);
    const [from] = (await call('eth_accounts')) as string[];
    for (let i = 0; i < TRANSFERS; i += 1) {
      await call('eth_sendTransaction', { from, to: EMITTER, gas: '0x30d40' });
      await call('anvil_mine', `0x${(BLOCKS / TRANSFERS).toString(16)}`);
    }
  });
  after(() => anvil.stop());

  /** Reads all blocks as a backfill does; counts the milliseconds that the client chose to wait. */
  const readAll = async (url: string) => {
    let waitedMs = 0;
    const clock = {
      ...systemClock,
      sleep: async (ms: number) => {
        waitedMs += ms;
        await systemClock.sleep(ms);
      },
    };
    const http = createHttpPost(url);
    const endpoint = createEndpoint({ http, clock, pieceTimeoutMs: PIECE_TIMEOUT_MS });
    const pool = createEndpointPool([endpoint], clock);
    const source = createRpcChainSource({ pool, now: () => clock.now() });
    const feed = createBlockRangeFeed({
      read: async (from, to) => rangeOfLogs(await source.range(from, to)),
    });
    let facts = 0;
    for (let next = 1; next <= BLOCKS; ) {
      const range = await feed.next(next, BLOCKS);
      facts += range.facts;
      next = range.to.number + 1;
    }
    pool.close();
    return { facts, waitedMs };
  };

  for (const [name, refuse] of Object.entries(REFUSALS)) {
    it(`reads all of them where it ${name === 'no answer' ? 'gives no answer' : `gives: ${name}`}`, async () => {
      const proxy = await startRangeProxy(anvil.url, refuse, BLOCKS_MAX);
      try {
        const { facts, waitedMs } = await readAll(proxy.url);
        const { passed, refused } = proxy.requests;
        assert.equal(facts, TRANSFERS);
        assert.ok(refused >= 1, 'no range was wide');
        assert.ok(refused <= REFUSED_MAX, `${refused} ranges were refused`);
        assert.ok(passed + refused <= REQUESTS_MAX, `${passed} + ${refused} requests`);
        assert.ok(waitedMs <= WAITED_MS_MAX, `waited for ${waitedMs} ms`);
      } finally {
        proxy.close();
      }
    });
  }
});
