import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { RpcError } from '../../../shared/platform/rpc/rpcError.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { createSimulations } from './simulations.ts';

const WETH = `0x${'3'.repeat(40)}` as const;
const REQUEST = {
  kind: 'reserves',
  token: `0x${'1'.repeat(40)}`,
  pool: `0x${'2'.repeat(40)}`,
  baseToken: WETH,
} as const;
/** The block on which trades are first based; the node's own latest block differs. */
const STORED = { number: 90, timestampS: 1_694_498_000 };
const HEAD: RpcOutcome = { ok: true, result: { number: '0x64', timestamp: '0x65000000' } };
const MISSING: RpcOutcome = { ok: false, code: -32_601, message: 'Method not found' };

/** A node defined by its answer to each call, which records its requests. */
const setup = (answerTo: (call: RpcCall) => RpcOutcome) => {
  const asked: string[][] = [];
  const time = { ms: 0 };
  const node = {
    batch: async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
      asked.push(calls.map(({ method }) => method));
      return calls.map(answerTo);
    },
  };
  const simulator = createSimulations({ node, weth: WETH, clock: { now: () => time.ms } });
  return { node, simulator, asked, time };
};

const headOr = (other: RpcOutcome) => (call: RpcCall) =>
  call.method === 'eth_getBlockByNumber' ? HEAD : other;

describe('createSimulations', () => {
  it('asks nothing for nothing', async () => {
    const { simulator, asked } = setup(headOr(MISSING));
    assert.deepEqual(await simulator.simulate([], STORED), []);
    assert.deepEqual(asked, []);
  });

  it('asks nothing about a pool against another token', async () => {
    const { simulator, asked } = setup(headOr(MISSING));
    const [simulation] = await simulator.simulate(
      [{ ...REQUEST, baseToken: REQUEST.token }],
      STORED,
    );
    assert.equal(simulation?.kind, 'unknown');
    assert.deepEqual(asked, []);
  });

  it('remembers for ten minutes that a node has no simulations', async () => {
    const { simulator, asked, time } = setup(headOr(MISSING));
    const missing = {
      kind: 'unknown',
      reason: sentence('nodeCannotSimulate'),
    };
    assert.deepEqual(await simulator.simulate([REQUEST], STORED), [missing]);
    assert.equal(asked.length, 1);
    time.ms = 599_999;
    assert.deepEqual(await simulator.simulate([REQUEST, REQUEST], STORED), [missing, missing]);
    assert.equal(asked.length, 1);
    time.ms = 600_000;
    await simulator.simulate([REQUEST], STORED);
    assert.equal(asked.length, 2);
  });

  it('tries what was refused once more on the latest block of the node, and no more', async () => {
    const parents: unknown[] = [];
    const { simulator, asked } = setup((call) => {
      if (call.method === 'eth_simulateV1') parents.push(call.params[1]);
      return headOr({ ok: false, code: -32_000, message: 'no header' })(call);
    });
    assert.deepEqual(await simulator.simulate([REQUEST], STORED), [
      { kind: 'unknown', reason: sentence('simulationRefused', { code: '-32000' }) },
    ]);
    assert.deepEqual(asked, [['eth_simulateV1'], ['eth_getBlockByNumber'], ['eth_simulateV1']]);
    assert.deepEqual(parents, ['0x5a', '0x64']);
  });

  it('leaves waiting for a node that is away to its caller', async () => {
    const { simulator } = setup(() => {
      throw new RetryableError('away');
    });
    await assert.rejects(simulator.simulate([REQUEST], STORED), RetryableError);
  });

  it('goes on without simulations while the node fails at them only', async () => {
    const { simulator, asked, time } = setup((call) => {
      if (call.method === 'eth_simulateV1') throw new RetryableError('HTTP 502');
      return HEAD;
    });
    const failing = { kind: 'unknown', reason: sentence('nodeSilent') };
    assert.deepEqual(await simulator.simulate([REQUEST], STORED), [failing]);
    time.ms = 59_999;
    assert.deepEqual(await simulator.simulate([REQUEST], STORED), [failing]);
    assert.equal(asked.length, 2);
    time.ms = 60_000;
    await simulator.simulate([REQUEST], STORED);
    assert.equal(asked.length, 4);
  });

  it('judges the others where the answer to one is too large', async () => {
    const { simulator } = setup((call) => {
      const isLoud = JSON.stringify(call).includes('9'.repeat(40));
      if (isLoud) throw new RpcError('rangeTooLarge', 'node', 'answer over 48 MB');
      return { ok: true, result: [] };
    });
    const loud = { ...REQUEST, pool: `0x${'9'.repeat(40)}` } as const;
    const simulations = await simulator.simulate([REQUEST, loud, { ...REQUEST }], STORED);
    const unread = sentence('answerUnreadable');
    assert.deepEqual(
      simulations.map((one) => one.kind === 'unknown' && one.reason),
      [unread, sentence('answerTooLarge'), unread],
    );
  });

  it('lets a bug crash', async () => {
    const { simulator } = setup((call) => {
      if (call.method === 'eth_simulateV1') throw new TypeError('bug');
      return HEAD;
    });
    await assert.rejects(simulator.simulate([REQUEST], STORED), TypeError);
  });

  const heads: readonly [string, RpcOutcome][] = [
    ['nothing', { ok: true, result: null }],
    ['text', { ok: true, result: 'block' }],
    ['no number', { ok: true, result: { timestamp: '0x1' } }],
    [
      'an endless number',
      { ok: true, result: { number: `0x${'f'.repeat(400)}`, timestamp: '0x1' } },
    ],
    ['an error', { ok: false, code: 1, message: 'no' }],
  ];
  for (const [name, head] of heads) {
    it(`knows nothing where the latest block is ${name}`, async () => {
      const { simulator } = setup(({ method }) =>
        method === 'eth_simulateV1' ? { ok: false, code: -32_000, message: 'no header' } : head,
      );
      const [simulation] = await simulator.simulate([REQUEST], STORED);
      assert.deepEqual(simulation, { kind: 'unknown', reason: sentence('nodeWithoutHead') });
    });
  }

  it('asks about three trades at a time, each with addresses of its own', async () => {
    const traders = new Set<string>();
    const { node, asked } = setup((call) => {
      const [payload] = call.params as [
        { blockStateCalls: { stateOverrides: Record<string, unknown> }[] },
      ];
      for (const one of Object.keys(payload.blockStateCalls[0]?.stateOverrides ?? {})) {
        traders.add(one);
      }
      return { ok: true, result: [] };
    });
    const open = { now: 0, most: 0 };
    const busy = {
      batch: async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
        open.now += 1;
        open.most = Math.max(open.most, open.now);
        const outcomes = await node.batch(calls);
        open.now -= 1;
        return outcomes;
      },
    };
    const simulator = createSimulations({ node: busy, weth: WETH, clock: { now: () => 0 } });
    const requests = Array.from({ length: 7 }, () => ({ ...REQUEST }));
    const simulations = await simulator.simulate(requests, STORED);
    assert.deepEqual([simulations.length, asked.length, open.most], [7, 7, 3]);
    assert.equal(traders.size, 14);
  });
});
