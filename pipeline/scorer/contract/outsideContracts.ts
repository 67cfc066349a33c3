import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { disassemble, namedAddresses } from './codePatterns.ts';
import type { PrivilegedCaller } from './contractProfile.ts';
import { readContract } from './contractState.ts';
import { type CodeFunction, codeFunctions } from './probeCalls.ts';

/** A contract whose functions are tried, and as whom. */
export interface Target {
  readonly address: Hex;
  readonly functions: readonly CodeFunction[];
  readonly callers: readonly PrivilegedCaller[];
}

/** Contracts that are looked at: a token names a router, a pool and a treasury besides. */
const LOOKED_AT_MAX = 6;
/** Contracts that are tried: each costs as many calls as the token itself. */
const OUTSIDE_MAX = 2;

/** The contract with those of the callers whom its owner, its first variables or its code name; undefined where it names none. */
const readRuled = async (
  node: ChainNode,
  address: Hex,
  callers: readonly PrivilegedCaller[],
): Promise<Target | undefined> => {
  const found = await readContract(node, address);
  if (!found) return undefined;
  const { state, code } = found;
  const named = namedAddresses(disassemble(code));
  const rulers = new Set([state.owner.address, ...state.stored, ...named]);
  const own = callers.filter((caller) => rulers.has(caller.address));
  return own.length > 0 ? { address, functions: codeFunctions(code), callers: own } : undefined;
};

/**
 * Contracts that the token names and those behind it rule: a token that asks another contract who may sell, and for what fee, is as much in
 * the hands of whoever rules that one.
 * @param named contracts in the token's code and storage, those without another role
 */
export const readOutside = async (
  node: ChainNode,
  named: readonly Hex[],
  callers: readonly PrivilegedCaller[],
): Promise<Target[]> => {
  if (callers.length === 0) return [];
  const looked = named.slice(0, LOOKED_AT_MAX);
  const found = await Promise.all(looked.map((one) => readRuled(node, one, callers)));
  return found.flatMap((one) => one ?? []).slice(0, OUTSIDE_MAX);
};
