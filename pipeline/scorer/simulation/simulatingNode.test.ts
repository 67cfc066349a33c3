import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { createSimulatingNode } from './simulatingNode.ts';

const TRADER = `0x${'1'.repeat(40)}`;
const TOKEN = `0x${'2'.repeat(40)}`;
const SIMULATION: RpcCall = {
  method: 'eth_simulateV1',
  params: [
    {
      blockStateCalls: [
        {
          blockOverrides: { number: '0x65', time: '0x3e8' },
          stateOverrides: {},
          calls: [{ from: TRADER, to: TOKEN, input: '0x', gas: '0x10' }],
        },
      ],
    },
    '0x64',
  ],
};
const OTHER: RpcCall = { method: 'eth_chainId', params: [] };
const MISSING: RpcOutcome = { ok: false, code: -32_601, message: 'no such method' };
/** One successful call that used 5 gas and returned nothing. */
const ANSWER = `0x${[1, 5, 0].map((value) => value.toString(16).padStart(64, '0')).join('')}`;
const EMULATED = {
  ok: true,
  result: [{ calls: [{ status: '0x1', gasUsed: '0x520d', returnData: '0x' }] }],
};

/** A node defined by its answers, which records its requests. */
const setup = (answers: Readonly<Record<string, RpcOutcome>>) => {
  const asked: string[][] = [];
  const time = { ms: 0 };
  const node = createSimulatingNode(
    {
      batch: async (calls) => {
        asked.push(calls.map(({ method }) => method));
        return calls.map(({ method }) => answers[method] ?? MISSING);
      },
    },
    { now: () => time.ms },
  );
  return { node, asked, time };
};

describe('createSimulatingNode', () => {
  it('passes on what a node can answer', async () => {
    const simulated: RpcOutcome = { ok: true, result: [] };
    const { node, asked } = setup({ eth_simulateV1: simulated, eth_chainId: simulated });
    assert.deepEqual(await node.batch([SIMULATION, OTHER]), [simulated, simulated]);
    assert.deepEqual(asked, [['eth_simulateV1', 'eth_chainId']]);
  });

  it('answers by calls where the method is missing, in the order asked', async () => {
    const chainId: RpcOutcome = { ok: true, result: '0x1' };
    const { node } = setup({ eth_call: { ok: true, result: ANSWER }, eth_chainId: chainId });
    const answers = await node.batch([OTHER, SIMULATION, OTHER]);
    assert.deepEqual(answers, [chainId, EMULATED, chainId]);
  });

  it('asks for the method again after ten minutes', async () => {
    const { node, asked, time } = setup({ eth_call: { ok: true, result: ANSWER } });
    await node.batch([SIMULATION]);
    time.ms = 599_999;
    await node.batch([SIMULATION]);
    time.ms = 600_000;
    await node.batch([SIMULATION]);
    assert.deepEqual(asked.flat(), [
      'eth_simulateV1',
      'eth_call',
      'eth_call',
      'eth_simulateV1',
      'eth_call',
    ]);
  });

  it('says that the method is missing where calls take no state overrides', async () => {
    const { node } = setup({ eth_call: { ok: true, result: '0x' } });
    const [answer] = await node.batch([SIMULATION]);
    assert.ok(answer && !answer.ok && answer.code === -32_601);
  });

  it('hands on why a call was refused', async () => {
    const refused: RpcOutcome = { ok: false, code: -32_602, message: 'too many arguments' };
    const { node } = setup({ eth_call: refused });
    assert.deepEqual(await node.batch([SIMULATION]), [refused]);
  });
});
