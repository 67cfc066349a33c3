import assert from 'node:assert/strict';
import type { Hex } from '../chain/block.ts';
import type { Clickhouse } from './clickhouse.ts';

/**
 * Initial buffer size: inserts at the head have few rows. With 64 KiB each, V8 ran full garbage collections twice as
 * often, 30 ms each time.
 */
const CAPACITY_BYTES_MIN = 4 * 1024;
/** Bytes of a LEB128 length up to 2^35. */
const VARINT_BYTES_MAX = 5;
const UINT256_BYTES = 32;
/** Characters of `0x`. */
const DIGITS_FROM = 2;

/**
 * Writes rows in ClickHouse's RowBinary format: values back to back, little endian, without separators. Format:
 * https://clickhouse.com/docs/interfaces/formats/RowBinary
 */
export interface RowWriter {
  uint8(value: number): void;
  uint16(value: number): void;
  int16(value: number): void;
  uint32(value: number): void;
  int32(value: number): void;
  /** Negative values become those of an Int64. */
  uint64(value: number): void;
  /** Unsigned 256-bit integer given as a hexadecimal quantity. */
  uint256(quantity: Hex): void;
  /** FixedString with the length of the hexadecimal text. */
  fixed(text: Hex): void;
  float64(value: number): void;
  /** UTF-8 text, prefixed with its length. */
  string(text: string): void;
  /** Length of an Array: write as many values after it. */
  length(count: number): void;
  /** A Nullable value, written by `write` if present. */
  nullable<T>(value: T | null | undefined, write: (value: T) => void): void;
  /** Everything written so far. */
  finish(): Uint8Array;
}

/**
 * Writes hexadecimal digits as bytes, in order.
 * @throws AssertionError if they are not digits or have another length: a wrong byte must not silently reach a table
 */
const putDigits = (buffer: Buffer, begin: number, digits: string, bytes: number): void => {
  const isWhole = digits.length === bytes * 2 && buffer.write(digits, begin, 'hex') === bytes;
  assert.ok(isWhole, 'a row holds whole bytes of hexadecimal digits only');
};

/** Writes a quantity in little endian, padded with zeros. */
const putQuantity = (buffer: Buffer, begin: number, quantity: Hex): void => {
  const digits = quantity.slice(DIGITS_FROM).padStart(UINT256_BYTES * 2, '0');
  putDigits(buffer, begin, digits, UINT256_BYTES);
  buffer.subarray(begin, begin + UINT256_BYTES).reverse();
};

/**
 * Writes a LEB128 length.
 * @returns where the next value begins
 */
const putVarint = (buffer: Buffer, begin: number, value: number): number => {
  let at = begin;
  let rest = value;
  while (rest >= 0x80) {
    buffer[at] = (rest % 0x80) | 0x80;
    at += 1;
    rest = Math.floor(rest / 0x80);
  }
  buffer[at] = rest;
  return at + 1;
};

const grown = (buffer: Buffer, bytesMin: number): Buffer<ArrayBuffer> => {
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, bytesMin));
  buffer.copy(larger);
  return larger;
};

const isNone = (value: unknown): value is null | undefined => value === null || value === undefined;

/** A writer that grows as needed. */
export const createRowWriter = (): RowWriter => {
  let buffer = Buffer.allocUnsafe(CAPACITY_BYTES_MIN);
  let at = 0;
  const reserve = (bytes: number): void => {
    if (at + bytes > buffer.length) buffer = grown(buffer, at + bytes);
  };
  /** Reserves space for a value. @returns its offset */
  const take = (bytes: number): number => {
    reserve(bytes);
    at += bytes;
    return at - bytes;
  };
  return {
    uint8: (value) => {
      const begin = take(1);
      buffer[begin] = value;
    },
    uint16: (value) => {
      const begin = take(2);
      buffer.writeUInt16LE(value, begin);
    },
    int16: (value) => {
      const begin = take(2);
      buffer.writeInt16LE(value, begin);
    },
    uint32: (value) => {
      const begin = take(4);
      buffer.writeUInt32LE(value, begin);
    },
    int32: (value) => {
      const begin = take(4);
      buffer.writeInt32LE(value, begin);
    },
    uint64: (value) => {
      const begin = take(8);
      const low = value >>> 0;
      buffer.writeUInt32LE(low, begin);
      buffer.writeInt32LE((value - low) / 0x1_0000_0000, begin + 4);
    },
    uint256: (quantity) => {
      const begin = take(UINT256_BYTES);
      putQuantity(buffer, begin, quantity);
    },
    fixed: (text) => {
      const bytes = (text.length - DIGITS_FROM) >> 1;
      const begin = take(bytes);
      putDigits(buffer, begin, text.slice(DIGITS_FROM), bytes);
    },
    float64: (value) => {
      const begin = take(8);
      buffer.writeDoubleLE(value, begin);
    },
    string: (text) => {
      const length = Buffer.byteLength(text);
      reserve(length + VARINT_BYTES_MAX);
      at = putVarint(buffer, at, length);
      at += buffer.write(text, at, length, 'utf8');
    },
    length: (count) => {
      reserve(VARINT_BYTES_MAX);
      at = putVarint(buffer, at, count);
    },
    nullable: (value, write) => {
      const begin = take(1);
      buffer[begin] = isNone(value) ? 1 : 0;
      if (!isNone(value)) write(value);
    },
    finish: () => buffer.subarray(0, at),
  };
};

/** How each column of a table is written, in column order. */
export type ColumnWriters<T> = Readonly<Record<string, (row: RowWriter, value: T) => void>>;

/** Inserts values as rows of a table; sends no request for an empty list. */
export const createTableWriter = <T>(table: string, columns: ColumnWriters<T>) => {
  const names = Object.keys(columns);
  const writers = Object.values(columns);
  return async (
    clickhouse: Pick<Clickhouse, 'insertBinary'>,
    values: readonly T[],
  ): Promise<void> => {
    if (values.length === 0) return;
    const row = createRowWriter();
    for (const value of values) {
      for (const write of writers) write(row, value);
    }
    await clickhouse.insertBinary(table, names, row.finish());
  };
};
