import {
  encodeAbiParameters,
  keccak256,
  type AbiParameter as Parameter,
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
