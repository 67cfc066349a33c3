import { addressAtEnd } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { encodeCallData, keccakOf, quantity, selectorOf } from '../simulation/evmCode.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { ContractProfile, PrivilegedCaller } from './contractProfile.ts';

/** Gas limit of a simulated call: an upgrade takes some 60,000. */
const GAS = quantity(500_000n);

type Proxy = NonNullable<ContractProfile['proxy']>;

/** Functions by which code replaces itself (EIP-1822, UUPS), with their arguments. */
const UPGRADES = new Map<Hex, readonly string[]>([
  [selectorOf('upgradeTo(address)'), ['address']],
  [selectorOf('upgradeToAndCall(address,bytes)'), ['address', 'bytes']],
]);

/** Whether code can replace itself. @param selectors its functions */
export const replacesItself = (selectors: readonly Hex[]): boolean =>
  selectors.some((one) => UPGRADES.has(one));

/**
 * Who can replace the code of a token that does so itself, found by simulation: each caller sets the current
 * implementation again. An admitted account may be named only in the code. Undefined if none of the callers can, and
 * if an unused address is admitted as well: then the call does nothing.
 * @param selectors functions of the implementation
 */
export const findUpgrade = async (
  node: ChainNode,
  token: Hex,
  { implementation, slot, kind }: Proxy,
  selectors: readonly Hex[],
  callers: readonly PrivilegedCaller[],
): Promise<Proxy['upgrade']> => {
  if (slot === null || kind === 'beacon') return undefined;
  const calls = [...UPGRADES].flatMap(([selector, types]) =>
    selectors.includes(selector)
      ? (encodeCallData(selector, types, [implementation, '0x'].slice(0, types.length)) ?? [])
      : [],
  );
  const nobody = addressAtEnd(keccakOf(`upgrade ${token}`));
  const tries = [nobody, ...callers.map(({ address }) => address)].flatMap((caller) =>
    calls.map((data) => ({ caller, data })),
  );
  if (tries.length === 0) return undefined;
  const outcomes = await node.batch(
    tries.map(({ caller, data }) => ({
      method: 'eth_call',
      params: [{ from: caller, to: token, data, gas: GAS }, 'latest'],
    })),
  );
  const accepted = tries.filter((_one, i) => outcomes[i]?.ok);
  return accepted.find(
    ({ data }) => !accepted.some((one) => one.caller === nobody && one.data === data),
  );
};
