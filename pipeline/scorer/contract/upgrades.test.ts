import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall } from '../../../shared/platform/rpc/jsonRpc.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import type { PrivilegedCaller } from './contractProfile.ts';
import { findUpgrade } from './upgrades.ts';

const TOKEN: Hex = `0x${'1'.repeat(40)}`;
const implementation: Hex = `0x${'2'.repeat(40)}`;
const slot: Hex = `0x${'3'.repeat(64)}`;
const MAKER: Hex = `0x${'4'.repeat(40)}`;
const OTHER: Hex = `0x${'5'.repeat(40)}`;
const [UPGRADE, UPGRADE_AND_CALL] = ['upgradeTo(address)', 'upgradeToAndCall(address,bytes)'].map(
  selectorOf,
) as [Hex, Hex];
const PROXY = { kind: 'eip1967', implementation, slot, admin: null } as const;
const CALLERS = [MAKER, OTHER].map((address): PrivilegedCaller => ({ address, origin: 'code' }));

/** The account found if a contract admits some. */
const upgraderOf = async (
  isLetIn: (caller: Hex) => boolean,
  { proxy = PROXY, selectors = [UPGRADE, UPGRADE_AND_CALL] } = {} as {
    proxy?: Parameters<typeof findUpgrade>[2];
    selectors?: Hex[];
  },
) => {
  const asked: RpcCall[] = [];
  const node = {
    batch: async (calls: readonly RpcCall[]) => {
      asked.push(...calls);
      return calls.map(({ params: [call] }) =>
        isLetIn((call as { from: Hex }).from)
          ? ({ ok: true, result: '0x' } as const)
          : ({ ok: false, code: 3, message: 'execution reverted' } as const),
      );
    },
  };
  const found = await findUpgrade(node, TOKEN, proxy, selectors, CALLERS);
  return { found, asked };
};

describe('who replaces the code of a token', () => {
  it('is whoever is let in to put there what is there', async () => {
    const { found, asked } = await upgraderOf((caller) => caller === OTHER);
    assert.equal(found?.caller, OTHER);
    assert.equal(found?.data, `${UPGRADE}${implementation.slice(2).padStart(64, '0')}`);
    // Two functions, two callers and an unused address.
    assert.equal(asked.length, 6);
  });

  it('is nobody where a call does nothing, whoever makes it, or is refused', async () => {
    assert.equal((await upgraderOf(() => true)).found, undefined);
    assert.equal((await upgraderOf(() => false)).found, undefined);
  });

  it('is not asked for where the code is there for good, a beacon names it, or it has no such function', async () => {
    const anyone = () => true;
    for (const proxy of [{ ...PROXY, slot: null }, { ...PROXY, kind: 'beacon' } as const]) {
      assert.deepEqual(await upgraderOf(anyone, { proxy }), { found: undefined, asked: [] });
    }
    assert.equal((await upgraderOf(anyone, { selectors: ['0xa9059cbb'] })).asked.length, 0);
  });
});
