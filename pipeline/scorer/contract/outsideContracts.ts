import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { codePatterns, disassemble, namedAddresses } from './codePatterns.ts';
import type { ContractProfile, PrivilegedCaller } from './contractProfile.ts';
import { heldBy, readContract } from './contractState.ts';
import { kindsOfHolders } from './privilegeHolders.ts';
import { type CodeFunction, codeFunctions } from './probeCalls.ts';
import { hashesCompared, type SecretCode, secretCode } from './secrets.ts';

/** A contract whose functions are simulated, and the callers. */
export interface Target {
  readonly address: Hex;
  readonly functions: readonly CodeFunction[];
  readonly callers: readonly PrivilegedCaller[];
  readonly secrets: SecretCode;
}

/** A contract besides the token, the kinds of accounts that only it names, and whether it names anybody. */
interface OutsideTarget extends Target, Pick<ContractProfile, 'holders'> {
  readonly isRuled: boolean;
}

/** Known data of a token from its code and its creation. */
interface Asking {
  readonly token: Hex;
  /** Whether, by its code, a transfer asks another contract about the sender. */
  readonly asksOthers: boolean;
  /** Contracts that its transfers touch. */
  readonly touched?: ReadonlySet<Hex>;
  /** Contracts to which its code gives a power. */
  readonly powerful?: ReadonlySet<Hex>;
  /** Accounts that its creation names. */
  readonly born?: readonly Hex[];
}

/** Contracts examined: a token also names a router, a pool and a treasury. */
const LOOKED_AT_MAX = 6;
/** Contracts that are simulated: each costs as many calls as the token itself. */
const OUTSIDE_MAX = 2;
/** Accounts that control such a contract but are unknown to the token, simulated as callers. */
const RULERS_MAX = 2;

/**
 * The contract with those callers that its owner, its first variables or its code name. If it names the token too, it
 * serves the token or may be called by it; then other accounts that it names are included, because they control what
 * it stores or answers. A contract with a power over the token, or touched by its transfers, is simulated with all
 * insiders as callers, because its controller may be stored invisibly. Undefined if nobody controls it.
 */
const readRuled = async (
  node: ChainNode,
  address: Hex,
  { token, asksOthers, touched, powerful, born = [] }: Asking,
  callers: readonly PrivilegedCaller[],
): Promise<OutsideTarget | undefined> => {
  const found = await readContract(node, address);
  if (!found) return undefined;
  const { state, code } = found;
  const instructions = disassemble(code);
  const inCode = namedAddresses(instructions);
  const named = new Set([state.owner.address, ...state.stored, ...inCode]);
  const isPowerful = powerful?.has(address) === true || touched?.has(address) === true;
  const own = callers.filter(
    (caller) => caller.address !== address && (isPowerful || named.has(caller.address)),
  );
  const { comparedCallers } = codePatterns(instructions);
  const others = [heldBy(state.owner) ?? [], comparedCallers, state.stored, isPowerful ? born : []]
    .flat()
    .filter((one) => one !== token && !own.some((caller) => caller.address === one));
  const kinds = await kindsOfHolders(
    node,
    isPowerful || asksOthers || named.has(token) ? [...new Set(others)] : [],
  );
  const holders = [...kinds]
    .map(([account, kind]) => ({ address: account, kind }))
    .filter(({ kind }) => kind === 'wallet' || kind === 'unknown')
    .slice(0, RULERS_MAX);
  const rulers = holders.map((one): PrivilegedCaller => {
    return { address: one.address, origin: inCode.includes(one.address) ? 'code' : 'storage' };
  });
  const secrets = secretCode(address, found, hashesCompared(instructions));
  return own.length + rulers.length > 0
    ? {
        address,
        functions: codeFunctions(code),
        callers: [...own, ...rulers],
        secrets,
        holders,
        isRuled: rulers.length > 0 || own.some((caller) => named.has(caller.address)),
      }
    : undefined;
};

/**
 * Controlled contracts that the token names: a token that asks another contract who may sell, for what fee, or who
 * has how much, is in the hands of that contract's controller.
 * @param named contracts in the token's code and storage, those without another role
 */
export const readOutside = async (
  node: ChainNode,
  asking: Asking,
  named: readonly Hex[],
  callers: readonly PrivilegedCaller[],
): Promise<OutsideTarget[]> => {
  // Those with a power come first, then those that transfers touch.
  const rank = (one: Hex): number =>
    2 * Number(asking.powerful?.has(one) === true) + Number(asking.touched?.has(one) === true);
  const looked = named.toSorted((a, b) => rank(b) - rank(a)).slice(0, LOOKED_AT_MAX);
  const found = await Promise.all(looked.map((one) => readRuled(node, one, asking, callers)));
  return found
    .flatMap((one) => one ?? [])
    .toSorted((a, b) => Number(b.isRuled) - Number(a.isRuled))
    .slice(0, OUTSIDE_MAX);
};
