import { type ParseAbiItem, parseAbiItem, toEventSelector } from 'viem/utils';
import type { Hex } from '../chain/block.ts';
import type { Fact, TickDepth } from '../chain/fact.ts';
import { numberOf, quantityAt } from './hex.ts';
import type { RawLog } from './rawBlock.ts';

/**
 * Why a log is not a fact: `topic` is unknown, `erc721` is a Transfer with an indexed id, `shape` is a different
 * number of topics or bytes (the same signature with other indexing), `address` is a word that holds no address,
 * `amount` is a number outside its type or a tick that no pool has.
 */
export type IgnoredReason = 'topic' | 'erc721' | 'shape' | 'address' | 'amount';

/** A signed quantity: hexadecimal, with a leading minus if negative. */
export type SignedHex = Hex | `-${Hex}`;

/** The values that parameters of a type are read as. */
type ValueOf<Type> = Type extends 'uint24' | 'int24'
  ? number
  : Type extends 'bool'
    ? boolean
    : Type extends `int${string}`
      ? SignedHex
      : Hex;

type AbiEvent = Extract<ReturnType<typeof parseAbiItem>, { type: 'event' }>;

/** An event as declared in Solidity, followed by the `struct`s it uses. */
type Signature = string | readonly string[];

type Inputs<S extends Signature> =
  ParseAbiItem<S> extends { readonly inputs: infer I extends readonly unknown[] } ? I : never;
/** The parameters of an event, with structs expanded. */
type Flat<I extends readonly unknown[]> = I extends readonly [infer First, ...infer Rest]
  ? [
      ...(First extends { readonly components: infer C extends readonly unknown[] } ? C : [First]),
      ...Flat<Rest>,
    ]
  : [];
/** Values by parameter name; names that begin with `_` are not part of the fact. */
type Args<S extends Signature> = {
  readonly [P in Flat<Inputs<S>>[number] as P extends { readonly name: `_${string}` }
    ? never
    : P extends { readonly name: infer Name extends string }
      ? Name
      : never]: P extends { readonly type: infer Type } ? ValueOf<Type> : never;
};

/** Characters of `0x` and of one 32-byte word. */
const PREFIX = 2;
const WORD = 64;
const WORD_BITS = 256n;
const HEX_BITS = 4;
/** `TickMath.MAX_TICK` of Uniswap V3 and V4: the price 2^128. */
const TICK_MAX = 887_272;

const ZEROS = '0'.repeat(WORD);
const ONES = 'f'.repeat(WORD);
const zerosBefore = (bits: number): string => ZEROS.slice(bits / HEX_BITS);
const ADDRESS_ZEROS = zerosBefore(160);
const BOOL_ZEROS = ZEROS.slice(1);

/** The value of the word at an index; undefined if the word is not of the type. */
type Reader = (text: string, at: number) => unknown;

const unsigned = (bits: number): Reader => {
  const zeros = zerosBefore(bits);
  return (text, at) => (text.startsWith(zeros, at) ? quantityAt(text, at, at + WORD) : undefined);
};

const isNegative = (text: string, at: number): boolean => text.charCodeAt(at) > 0x37;

/** Whether a word is a sign-extended number of so many digits (two's complement). */
const isExtended = (text: string, at: number, digits: number): boolean => {
  const from = at + WORD - digits;
  return text.startsWith(isNegative(text, from) ? ONES.slice(digits) : ZEROS.slice(digits), at);
};

const signed =
  (bits: number): Reader =>
  (text, at) => {
    if (!isExtended(text, at, bits / HEX_BITS)) return undefined;
    if (!isNegative(text, at)) return quantityAt(text, at, at + WORD);
    const magnitude = (1n << WORD_BITS) - BigInt(`0x${text.slice(at, at + WORD)}`);
    return `-0x${magnitude.toString(16)}`;
  };

const readUint24: Reader = (text, at) =>
  text.startsWith(zerosBefore(24), at)
    ? Number.parseInt(text.slice(at + WORD - 6, at + WORD), 16)
    : undefined;

const readInt24: Reader = (text, at) => {
  if (!isExtended(text, at, 6)) return undefined;
  const value = Number.parseInt(text.slice(at + WORD - 6, at + WORD), 16);
  return value < 2 ** 23 ? value : value - 2 ** 24;
};

const readUint256: Reader = (text, at) => quantityAt(text, at, at + WORD);

const readTick: Reader = (text, at) => {
  const tick = readInt24(text, at);
  return typeof tick === 'number' && Math.abs(tick) <= TICK_MAX ? tick : undefined;
};

const READERS: Readonly<Record<string, Reader>> = {
  address: (text, at) =>
    text.startsWith(ADDRESS_ZEROS, at) ? `0x${text.slice(at + 24, at + WORD)}` : undefined,
  bytes32: (text, at) => `0x${text.slice(at, at + WORD)}`,
  uint256: readUint256,
  // Not part of a fact.
  uint96: readUint256,
  uint16: readUint256,
  uint160: unsigned(160),
  uint128: unsigned(128),
  uint112: unsigned(112),
  int256: signed(256),
  int128: signed(128),
  uint24: readUint24,
  int24: readInt24,
  bool: (text, at) => {
    const digit = text[at + WORD - 1];
    if (!text.startsWith(BOOL_ZEROS, at) || (digit !== '0' && digit !== '1')) return undefined;
    return digit === '1';
  },
  string: () => '',
};

