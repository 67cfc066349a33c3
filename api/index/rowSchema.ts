import { z } from 'zod';

type FieldTest = (value: unknown) => boolean;

const ADDRESS = /^0x[0-9a-f]{40}$/;

export const isText: FieldTest = (value) => typeof value === 'string';
export const isNumber: FieldTest = (value) => typeof value === 'number' && !Number.isNaN(value);
export const isCount: FieldTest = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isAddress: FieldTest = (value) => typeof value === 'string' && ADDRESS.test(value);
export const isTexts: FieldTest = (value) => Array.isArray(value) && value.every(isText);

/** Numbers by name. */
export const isNumbers: FieldTest = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isNumber);

/** Columns that every row has. */
export const STORED_FIELDS = { address: isAddress, seq: isCount } as const;

/**
 * A schema for rows that are read by the million, with one parser function per field: a zod object takes 6 µs for a
 * verdict's row, half of this process's time while loading.
 */
export const rowSchema = <Row extends object>(
  tests: Readonly<Record<keyof Row, FieldTest>>,
): z.ZodType<Row> => {
  const fields = Object.entries(tests) as [keyof Row, FieldTest][];
  /** The first invalid field. */
  const wrongIn = (row: Row): keyof Row | undefined => {
    for (const [name, test] of fields) if (!test(row[name])) return name;
    return undefined;
  };
  return z.custom<Row>(
    (row) => wrongIn(row as Row) === undefined,
    (row) => ({ message: `${String(wrongIn(row as Row))} is no such value` }),
  );
};
