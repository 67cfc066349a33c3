import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { ContractProfile } from './contractProfile.ts';
import { addressInWord, type ContractState, codeOf } from './contractState.ts';

/** First four bytes of keccak-256 of "implementation()": EIP-1967, beacons. */
const BEACON_IMPLEMENTATION = '0x5c60da1b';
const BEACON_GAS = '0x7a120';

/** The proxy with the contract behind it, its code included. */
export const followProxy = async (
  node: ChainNode,
  { implementation: found, admin, code }: ContractState,
): Promise<{ proxy: ContractProfile['proxy']; code: Hex }> => {
  if (!found) return { proxy: null, code };
  let implementation = found.implementation;
  if (found.kind === 'beacon') {
    const [answer] = await node.batch([
      {
        method: 'eth_call',
        params: [{ to: implementation, data: BEACON_IMPLEMENTATION, gas: BEACON_GAS }, 'latest'],
      },
    ]);
    implementation = addressInWord(answer?.ok ? answer.result : undefined) ?? implementation;
  }
  const [answer] = await node.batch([
    { method: 'eth_getCode', params: [implementation, 'latest'] },
  ]);
  const behind = codeOf(answer);
  const proxy = { ...found, implementation, admin: admin ?? null };
  return { proxy: behind ? proxy : null, code: behind ?? code };
};
