import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../clock.ts';
import type { RpcCall, RpcOutcome } from './jsonRpc.ts';
import { meterCalls } from './meterCalls.ts';
import { RpcError } from './rpcError.ts';

const NODE = 'node:8545';

const setup = (answer: () => Promise<RpcOutcome[]>) => {
  let nowMs = 0;
  const clock: Clock = {
    now: () => {
      nowMs += 5;
      return nowMs;
    },
    sleep: async () => undefined,
  };
  const reported: unknown[][] = [];
  const exchange = meterCalls(answer, NODE, clock, {
    called: (...args) => void reported.push(['called', ...args]),
    failed: (...args) => void reported.push(['failed', ...args]),
    exchanged: (...args) => void reported.push(['exchanged', ...args]),
  });
  return { exchange, reported };
};

const call = (method: string, ...params: unknown[]): RpcCall => ({ method, params });
const RANGE = { fromBlock: '0x1', toBlock: '0x9' };
const refused = (code: number, message: string): RpcOutcome => ({ ok: false, code, message });

describe('meterCalls', () => {
  it('counts the calls of a batch and times the request', async () => {
    const outcomes: RpcOutcome[] = [
      { ok: true, result: '0x1' },
      { ok: true, result: null },
    ];
    const { exchange, reported } = setup(async () => outcomes);
    assert.equal(await exchange([call('eth_chainId'), call('eth_getCode')]), outcomes);
    assert.deepEqual(reported, [
      ['called', 'eth_chainId'],
      ['called', 'eth_getCode'],
      ['exchanged', NODE, 5],
    ]);
  });

  const refusals: [method: string, outcome: RpcOutcome, kind: string, filter?: object][] = [
    ['eth_call', refused(3, 'execution reverted: no'), 'reverted'],
    ['eth_call', refused(-32_000, 'VM Exception: revert'), 'reverted'],
    ['eth_call', refused(-32_005, 'rate limit exceeded'), 'rateLimited'],
    ['eth_simulateV1', refused(-32_601, 'no such method'), 'methodMissing'],
    ['eth_getLogs', refused(-32_000, 'something else'), 'rangeTooLarge', RANGE],
    ['eth_getLogs', refused(-32_000, 'something else'), 'node', { blockHash: '0x1' }],
  ];
  for (const [method, outcome, kind, filter] of refusals) {
    it(`reports ${kind} of ${method} by ${JSON.stringify(outcome)}`, async () => {
      const { exchange, reported } = setup(async () => [outcome]);
      await exchange([call(method, filter)]);
      assert.deepEqual(reported[1], ['failed', NODE, method, kind]);
    });
  }

  it('counts every call of a request that failed, and passes the failure on', async () => {
    const error = new RpcError('unreachable', NODE, 'away');
    const { exchange, reported } = setup(() => Promise.reject(error));
    await assert.rejects(exchange([call('eth_call'), call('eth_getCode')]), error);
    assert.deepEqual(reported.slice(2), [
      ['failed', NODE, 'eth_call', 'unreachable'],
      ['failed', NODE, 'eth_getCode', 'unreachable'],
      ['exchanged', NODE, 5],
    ]);
  });
});
