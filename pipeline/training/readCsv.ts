import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';

import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { type CsvError, type Options, parse } from 'csv-parse';
import { errorMessage, FatalError, RetryableError } from '../../shared/platform/errors.ts';

const GZIP_MAGIC = 0x1f8b;
const RECORD_CHARS_MAX = 1_000_000;

/** An unusable file; the message says what to change. */
export class InputError extends Error {}

/**
 * The options of a command, named as the variables of `make`.
 * @param usage shown with the name of a missing option
 * @throws InputError
 */
export const readOptions = <Needed extends string, Other extends string = never>(
  usage: string,
  needed: readonly Needed[],
  others: readonly Other[] = [],
): Readonly<Record<Needed, string> & Partial<Record<Other, string>>> => {
  const names = [...needed, ...others];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });
  const absent = needed.find((name) => !values[name]);
  if (absent) throw new InputError(`${absent.toUpperCase()} is missing\n${usage}`);
  return values as Record<Needed, string> & Partial<Record<Other, string>>;
};

/** Exit status after unusable input. */
const UNUSABLE_INPUT_STATUS = 2;

/**
 * Runs a command of this folder: on unusable input or settings, or an unavailable server, it ends with the message
 * only.
 */
export const runCommand = async (command: () => Promise<void>): Promise<void> => {
  try {
    await command();
  } catch (error) {
    const isExpected = [InputError, FatalError, RetryableError].some((one) => error instanceof one);
    if (!(error instanceof Error) || !isExpected) throw error;
    console.error(error.message);
    process.exitCode = UNUSABLE_INPUT_STATUS;
  }
};

/** The bytes of a file, plain or gzip. @throws InputError if it cannot be opened. */
export const openBytes = async (path: string): Promise<Readable> => {
  const magic = Buffer.alloc(2);
  try {
    await using file = await open(path);
    await file.read(magic, 0, magic.length, 0);
  } catch (error) {
    throw new InputError(`cannot read ${path}: ${errorMessage(error)}`);
  }
  const bytes = createReadStream(path);
  if (magic.readUInt16BE() !== GZIP_MAGIC) return bytes;
  // A failure reaches the reader as an error of the last stream; nothing else is needed here.
  return pipeline(bytes, createGunzip(), () => undefined);
};

/** The lines of a text file, plain or gzip. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const bytes = await openBytes(path);
  bytes.setEncoding('utf8');
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

/**
 * The cells of the header, then of every row, of a CSV file, plain or gzip, with or without quotes as in RFC 4180.
 * @param options additional options of the parser
 * @throws InputError if the file is empty or a row's number of cells differs from the header's
 */
export async function* readCells(path: string, options: Options = {}): AsyncGenerator<string[]> {
  const records = parse({
    bom: true,
    max_record_size: RECORD_CHARS_MAX,
    // Names may contain any character, and are not always quoted when they should be.
    relax_quotes: true,
    skip_empty_lines: true,
    ...options,
  });
  const bytes = await openBytes(path);
  bytes.on('error', (error) => records.destroy(error));
  let width: number | undefined;
  try {
    for await (const cells of bytes.pipe(records) as AsyncIterable<string[]>) {
      width ??= cells.length;
      yield cells;
    }
  } catch (error) {
    const { code, lines, record } = error as CsvError & { readonly lines?: number };
    const isOther = code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' && Array.isArray(record);
    const cause = isOther
      ? `, line ${lines}: ${record.length} cells, not ${width}`
      : `: ${errorMessage(error)}`;
    throw new InputError(`${path}${cause}`);
  } finally {
    bytes.destroy();
  }
  if (width === undefined) throw new InputError(`${path} is empty`);
}

/**
 * The named columns of every row, in the requested order; missing optional cells are empty.
 * @throws InputError if a required column is missing.
 */
export async function* readColumns(
  path: string,
  columns: readonly string[],
  optional: readonly string[] = [],
): AsyncGenerator<string[]> {
  let places: number[] | undefined;
  for await (const cells of readCells(path)) {
    if (places) {
      yield places.map((place) => cells[place] ?? '');
      continue;
    }
    places = [...columns, ...optional].map((column) => cells.indexOf(column));
    const absent = columns.filter((_, i) => places?.[i] === -1);
    if (absent.length > 0) {
      throw new InputError(
        `${path} has no column ${absent.join(', ')}; it has ${cells.join(', ')}`,
      );
    }
  }
}
