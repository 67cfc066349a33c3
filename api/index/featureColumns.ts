import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Traits } from '../search/search.ts';
import { openUnnamed } from './openUnnamed.ts';
import { allBits, type Bits, clearBit } from './rowBits.ts';

/** Rows of a column that are read or written at a time. */
const ROWS_AT_ONCE = 65_536;
const VALUE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Observed features by name. */
export type FeatureValues = Readonly<Record<string, number>>;

/**
 * Feature values by row number of the token, 8 bytes each, NaN if not observed. Each feature is mapped from an
 * unlinked temporary file: most features are never requested, and the system can reclaim the memory of the others.
 */
export const createFeatureColumns = () => {
  const files = new Map<string, number>();
  const values = new Float64Array(ROWS_AT_ONCE);
  const one = new Float64Array(1);
  return {
    /** Features that are loaded from now on, not yet observed in any row below `end`. */
    hold: (names: readonly string[], end: number): void => {
      values.fill(Number.NaN);
      for (const name of names) {
        const file = files.get(name) ?? openUnnamed((folder) => openSync(join(folder, name), 'w+'));
        files.set(name, file);
        for (let row = 0; row < end; row += ROWS_AT_ONCE) {
          writeSync(file, values, 0, values.byteLength, row * VALUE_BYTES);
        }
      }
    },
    /** @param names of the features that are set; all loaded ones if absent. */
    set: (row: number, observed: FeatureValues, names: Iterable<string> = files.keys()): void => {
      for (const name of names) {
        one[0] = observed[name] ?? Number.NaN;
        writeSync(files.get(name) ?? -1, one, 0, VALUE_BYTES, row * VALUE_BYTES);
      }
    },
    /** By row, below `end`: whether all features are within bounds. */
    within: (bounds: NonNullable<Traits['features']>, end: number): Bits => {
      const passed = allBits(end);
      for (const [name, { min = -Number.MAX_VALUE, max = Number.MAX_VALUE }] of Object.entries(
        bounds,
      )) {
        for (let from = 0; from < end; from += ROWS_AT_ONCE) {
          readSync(files.get(name) ?? -1, values, 0, values.byteLength, from * VALUE_BYTES);
          const rows = Math.min(ROWS_AT_ONCE, end - from);
          for (let at = 0; at < rows; at += 1) {
            const value = values[at] ?? Number.NaN;
            const isOutside = (Number(value >= min) & Number(value <= max)) ^ 1;
            clearBit(passed, from + at, isOutside);
          }
        }
      }
      return passed;
    },
    close: (): void => {
      for (const file of files.values()) closeSync(file);
    },
  };
};

export type FeatureColumns = ReturnType<typeof createFeatureColumns>;
