import type { Hex } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import { numberOf, quantityAt } from './hex.ts';
import type { RawLog } from './rawBlock.ts';

/**
 * Why a log is no fact: `topic` is none of ours, `erc721` a Transfer with an indexed id, `shape`
 * another number of topics or bytes (the same signature with other indexing), `address` a word that
 * holds no address, `amount` a number outside its type or of a tick that no pool has.
 */
export type IgnoredReason = 'topic' | 'erc721' | 'shape' | 'address' | 'amount';

/** A signed quantity: hexadecimal with a minus before it where it is negative. */
export type SignedHex = Hex | `-${Hex}`;

/** What each type of a word is read as. */
interface Values {
  address: Hex;
  bytes32: Hex;
  uint256: Hex;
  uint160: Hex;
  uint128: Hex;
  uint112: Hex;
  int256: SignedHex;
  int128: SignedHex;
  uint24: number;
  /** An int24 within the ticks that a pool can have. */
  tick: number;
  int24: number;
  bool: boolean;
  /** A dynamic value: it is not looked at. */
  string: string;
}
type Type = keyof Values;
type ReadValues<T extends readonly Type[]> = { readonly [K in keyof T]: Values[T[K]] };

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

/** The value of the word at a place of a text; undefined where it holds none of the type. */
type Reader = (text: string, at: number) => unknown;

const unsigned = (bits: number): Reader => {
  const zeros = zerosBefore(bits);
  return (text, at) => (text.startsWith(zeros, at) ? quantityAt(text, at, at + WORD) : undefined);
};

const isNegative = (text: string, at: number): boolean => text.charCodeAt(at) > 0x37;

/** Whether a word is the sign extension of so many digits: two's complement. */
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

const READERS: Readonly<Record<Type, Reader>> = {
  address: (text, at) =>
    text.startsWith(ADDRESS_ZEROS, at) ? `0x${text.slice(at + 24, at + WORD)}` : undefined,
  bytes32: (text, at) => `0x${text.slice(at, at + WORD)}`,
  uint256: (text, at) => quantityAt(text, at, at + WORD),
  uint160: unsigned(160),
  uint128: unsigned(128),
  uint112: unsigned(112),
  int256: signed(256),
  int128: signed(128),
  uint24: readUint24,
  int24: readInt24,
  tick: (text, at) => {
    const tick = readInt24(text, at);
    return typeof tick === 'number' && Math.abs(tick) <= TICK_MAX ? tick : undefined;
  },
  bool: (text, at) => {
    const digit = text[at + WORD - 1];
    if (!text.startsWith(BOOL_ZEROS, at) || (digit !== '0' && digit !== '1')) return undefined;
    return digit === '1';
  },
  string: () => '',
};

const reasonOf = (type: Type | undefined): IgnoredReason =>
  type === 'address' ? 'address' : 'amount';

/** Reads the values of one event; a log that is not shaped like it has a reason instead. */
type LogReader<T extends readonly Type[]> = (log: RawLog) => ReadValues<T> | IgnoredReason;

/**
 * The reader of an event by the types of its indexed arguments, then of the others, each in order. Slices, never
 * ABI-decodes: a log that the chain shows is not trusted to hold what its first topic promises, and nothing throws.
 */
const logReader = <const I extends readonly Type[], const D extends readonly Type[]>(
  indexed: I,
  data: D,
): LogReader<[...I, ...D]> => {
  const types: readonly Type[] = [...indexed, ...data];
  const readers = types.map((type) => READERS[type]);
  const topicCount = indexed.length;
  const isDynamic = data.includes('string');
  const length = PREFIX + WORD * data.length;
  const hasShape = ({ topics, data: bytes }: RawLog): boolean =>
    topics.length === topicCount + 1 &&
    (bytes.length === length ||
      (isDynamic && bytes.length > length && (bytes.length - PREFIX) % WORD === 0));
  return (log) => {
    if (!hasShape(log)) return 'shape';
    const values: unknown[] = [];
    for (let i = 0; i < readers.length; i += 1) {
      const isTopic = i < topicCount;
      const text = isTopic ? (log.topics[i + 1] as string) : log.data;
      if (isTopic && text.length !== PREFIX + WORD) return 'shape';
      const value = readers[i]?.(text, isTopic ? PREFIX : PREFIX + WORD * (i - topicCount));
      if (value === undefined) return reasonOf(types[i]);
      values.push(value);
    }
    return values as unknown as ReadValues<[...I, ...D]>;
  };
};

/** Where a log stands in its block. */
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

/** One event of a protocol: its first topic, and what a log with it says. */
export interface EventDecoder {
  /** Keccak-256 of the signature. */
  readonly topic: Hex;
  decode(log: RawLog): Fact | IgnoredReason;
}

/** An event whose values, indexed ones first, are made a fact. */
export const eventDecoder = <const I extends readonly Type[], const D extends readonly Type[]>(
  topic: Hex,
  indexed: I,
  data: D,
  factOf: (values: ReadValues<[...I, ...D]>, log: RawLog, place: Place) => Fact | IgnoredReason,
): EventDecoder => {
  const read = logReader(indexed, data);
  return {
    topic,
    decode: (log) => {
      const values = read(log);
      return typeof values === 'string' ? values : factOf(values, log, placeOf(log));
    },
  };
};

const NOTHING: Hex = '0x0';

/** What came in where it is positive, and what went out where it is negative. */
export const inAndOut = (amount: SignedHex): { readonly in: Hex; readonly out: Hex } =>
  amount.startsWith('-')
    ? { in: NOTHING, out: amount.slice(1) as Hex }
    : { in: amount as Hex, out: NOTHING };
