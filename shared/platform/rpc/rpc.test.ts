import assert from 'node:assert/strict';
import { type ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { createFakeChain, type FakeChain } from '../../../pipeline/watcher/testing/fakeChain.ts';
import type { RawLog, VerifiedBlock } from '../../decode/rawBlock.ts';
import { TOPIC } from '../../decode/topic.ts';
import { bloomOf } from '../../testing/evmData.ts';
import { type HttpServer, startHttp } from '../../testing/startHttp.ts';
import type { Clock } from '../clock.ts';
import { createBloomCheck } from './bloom.ts';
import { createRpcChainSource } from './createRpc.ts';
import { createEndpoint } from './endpoint.ts';
import { createEndpointPool } from './endpointPool.ts';
import { createHttpPost } from './httpPost.ts';
import { nodeFailure } from './nodeFailure.ts';

type Call = { id: number; method: string; params: unknown[] };
type Reply = (calls: Call[], response: ServerResponse, isBatch: boolean) => void;

const servers: HttpServer[] = [];
after(() => {
  for (const server of servers) server.close();
});

const listen = async (reply: Reply): Promise<string> => {
  const server = await startHttp((_, response, body) => {
    const calls = JSON.parse(body) as Call | Call[];
    reply([calls].flat(), response, Array.isArray(calls));
  });
  servers.push(server);
  return server.origin;
};

const hex = (value: number): string => `0x${value.toString(16)}`;
const ZERO_BLOOM = `0x${'00'.repeat(256)}`;

/** Everything about a block's transactions, as an honest node answers. */
const receiptsOf = ({ header, transactions, logs }: VerifiedBlock) =>
  transactions.map(({ hash: transactionHash, succeeded, contractAddress }) => ({
    transactionHash,
    blockHash: header.hash,
    status: succeeded ? '0x1' : '0x0',
    contractAddress,
    logs: logs.filter((log) => log.transactionHash === transactionHash),
  }));

/** Answers of an honest node about a fake chain. */
const honest = (chain: FakeChain, call: Call): unknown => {
  const heightOf = (tag: unknown): number =>
    tag === 'latest' ? chain.head().number : tag === 'finalized' ? 0 : Number(tag);
  const block = chain.block(heightOf(call.params[0]));
  switch (call.method) {
    case 'eth_blockNumber':
      return hex(chain.head().number);
    case 'eth_getBlockByNumber': {
      if (!block) return null;
      const { number, hash, parentHash, timestampS } = block.header;
      const transactions = block.transactions.map(({ hash: own, from, to, value }) => ({
        hash: own,
        from,
        to,
        value,
      }));
      return {
        number: hex(number),
        hash,
        parentHash,
        timestamp: hex(timestampS),
        logsBloom: ZERO_BLOOM,
        transactions,
      };
    }
    case 'eth_getBlockReceipts':
      return block ? receiptsOf(block) : null;
    case 'eth_getLogs': {
      const filter = call.params[0] as { fromBlock?: string; toBlock?: string; blockHash?: string };
      return chain
        .canonical()
        .filter(({ header }) =>
          filter.blockHash
            ? header.hash === filter.blockHash
            : header.number >= Number(filter.fromBlock) && header.number <= Number(filter.toBlock),
        )
        .flatMap(({ logs }) => logs);
    }
    case 'eth_getTransactionReceipt':
      return chain
        .canonical()
        .flatMap(receiptsOf)
        .find(({ transactionHash }) => transactionHash === call.params[0]);
    default:
      return null;
  }
};

const answer =
  (
    chain: FakeChain,
    change: (call: Call, result: unknown) => unknown = (_call, result) => result,
  ): Reply =>
  (calls, response, isBatch) => {
    const answers = calls.map((call) => {
      const result = change(call, honest(chain, call));
      return result instanceof Error
        ? {
            jsonrpc: '2.0',
            id: call.id,
            error: { code: (result as { code?: number }).code ?? -32601, message: result.message },
          }
        : { jsonrpc: '2.0', id: call.id, result };
    });
    response.end(JSON.stringify(isBatch ? answers : answers[0]));
  };

const LIMITS = { timeoutMs: 2_000, answerBytesMax: 1_000_000 };
/** A clock whose waits end at once. */
const createPatientClock = (): Clock => {
  let passedMs = 0;
  return {
    now: () => Date.now() + passedMs,
    sleep: async (ms) => {
      passedMs += ms;
    },
  };
};
const sourceAt = (now: () => number, urls: readonly string[], limits = LIMITS) => {
  const clock = createPatientClock();
  const endpoints = urls.map((url) => createEndpoint({ http: createHttpPost(url, limits), clock }));
  return createRpcChainSource({ pool: createEndpointPool(endpoints, clock), now });
};
const sourceOf = (...urls: string[]) => sourceAt(Date.now, urls);

const chainOf = (blocks: number): FakeChain => {
  const chain = createFakeChain();
  const log = {
    address: `0x${'aa'.repeat(20)}`,
    topics: [TOPIC.transfer, `0x${'0'.repeat(63)}1`, `0x${'0'.repeat(63)}2`],
    data: `0x${'0'.repeat(63)}9`,
  } as const;
  for (let i = 0; i < blocks; i += 1)
    chain.mine([{ from: `0x${'11'.repeat(20)}`, value: '0x5', logs: [log, log] }]);
  return chain;
};

describe('reading a node', () => {
  const chain = chainOf(5);

  test('reads head, blocks and ranges', async () => {
    const source = sourceOf(await listen(answer(chain)));
    const reading = await source.follow(4, 3);
    assert.deepEqual(reading.head, chain.head());
    assert.deepEqual(
      reading.blocks.map(({ header }) => header.number),
      [4, 5],
    );
    assert.equal((await source.range(1, 5)).logs.length, 10);
    assert.equal((await source.blocks(1, 5)).length, 5);
    assert.deepEqual((await source.follow(6, 1)).blocks, []);
  });

  test('nothing above the head is final', async () => {
    let finalized = '0x2';
    const lying = answer(chain, (call, result) =>
      call.params[0] === 'finalized' ? { ...(result as object), number: finalized } : result,
    );
    const read = async () => (await sourceOf(await listen(lying)).follow(4, 1)).finalized;
    assert.deepEqual(await read(), { number: 2, hash: chain.block(0)?.header.hash });
    finalized = '0x1fffffffffffff';
    assert.equal(await read(), null);
  });

  test('a node that once cannot say what is final is asked again', async () => {
    let [isAway, nowMs] = [true, 0];
    const url = await listen(
      answer(chain, (call, result) => {
        if (call.params[0] !== 'finalized') return result;
        return isAway ? new Error('finalized block not found') : result;
      }),
    );
    const source = sourceAt(() => nowMs, [url]);
    const genesis = { number: 0, hash: chain.block(0)?.header.hash };
    assert.equal((await source.follow(4, 1)).finalized, null);
    isAway = false;
    nowMs += 1_000;
    assert.deepEqual((await source.follow(4, 1)).finalized, genesis);
    isAway = true;
    nowMs += 1_000;
    assert.deepEqual((await source.follow(4, 1)).finalized, genesis, 'what was final stays final');
  });

  test('logs outside the asked range are refused', async () => {
    const other = answer(chain, (call, result) =>
      call.method === 'eth_getLogs' ? chain.block(1)?.logs : result,
    );
    await assert.rejects(sourceOf(await listen(other)).range(2, 4), /outside the range/);
  });

  test('no logs under a bloom that promises them are asked for at another node', async () => {
    const full = answer(chain, (call, result) => {
      if (call.method === 'eth_getLogs') return [];
      return call.method === 'eth_getBlockByNumber'
        ? { ...(result as object), logsBloom: `0x${'ff'.repeat(256)}` }
        : result;
    });
    const source = sourceOf(await listen(full), await listen(answer(chain)));
    assert.equal((await source.range(1, 5)).logs.length, 10);
  });

  test('of two answers that both lack the last block neither is believed', async () => {
    const cut = (kept: number) =>
      answer(chain, (call, result) => {
        const { blockHash } = (call.params[0] ?? {}) as { blockHash?: string };
        if (call.method === 'eth_getLogs' && !blockHash)
          return (result as unknown[]).slice(0, kept);
        return call.method === 'eth_getBlockByNumber'
          ? { ...(result as object), logsBloom: `0x${'ff'.repeat(256)}` }
          : result;
      });
    const source = sourceOf(await listen(cut(6)), await listen(cut(0)));
    await assert.rejects(source.range(1, 5), /logs of its last block are left out/);
  });

  test('an answer that is cut within the last block is not believed', async () => {
    const cut = answer(chain, (call, result) => {
      const { blockHash } = (call.params[0] ?? {}) as { blockHash?: string };
      if (call.method === 'eth_getLogs' && !blockHash) return (result as unknown[]).slice(0, -1);
      return call.method === 'eth_getBlockByNumber'
        ? { ...(result as object), logsBloom: `0x${'ff'.repeat(256)}` }
        : result;
    });
    const source = sourceOf(await listen(cut));
    await assert.rejects(source.range(1, 5), /logs of its last block are left out/);
  });

  const incomplete: Record<string, (result: unknown) => unknown> = {
    'leaves receipts of system transactions out': (result) => (result as unknown[]).slice(1),
    'has none of a block with a system transaction': () => [],
    'fails at a block with a system transaction': () =>
      Object.assign(new Error('receipts length mismatch: 1 vs 0'), { code: -32000 }),
  };
  for (const [what, change] of Object.entries(incomplete)) {
    test(`a node that ${what} is asked for each that is missing`, async () => {
      const url = await listen(
        answer(chain, (call, result) =>
          call.method === 'eth_getBlockReceipts' && result ? change(result) : result,
        ),
      );
      const read = await sourceOf(url).blocks(1, 5);
      assert.deepEqual(read, await sourceOf(await listen(answer(chain))).blocks(1, 5));
    });
  }

  test('a block without transactions needs no receipts', async () => {
    const empty = createFakeChain();
    empty.mine([]);
    for (const nothing of [null, Object.assign(new Error('no such block'), { code: -32603 })]) {
      const url = await listen(
        answer(empty, (call, result) =>
          call.method === 'eth_getBlockReceipts' ? nothing : result,
        ),
      );
      const [block] = await sourceOf(url).blocks(1, 1);
      assert.deepEqual([block?.header.number, block?.transactions, block?.logs], [1, [], []]);
    }
  });

  test('a node without batches is asked call by call', async () => {
    const single: Reply = (calls, response, isBatch) =>
      isBatch
        ? response.end(
            JSON.stringify({
              jsonrpc: '2.0',
              id: null,
              error: { code: -32600, message: 'batch requests are not supported' },
            }),
          )
        : answer(chain)(calls, response, false);
    assert.equal((await sourceOf(await listen(single)).blocks(1, 5)).length, 5);
  });

  test('a node without eth_getBlockReceipts is read by single receipts, and a blip is not forgotten for one', async () => {
    const asked: string[] = [];
    let blips = 1;
    const without = answer(chain, (call, result) => {
      asked.push(call.method);
      return call.method === 'eth_getBlockReceipts'
        ? new Error('the method eth_getBlockReceipts does not exist')
        : result;
    });
    const reply: Reply = (calls, response, isBatch) => {
      if (blips > 0) {
        blips -= 1;
        response.writeHead(503).end();
      } else without(calls, response, isBatch);
    };
    const source = sourceOf(await listen(reply));
    const [block] = await source.blocks(2, 2);
    assert.deepEqual(block, chain.block(2));
    await source.blocks(3, 3);
    assert.equal(asked.filter((method) => method === 'eth_getBlockReceipts').length, 1);
  });

  test('a node that lags is asked last', async () => {
    const lagging = answer(chain, (call, result) => (Number(call.params[0]) > 2 ? null : result));
    const source = sourceOf(await listen(lagging), await listen(answer(chain)));
    assert.equal((await source.range(1, 5)).to.number, 5);
  });

  test('an error never shows the key in a URL', async () => {
    const url = `${await listen((_calls, response) => response.end('no'))}/v2/SECRETKEY`.replace(
      '//',
      '//user:SECRETPASSWORD@',
    );
    await assert.rejects(
      sourceOf(url).blocks(1, 1),
      (error) => error instanceof Error && !error.message.includes('SECRET'),
    );
  });
});

describe('an error of a node', () => {
  const failureOf = (message: string, isOfSeveralBlocks: boolean, code = -32_000): string =>
    nodeFailure({ ok: false, code, message }, 'node', isOfSeveralBlocks).failure;

  test('asks for fewer blocks where several were asked for, whatever it says', () => {
    for (const text of [
      'query exceeds max block range 100',
      'query returned more than 10000 results. Try with this block range [0x10, 0x1f].',
      'this method is not available for so many blocks on your plan',
      'gremlins in the machine',
    ]) {
      assert.equal(failureOf(text, true), 'rangeTooLarge', text);
    }
    assert.equal(failureOf('gremlins in the machine', false), 'node');
    assert.equal(failureOf('this method is not available', false), 'methodMissing');
  });

  test('does not where too much was asked for at once, or there is no such method', () => {
    assert.equal(failureOf('too many requests', true), 'rateLimited');
    assert.equal(failureOf('no such method', true, -32_601), 'methodMissing');
  });
});

describe('bloom', () => {
  const log = { address: `0x${'ab'.repeat(20)}`, topics: [TOPIC.sync] } as unknown as RawLog;

  test('proves that a log is missing, and never when none is', () => {
    const check = createBloomCheck();
    const bloom = bloomOf([log.address, TOPIC.sync]);
    assert.equal(check.provesMissing(bloom, [log]), false);
    assert.equal(check.provesMissing(bloom, []), true);
    assert.equal(check.provesMissing(ZERO_BLOOM, [log]), false);
    assert.equal(check.mayHold(bloom, TOPIC.sync), true);
    assert.equal(check.mayHold(bloom, TOPIC.transfer), false);
    assert.equal(check.mayHold(undefined, TOPIC.transfer), false);
  });
});
