import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import type { ContractSubject } from './contractProfile.ts';
import { createContractReader } from './contractReader.ts';
import { IMPLEMENTATION_SLOTS } from './contractState.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [TOKEN, OWNER, CREATOR, TARGET, WETH] = ['1', 'a', 'b', 'd', 'f'].map(address) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];
const wordOf = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`;
/** Dispatches on `transfer` alone. */
const CODE: Hex = '0x60003560e01c8063a9059cbb14601657600080fd5b00';
const SUBJECT: ContractSubject = {
  token: TOKEN,
  creator: CREATOR,
  codeHash: wordOf('0x0'),
  pool: undefined,
};

/** A node with some codes and slots, an owner, and no simulations. */
const nodeOf = (parts: {
  codes?: Record<Hex, Hex>;
  slots?: Record<Hex, Hex>;
  calls?: Record<string, Hex>;
  simulate?: () => RpcOutcome;
}) => {
  const asked: string[] = [];
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    asked.push(method);
    const [first, second] = params as [unknown, unknown];
    if (method === 'eth_getBlockByNumber') return ok({ number: '0x7', timestamp: '0x64' });
    if (method === 'eth_getCode') return ok(parts.codes?.[first as Hex] ?? '0x');
    if (method === 'eth_getStorageAt') return ok(parts.slots?.[second as Hex] ?? wordOf('0x0'));
    if (method === 'eth_simulateV1') return parts.simulate?.() ?? NO_METHOD;
    const { to, data } = first as { to: Hex; data: Hex };
    const result = parts.calls?.[`${to} ${data}`] ?? parts.calls?.[data];
    return result ? ok(result) : { ok: false, code: 3, message: 'execution reverted' };
  };
  return { node: { batch: async (calls: readonly RpcCall[]) => calls.map(answer) }, asked };
};
const ok = (result: unknown): RpcOutcome => ({ ok: true, result });
const NO_METHOD: RpcOutcome = { ok: false, code: -32_601, message: 'no such method' };

const read = (parts: Parameters<typeof nodeOf>[0]) =>
  createContractReader({ node: nodeOf(parts).node, weth: WETH }).read(SUBJECT);

describe('createContractReader', () => {
  it('reads nothing where there is no code', async () => {
    assert.equal(await read({}), undefined);
  });

  it('reads code and owner also where the node has no simulations', async () => {
    const calls = { [selectorOf('owner()')]: wordOf(OWNER) };
    const profile = await read({ codes: { [TOKEN]: CODE }, calls });
    assert.deepEqual(profile?.owner, { kind: 'held', address: OWNER, via: 'owner()' });
    assert.deepEqual(
      profile?.functions.map(({ selector }) => selector),
      ['0xa9059cbb'],
    );
    assert.equal(profile?.proxy, null);
    assert.equal(profile?.probe.kind, 'unknown');
  });

  it('stays good where simulations fail for a moment', async () => {
    const simulate = () => {
      throw new RetryableError('away');
    };
    const profile = await read({ codes: { [TOKEN]: CODE }, simulate });
    assert.equal(profile?.probe.kind, 'unknown');
  });

  it('judges the code behind a proxy', async () => {
    const slot = IMPLEMENTATION_SLOTS[0]?.slot ?? '0x';
    const codes = { [TOKEN]: '0x36f4', [TARGET]: CODE } as const;
    const profile = await read({ codes, slots: { [slot]: wordOf(TARGET) } });
    assert.equal(profile?.proxy?.implementation, TARGET);
    assert.equal(profile?.functions.length, 1);
    assert.equal(profile?.patterns.delegateCallAt, null);
  });

  it('asks a beacon for the code', async () => {
    const beacon = address('e');
    const slot = IMPLEMENTATION_SLOTS[1]?.slot ?? '0x';
    const profile = await read({
      codes: { [TOKEN]: '0x36f4', [TARGET]: CODE, [beacon]: '0x00' },
      slots: { [slot]: wordOf(beacon) },
      calls: { [`${beacon} ${selectorOf('implementation()')}`]: wordOf(TARGET) },
    });
    assert.deepEqual([profile?.proxy?.kind, profile?.proxy?.implementation], ['beacon', TARGET]);
  });

  it('takes a slot without a contract behind it for no proxy', async () => {
    const slot = IMPLEMENTATION_SLOTS[0]?.slot ?? '0x';
    const profile = await read({ codes: { [TOKEN]: CODE }, slots: { [slot]: wordOf(TARGET) } });
    assert.equal(profile?.proxy, null);
  });

  it('lets a node that is away be asked again', async () => {
    const node = { batch: () => Promise.reject(new RetryableError('away')) };
    await assert.rejects(createContractReader({ node, weth: WETH }).read(SUBJECT), RetryableError);
  });
});