/** Ticks have 24 bits and a smaller range; a tick spacing has no such range. */
const TICK_NAME = /^_?tick(Lower|Upper)?$/;

interface Parameter {
  readonly name: string;
  /** Index among the topics or the words of the data. */
  readonly index: number;
  readonly isTopic: boolean;
  readonly isInFact: boolean;
  readonly read: Reader;
  /** Why a log with a word of the wrong type is not a fact. */
  readonly otherwise: IgnoredReason;
}

const parametersOf = (inputs: AbiEvent['inputs']): Parameter[] => {
  let [topics, words] = [1, 0];
  const flat: AbiEvent['inputs'] = inputs.flatMap((input) =>
    'components' in input ? input.components : input,
  );
  return flat.map(({ name = '_', type, indexed: isTopic = false }) => {
    const index = isTopic ? topics++ : words++;
    const read = type === 'int24' && TICK_NAME.test(name) ? readTick : READERS[type];
    if (!read) throw new Error(`no log of a known event holds ${type}`);
    const otherwise = type === 'address' ? 'address' : 'amount';
    return { name, index, isTopic, isInFact: !name.startsWith('_'), read, otherwise };
  });
};

/**
 * Reads the values of one event; returns a reason if the log does not have its shape. It slices instead of
 * ABI-decoding: a log need not contain what its first topic promises, and nothing may throw.
 */
const logReader = (
  inputs: AbiEvent['inputs'],
): ((log: RawLog) => Record<string, unknown> | IgnoredReason) => {
  const parameters = parametersOf(inputs);
  const topicCount = parameters.filter(({ isTopic }) => isTopic).length;
  const length = PREFIX + WORD * (parameters.length - topicCount);
  const isDynamic = inputs.some(({ type }) => type === 'string');
  const hasShape = ({ topics, data: bytes }: RawLog): boolean =>
    topics.length === topicCount + 1 &&
    (bytes.length === length ||
      (isDynamic && bytes.length > length && (bytes.length - PREFIX) % WORD === 0));
  return (log) => {
    if (!hasShape(log)) return 'shape';
    const values: Record<string, unknown> = {};
    for (const { name, index, isTopic, isInFact, read, otherwise } of parameters) {
      const text = isTopic ? (log.topics[index] as string) : log.data;
      if (isTopic && text.length !== PREFIX + WORD) return 'shape';
      const value = read(text, isTopic ? PREFIX : PREFIX + WORD * index);
      if (value === undefined) return otherwise;
      if (isInFact) values[name] = value;
    }
    return values;
  };
};

/** Position of a log in its block. */
export interface Place {
  readonly txHash: Hex;
  readonly txIndex: number;
  readonly logIndex: number;
}

const placeOf = (log: RawLog): Place => ({
  txHash: log.transactionHash,
  txIndex: numberOf(log.transactionIndex),
  logIndex: numberOf(log.logIndex),
});

/** One event of a protocol as declared, and how its logs are read. */
export interface EventDecoder {
  readonly abi: AbiEvent;
  /** Keccak-256 of the signature. */
  readonly topic: Hex;
  /** The values of a log by parameter name, or why it has none. */
  read(log: RawLog): Record<string, unknown> | IgnoredReason;
  decode(log: RawLog): Fact | IgnoredReason;
}

/**
 * An event by its declaration, whose values become a fact. Parameters have the names of the fact's fields; those that
 * are not part of the fact begin with `_`.
 */
export const eventDecoder = <const S extends Signature>(
  signature: S,
  factOf: (args: Args<S>, log: RawLog, place: Place) => Fact | IgnoredReason,
): EventDecoder => {
  const abi = parseAbiItem(signature as readonly string[]) as AbiEvent;
  const read = logReader(abi.inputs);
  return {
    abi,
    topic: toEventSelector(abi),
    read,
    decode: (log) => {
      const values = read(log);
      return typeof values === 'string' ? values : factOf(values as Args<S>, log, placeOf(log));
    },
  };
};

/** An amount of zero. */
export const NOTHING: Hex = '0x0';

/** Positive amounts came in, negative amounts went out. */
export const inAndOut = (amount: SignedHex): { readonly in: Hex; readonly out: Hex } =>
  amount.startsWith('-')
    ? { in: NOTHING, out: amount.slice(1) as Hex }
    : { in: amount as Hex, out: NOTHING };

/** A trade from the pool's gain of either side. */
export const poolGains = (signed0: SignedHex, signed1: SignedHex) => {
  const [side0, side1] = [inAndOut(signed0), inAndOut(signed1)];
  return { amount0In: side0.in, amount1In: side1.in, amount0Out: side0.out, amount1Out: side1.out };
};

/** Price and depth after a trade. */
export const depthOf = ({ sqrtPriceX96, tick, liquidity }: TickDepth): TickDepth => {
  return { sqrtPriceX96, tick, liquidity };
};
