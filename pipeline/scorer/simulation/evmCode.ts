import {
  decodeAbiParameters,
  encodeAbiParameters,
  keccak256,
  type AbiParameter as Parameter,
  parseAbiParameters,
  toBytes,
  toFunctionSelector,
} from 'viem';
import type { Hex } from '../../../shared/chain/block.ts';

/** First four bytes of keccak-256 of a signature such as `transfer(address,uint256)`. */
export const selectorOf = (signature: string): Hex => toFunctionSelector(signature);

/** keccak-256 of bytes, or of a text as UTF-8. */
export const keccakOf = (data: Uint8Array | string): Hex =>
  keccak256(typeof data === 'string' ? toBytes(data) : data);

/** keccak-256 of the bytes behind hexadecimal digits. */
export const keccakOfHex = (data: Hex): Hex => keccak256(data);

/** Who reverted, in which function, with what, and what that means. */
const WRAPPED_ERROR = parseAbiParameters('address, bytes4, bytes, bytes');

/** What a revert that was passed on (ERC-7751) holds, behind its selector. Undefined where it is none: anyone can revert with anything. */
export const decodeWrappedError = (body: Hex): { reason: Hex; details: Hex } | undefined => {
  try {
    const [, , reason, details] = decodeAbiParameters(WRAPPED_ERROR, body);
    return { reason, details };
  } catch {
    return undefined;
  }
};

/** A call's data. Undefined where a type is none or a value does not fit it. */
export const encodeCallData = (
  selector: Hex,
  types: readonly string[],
  values: readonly unknown[],
): Hex | undefined => {
  try {
    const parameters: Parameter[] = types.map((type) => ({ type }));
    return `${selector}${encodeAbiParameters(parameters, values).slice(2)}`;
  } catch {
    // The types may be guesses from code: that they make no sense is the answer.
    return undefined;
  }
};
