import type { AbiParameter as Parameter } from 'viem';
import {
  decodeAbiParameters,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  toBytes,
  toFunctionSelector,
} from 'viem/utils';
import type { Hex } from '../../../shared/chain/block.ts';

/** The maximum number, also used for unlimited approvals. */
export const WORD_MAX = 2n ** 256n - 1n;

/** First four bytes of keccak-256 of a signature such as `transfer(address,uint256)`. */
export const selectorOf = (signature: string): Hex => toFunctionSelector(signature);

/** keccak-256 of bytes, or of a text as UTF-8. */
export const keccakOf = (data: Uint8Array | string): Hex =>
  keccak256(typeof data === 'string' ? toBytes(data) : data);

/** keccak-256 of the bytes behind hexadecimal digits. */
export const keccakOfHex = (data: Hex): Hex => keccak256(data);

/** Who reverted, in which function, with what data, and its meaning. */
const WRAPPED_ERROR = parseAbiParameters('address, bytes4, bytes, bytes');

/**
 * The content of a forwarded revert (ERC-7751), after its selector. Undefined if it is none: anyone can revert with
 * anything.
 */
export const decodeWrappedError = (body: Hex): { reason: Hex; details: Hex } | undefined => {
  try {
    const [, , reason, details] = decodeAbiParameters(WRAPPED_ERROR, body);
    return { reason, details };
  } catch {
    return undefined;
  }
};

/** A call's data. Undefined if a type is invalid or a value does not fit it. */
export const encodeCallData = (
  selector: Hex,
  types: readonly string[],
  values: readonly unknown[],
): Hex | undefined => {
  try {
    const parameters: Parameter[] = types.map((type) => ({ type }));
    return `${selector}${encodeAbiParameters(parameters, values).slice(2)}`;
  } catch {
    // The types may be guesses from code: if they make no sense, there is no call.
    return undefined;
  }
};

const WORD_DIGITS = 64;
const WORDS = /^0x(?:[0-9a-fA-F]{64})+$/;

/** A call's data: a selector, then addresses and unsigned numbers as ABI words of 32 bytes. */
export const encodeCall = (selector: Hex, ...values: readonly (Hex | bigint)[]): Hex => {
  const words = values.map((value) =>
    (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(WORD_DIGITS, '0'),
  );
  return `${selector}${words.join('')}`;
};

/**
 * The first `count` words of a result as numbers; undefined if it has fewer or is not hexadecimal. Further data is
 * ignored, as contracts that read a result do.
 */
export const decodeWords = (answer: string, count: number): bigint[] | undefined => {
  const head = answer.slice(0, 2 + count * WORD_DIGITS);
  if (head.length < 2 + count * WORD_DIGITS || !WORDS.test(head)) return undefined;
  return Array.from({ length: count }, (_, i) =>
    BigInt(`0x${head.slice(2 + i * WORD_DIGITS, 2 + (i + 1) * WORD_DIGITS)}`),
  );
};

const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;
const ZERO = '0'.repeat(40);

/** The address in a storage word or a result; undefined for zero and for anything else. */
export const addressInWord = (word: unknown): Hex | undefined => {
  if (typeof word !== 'string') return undefined;
  const digits = ADDRESS_WORD.exec(word.toLowerCase())?.[1];
  return digits === undefined || digits === ZERO ? undefined : `0x${digits}`;
};

/** A number in JSON-RPC notation. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
