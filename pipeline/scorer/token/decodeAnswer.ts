const WORD_HEX = 64;
/** Bytes of text that are examined: far more than any honest name. */
const TEXT_BYTES_MAX = 1_024;
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

const word = (hex: string, index: number): string | undefined => {
  const digits = hex.slice(2 + index * WORD_HEX, 2 + (index + 1) * WORD_HEX);
  return digits.length === WORD_HEX ? digits : undefined;
};

const smallInteger = (digits: string | undefined, max: number): number | undefined => {
  if (digits === undefined) return undefined;
  const value = BigInt(`0x${digits}`);
  return value <= BigInt(max) ? Number(value) : undefined;
};

const utf8 = (digits: string): string => Buffer.from(digits, 'hex').toString('utf8');

/**
 * Text returned by `name()` or `symbol()`: an ABI string, or a zero-padded bytes32 as in early tokens. Undefined if
 * the bytes are neither.
 */
export const decodeText = (answer: string): string | undefined => {
  if (!HEX.test(answer)) return undefined;
  const first = word(answer, 0);
  if (first === undefined) return undefined;
  if (answer.length === 2 + WORD_HEX) return utf8(first.replace(/(?:00)+$/, ''));
  const offset = smallInteger(first, answer.length);
  if (offset === undefined || offset % 32 !== 0) return undefined;
  const length = smallInteger(word(answer, offset / 32), answer.length);
  if (length === undefined) return undefined;
  const start = 2 + offset * 2 + WORD_HEX;
  if (start + length * 2 > answer.length) return undefined;
  return utf8(answer.slice(start, start + Math.min(length, TEXT_BYTES_MAX) * 2));
};

/** A uint256 result of exactly one word, as a hexadecimal quantity. */
export const decodeUint = (answer: string): `0x${string}` | undefined => {
  if (!HEX.test(answer) || answer.length !== 2 + WORD_HEX) return undefined;
  return `0x${BigInt(answer).toString(16)}`;
};

/** `decimals()`: a number from 0 to 255. */
export const decodeDecimals = (answer: string): number | undefined => {
  const value = decodeUint(answer);
  return value === undefined ? undefined : smallInteger(value.slice(2), 255);
};
