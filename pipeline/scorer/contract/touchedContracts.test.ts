import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { readPoolSpenders, readTouched } from './touchedContracts.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [TOKEN, POOL, SERVICE, LISTED, HELPER] = ['1', '2', '3', '4', '5'].map(address) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];
const SUBJECT = {
  token: TOKEN,
  pool: { kind: 'reserves', pool: POOL, baseToken: address('9') },
} as const;

const nodeOf = (answer: (call: RpcCall) => RpcOutcome) => {
  const asked: RpcCall[] = [];
  const batch = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    asked.push(...calls);
    return calls.map(answer);
  };
  return { node: { batch }, asked };
};
const touching = (...addresses: readonly string[]): RpcOutcome => ({
  ok: true,
  result: { accessList: addresses.map((one) => ({ address: one, storageKeys: [] })) },
});
const FAILED: RpcOutcome = { ok: false, code: 3, message: 'execution reverted' };

describe('contracts that transfers touch', () => {
  it('are found in transfers to the pool, of nothing, and from it', async () => {
    const { node, asked } = nodeOf(({ params }) => {
      const [{ from }] = params as [{ from: Hex }];
      return from === POOL ? touching(TOKEN, SERVICE) : touching(SERVICE, LISTED);
    });
    assert.deepEqual((await readTouched(node, SUBJECT)).toSorted(), [SERVICE, LISTED]);
    const amounts = asked.map(({ params }) => {
      const [{ to, data }] = params as [{ to: Hex; data: Hex }];
      return [to, BigInt(`0x${data.slice(-64)}`)];
    });
    assert.deepEqual(amounts, [
      [TOKEN, 0n],
      [TOKEN, 1n],
    ]);
  });

  it('are none where the node cannot tell, answers nonsense, or there is no pool', async () => {
    for (const outcome of [FAILED, { ok: true, result: 'x' } as const, touching('0xNONSENSE')]) {
      assert.deepEqual(await readTouched(nodeOf(() => outcome).node, SUBJECT), []);
    }
    const { node, asked } = nodeOf(() => touching(SERVICE));
    assert.deepEqual(await readTouched(node, { ...SUBJECT, pool: undefined }), []);
    assert.equal(asked.length, 0);
  });
});

describe('contracts that may take the tokens of the pool', () => {
  it('are those that it allows more than nothing', async () => {
    const allowance = (value: string): RpcOutcome => ({
      ok: true,
      result: `0x${value.padStart(64, '0')}`,
    });
    const answers = new Map([
      [SERVICE, allowance('0')],
      [HELPER, allowance('7')],
      [LISTED, FAILED],
    ]);
    const { node } = nodeOf(({ params }) => {
      const [{ from }] = params as [{ from: Hex }];
      return answers.get(from) ?? FAILED;
    });
    assert.deepEqual(await readPoolSpenders(node, SUBJECT, [SERVICE, HELPER, LISTED]), [HELPER]);
  });
});
