import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RpcCall, RpcOutcome } from '../../shared/adapters/rpc/jsonRpc.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import { createTradeSimulator } from './simulateTrade.ts';

const WETH = `0x${'3'.repeat(40)}` as const;
const REQUEST = {
  token: `0x${'1'.repeat(40)}`,
  pool: `0x${'2'.repeat(40)}`,
  baseToken: WETH,
} as const;
const HEAD: RpcOutcome = { ok: true, result: { number: '0x64', timestamp: '0x65000000' } };
const MISSING: RpcOutcome = { ok: false, code: -32_601, message: 'Method not found' };

/** A node by its answer to each call; what it was asked is kept. */
const setup = (answerTo: (call: RpcCall) => RpcOutcome) => {
  const asked: string[][] = [];
  const time = { ms: 0 };
  const node = {
    batch: async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
      asked.push(calls.map(({ method }) => method));
      return calls.map(answerTo);
    },
  };
  const simulator = createTradeSimulator({ node, weth: WETH, clock: { now: () => time.ms } });
  return { simulator, asked, time };
};

const headOr = (other: RpcOutcome) => (call: RpcCall) =>
  call.method === 'eth_getBlockByNumber' ? HEAD : other;

describe('createTradeSimulator', () => {
  it('asks nothing for nothing', async () => {
    const { simulator, asked } = setup(headOr(MISSING));
    assert.deepEqual(await simulator.simulate([]), []);
    assert.deepEqual(asked, []);
  });

  it('asks nothing about a pool against another token', async () => {
    const { simulator, asked } = setup(headOr(MISSING));
    const [simulation] = await simulator.simulate([{ ...REQUEST, baseToken: REQUEST.token }]);
    assert.equal(simulation?.kind, 'unknown');
    assert.deepEqual(asked, []);
  });

  it('remembers for ten minutes that a node has no simulations', async () => {
    const { simulator, asked, time } = setup(headOr(MISSING));
    const missing = { kind: 'unknown', reason: 'The node has no eth_simulateV1.' };
    assert.deepEqual(await simulator.simulate([REQUEST]), [missing]);
    assert.equal(asked.length, 2);
    time.ms = 599_999;
    assert.deepEqual(await simulator.simulate([REQUEST, REQUEST]), [missing, missing]);
    assert.equal(asked.length, 2);
    time.ms = 600_000;
    await simulator.simulate([REQUEST]);
    assert.equal(asked.length, 4);
  });

  it('asks once more for what was refused, and no more', async () => {
    const { simulator, asked } = setup(headOr({ ok: false, code: -32_000, message: 'no header' }));
    assert.deepEqual(await simulator.simulate([REQUEST]), [
      { kind: 'unknown', reason: 'The node refuses the simulation (error -32000).' },
    ]);
    assert.deepEqual(asked, [['eth_getBlockByNumber'], ['eth_simulateV1'], ['eth_simulateV1']]);
  });

  it('leaves waiting for a node that is away to its caller', async () => {
    const { simulator } = setup(() => {
      throw new RetryableError('away');
    });
    await assert.rejects(simulator.simulate([REQUEST]), RetryableError);
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
      const { simulator } = setup(() => head);
      const [simulation] = await simulator.simulate([REQUEST]);
      assert.equal(simulation?.kind, 'unknown');
    });
  }

  it('asks about ten trades at a time, each with addresses of its own', async () => {
    const traders = new Set<string>();
    const { simulator, asked } = setup((call) => {
      if (call.method === 'eth_simulateV1') {
        const [payload] = call.params as [
          { blockStateCalls: { stateOverrides: Record<string, unknown> }[] },
        ];
        for (const one of Object.keys(payload.blockStateCalls[0]?.stateOverrides ?? {})) {
          traders.add(one);
        }
      }
      return headOr({ ok: true, result: [] })(call);
    });
    const simulations = await simulator.simulate(
      Array.from({ length: 25 }, () => ({ ...REQUEST })),
    );
    assert.equal(simulations.length, 25);
    assert.deepEqual(
      asked.map((methods) => methods.length),
      [1, 10, 1, 10, 1, 5],
    );
    assert.equal(traders.size, 50);
  });
});
