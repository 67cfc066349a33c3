import type { Hex } from '../../../shared/chain/block.ts';
import { keccakOf } from '../../../shared/encode/evmCode.ts';

/** How a proxy names the contract whose code it runs. */
export type ProxyKind = 'eip1167' | 'eip1967' | 'beacon' | 'eip1822' | 'zeppelin';

const lessOne = (hash: Hex): Hex => `0x${(BigInt(hash) - 1n).toString(16).padStart(64, '0')}`;

/**
 * Storage slots that hold the implementation, in the order they are believed.
 * EIP-1967: keccak-256 of a name, less one. EIP-1822: keccak-256 of "PROXIABLE". ZeppelinOS proxies
 * came before both.
 */
export const IMPLEMENTATION_SLOTS: readonly { readonly kind: ProxyKind; readonly slot: Hex }[] = [
  { kind: 'eip1967', slot: lessOne(keccakOf('eip1967.proxy.implementation')) },
  { kind: 'beacon', slot: lessOne(keccakOf('eip1967.proxy.beacon')) },
  { kind: 'eip1822', slot: keccakOf('PROXIABLE') },
  { kind: 'zeppelin', slot: keccakOf('org.zeppelinos.proxy.implementation') },
];

/** EIP-1967: who may replace the implementation. */
export const ADMIN_SLOT: Hex = lessOne(keccakOf('eip1967.proxy.admin'));

const ADDRESS = '([0-9a-f]{40})';
/**
 * Code that does nothing but run another contract's: EIP-1167, its form with PUSH0 and those with
 * arguments behind the code, as Solady and OpenZeppelin make them.
 */
const MINIMAL_PROXIES: readonly RegExp[] = [
  new RegExp(`^363d3d373d3d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`),
  new RegExp(`^365f5f375f5f365f73${ADDRESS}5af43d5f5f3e5f3d91602a57fd5bf3`),
  new RegExp(`^3d3d3d3d363d3d37363d73${ADDRESS}5af43d3d93803e602a57fd5bf3`),
  new RegExp(`^363d3d373d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`),
];

/** The contract that a minimal proxy runs, read from its code. Undefined for other code. */
export const minimalProxyTarget = (code: Hex): Hex | undefined => {
  const digits = code.slice(2).toLowerCase();
  for (const pattern of MINIMAL_PROXIES) {
    const target = pattern.exec(digits)?.[1];
    if (target) return `0x${target}`;
  }
  return undefined;
};

const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;
const ZERO = '0'.repeat(40);

/** The address in a storage word or an answer; undefined for zero and for anything else. */
export const addressInWord = (word: unknown): Hex | undefined => {
  if (typeof word !== 'string') return undefined;
  const digits = ADDRESS_WORD.exec(word.toLowerCase())?.[1];
  return digits === undefined || digits === ZERO ? undefined : `0x${digits}`;
};
