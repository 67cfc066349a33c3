import { keccakOfHex } from '../../simulation/evmCode.ts';
import type { Expression } from './expressions.ts';
import { partsOf } from './places.ts';

/**
 * Where it is kept who has a privilege. `stored`: in a slot of storage, that many bits from its end. `entered`: under
 * the account, in a mapping. `fixed`: in the code. `answered`: another contract is asked.
 */
export type Holder =
  | { readonly kind: 'stored'; readonly slot: bigint; readonly shift: number }
  | { readonly kind: 'entered'; readonly slotOf: (account: bigint) => bigint | undefined }
  | { readonly kind: 'fixed'; readonly account: bigint }
  | { readonly kind: 'answered' };

const ADDRESS_MAX = 1n << 160n;
const WORD_DIGITS = 64;

/** The number that an expression comes to for one caller; undefined where something else is unknown. */
const evaluate = (one: Expression, caller: bigint): bigint | undefined => {
  if (one.value !== undefined) return one.value;
  if (one.operator === 'caller' || one.operator === 'origin') return caller;
  const operands = one.operands.map((operand) => evaluate(operand, caller));
  if (operands.length === 0 || operands.includes(undefined)) return undefined;
  const known = operands.map((operand) => operand ?? 0n);
  const [a = 0n, b = 0n] = known;
  switch (one.operator) {
    case 'keccak': {
      const words = known.map((word) => word.toString(16).padStart(WORD_DIGITS, '0'));
      return BigInt(keccakOfHex(`0x${words.join('')}`));
    }
    case 'add':
      return BigInt.asUintN(256, a + b);
    case 'and':
      return a & b;
    default:
      return undefined;
  }
};

/** Who must be the caller, where a path compares it with this. */
export const holderOf = (account: Expression): Holder => {
  if (account.value !== undefined && account.value < ADDRESS_MAX) {
    return { kind: 'fixed', account: account.value };
  }
  const parts = partsOf(account);
  const read = parts.find(({ operator }) => operator === 'sload');
  const slot = read?.operands[0]?.value;
  if (slot === undefined) return { kind: 'answered' };
  const divisor = parts.find(({ operator }) => operator === 'div')?.operands[1]?.value ?? 1n;
  return { kind: 'stored', slot, shift: divisor.toString(2).length - 1 };
};

/** Who has an entry in a mapping, by the read of the caller's own. */
export const enteredUnder = (read: Expression): Holder => {
  const [slot] = read.operands;
  return {
    kind: 'entered',
    slotOf: (account) => (slot ? evaluate(slot, account) : undefined),
  };
};
