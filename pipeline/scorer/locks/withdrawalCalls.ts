import type { Hex } from '../../../shared/chain/block.ts';
import type { CodeFunction, ProbeCall } from '../contract/probeCalls.ts';
import { encodeCallData, selectorOf } from '../simulation/evmCode.ts';

/** Values for the arguments of a withdrawal. */
export interface LockTerms {
  readonly asset: Hex;
  readonly lockId: bigint;
  /** Raw units; of a position its id. */
  readonly amount: bigint;
}

/** Common names of functions that pay out: these are tried first. */
const WITHDRAWALS: readonly Hex[] = [
  'withdraw(uint256,uint256)',
  'withdraw(address,uint256,uint256,uint256)',
  'withdraw(uint256,address)',
  'withdraw(uint256)',
  'withdrawTokens(uint256,uint256)',
  'withdrawTokens(uint256)',
  'unlock(uint256)',
].map(selectorOf);

/** Functions of a locker that are tried, and argument combinations per function. */
const FUNCTIONS_TRIED_MAX = 32;
const WAYS_MAX = 6;
const ARGUMENTS_MAX = 6;
const UINT = /^u?int(\d{0,3})$/;

/** Numbers in the order in which lockers take them: lock id, amount, index in a list. */
const numbersFor = (count: number, { lockId, amount }: LockTerms): bigint[][] => {
  if (count === 1) return [[lockId], [amount], [0n]];
  if (count === 2) {
    return [
      [lockId, amount],
      [amount, lockId],
      [0n, amount],
    ];
  }
  const rest = Array.from({ length: Math.max(0, count - 3) }, () => 0n);
  return [
    [0n, lockId, amount, ...rest],
    [lockId, amount, 0n, ...rest],
  ];
};

const addressesFor = (count: number, { asset }: LockTerms, caller: Hex): Hex[][] => {
  const callers = Array.from({ length: count }, () => caller);
  if (count === 0) return [[]];
  return [[asset, ...callers.slice(1)], callers, [...callers.slice(1), asset]];
};

const valuesOf = (
  types: readonly string[],
  numbers: readonly bigint[],
  addresses: readonly Hex[],
): unknown[] => {
  const [nextNumber, nextAddress] = [numbers.values(), addresses.values()];
  return types.map((type) => {
    const bits = UINT.exec(type)?.[1];
    if (type === 'address') return nextAddress.next().value;
    if (bits === undefined) return { bool: true, bytes: '0x', string: '' }[type];
    const max = 2n ** BigInt(bits === '' ? 256 : Number(bits)) - 1n;
    const number = nextNumber.next().value ?? 0n;
    return number > max ? max : number;
  });
};

const callsOf = (
  { selector, arguments: text }: CodeFunction,
  terms: LockTerms,
  caller: Hex,
): ProbeCall[] => {
  const types = text === '' ? [] : text.split(',');
  if (types.length > ARGUMENTS_MAX || text.includes('(')) return [];
  const numbers = types.filter((type) => UINT.test(type)).length;
  const addresses = types.filter((type) => type === 'address').length;
  const encoded = (numbers === 0 ? [[]] : numbersFor(numbers, terms)).flatMap((some) =>
    addressesFor(addresses, terms, caller).flatMap(
      (others) => encodeCallData(selector, types, valuesOf(types, some, others)) ?? [],
    ),
  );
  return [...new Set(encoded)].slice(0, WAYS_MAX).map((data) => ({ selector, data }));
};

const rankOf = ({ selector }: CodeFunction): number => {
  const at = WITHDRAWALS.indexOf(selector);
  return at < 0 ? WITHDRAWALS.length : at;
};

/**
 * Calls that may withdraw a lock, as a caller makes them; those with a common name first. Every function that writes
 * is tried, because an emergency exit can have any name.
 */
export const withdrawalCalls = (
  functions: readonly CodeFunction[],
  terms: LockTerms,
  caller: Hex,
): ProbeCall[] =>
  functions
    .filter(({ writes }) => writes)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, FUNCTIONS_TRIED_MAX)
    .flatMap((one) => callsOf(one, terms, caller));
