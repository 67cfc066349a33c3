import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { readOutside } from './outsideContracts.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [OWNED, STORING, NAMING, FOREIGN, SERVING, CREATOR, OTHER, TOKEN] = [
  '1',
  '2',
  '3',
  '4',
  '5',
  'a',
  'b',
  'c',
].map(address) as [Hex, Hex, Hex, Hex, Hex, Hex, Hex, Hex];
const BORN = address('d');
const wordOf = (value: string): Hex => `0x${value.slice(2).padStart(64, '0')}`;
/** Dispatches on one unknown function, and stops. */
const CODE: Hex = '0x60003560e01c8063deadbeef14601657600080fd5b00';
const CALLERS = [{ address: CREATOR, origin: 'creator' }] as const;

const ASKING = { token: TOKEN, asksOthers: false };
const STORED = new Map([
  [STORING, CREATOR],
  [SERVING, TOKEN],
]);

const node = {
  batch: async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
    calls.map(({ method, params }) => {
      const [first, second] = params as [unknown, unknown];
      const ok = (result: unknown): RpcOutcome => ({ ok: true, result });
      if (method === 'eth_getBlockByNumber') return ok({ number: '0x7', timestamp: '0x64' });
      if (method === 'eth_getTransactionCount') return ok('0x1');
      if (method === 'eth_getBalance') return ok('0x0');
      if (method === 'eth_getCode') {
        if (first === OTHER || first === BORN) return ok('0x');
        return ok(first === NAMING ? `0x73${CREATOR.slice(2)}50${CODE.slice(2)}` : CODE);
      }
      if (method === 'eth_getStorageAt')
        return ok(wordOf((second === '0x3' && STORED.get(first as Hex)) || '0x0'));
      const { to, data } = first as { to: Hex; data: Hex };
      if (data !== selectorOf('owner()')) return { ok: false, code: 3, message: 'reverted' };
      return ok(wordOf(to === OWNED ? CREATOR : OTHER));
    }),
};

describe('contracts beside the token', () => {
  const found = async (named: readonly Hex[]): Promise<Hex[]> =>
    (await readOutside(node, ASKING, named, CALLERS)).map((one) => one.address);

  it('are tried where their owner, a variable or their code names who is behind it', async () => {
    assert.deepEqual(await found([OWNED, FOREIGN]), [OWNED]);
    assert.deepEqual(await found([FOREIGN, STORING]), [STORING]);
    assert.deepEqual(await found([NAMING]), [NAMING]);
    const [one] = await readOutside(node, ASKING, [OWNED], CALLERS);
    assert.deepEqual(one?.callers, CALLERS);
    assert.deepEqual(
      one?.functions.map(({ selector }) => selector),
      ['0xdeadbeef'],
    );
  });

  it('are tried as whom they name themselves where they serve the token, or it asks others', async () => {
    const [one] = await readOutside(node, ASKING, [SERVING], CALLERS);
    assert.deepEqual(one?.callers, [{ address: OTHER, origin: 'storage' }]);
    assert.deepEqual(one?.holders, [{ address: OTHER, kind: 'wallet' }]);
    const asked = await readOutside(node, { ...ASKING, asksOthers: true }, [FOREIGN], CALLERS);
    assert.deepEqual(asked[0]?.callers, one?.callers);
  });

  it('are tried as everybody behind the token, and as whom its creation names, where they have a power over it', async () => {
    const asking = { ...ASKING, powerful: new Set([FOREIGN]), born: [BORN] };
    const [one] = await readOutside(node, asking, [OWNED, FOREIGN], CALLERS);
    assert.equal(one?.address, FOREIGN);
    assert.deepEqual(one?.callers, [
      ...CALLERS,
      { address: OTHER, origin: 'storage' },
      { address: BORN, origin: 'storage' },
    ]);
  });

  it('are tried as everybody behind the token where its transfers touch them, those that name somebody first', async () => {
    const born = { born: [BORN] };
    const touched = { ...ASKING, ...born, touched: new Set([FOREIGN, OWNED]) };
    const found = await readOutside(node, touched, [STORING, FOREIGN, OWNED], CALLERS);
    assert.deepEqual(
      found.map((one) => one.address),
      [FOREIGN, OWNED],
    );
    assert.deepEqual(found[0]?.callers[0], CALLERS[0]);
  });

  it('are two at the most, and none where nobody is behind it', async () => {
    assert.deepEqual(await found([OWNED, STORING, NAMING]), [OWNED, STORING]);
    assert.deepEqual(await readOutside(node, ASKING, [OWNED], []), []);
  });
});
