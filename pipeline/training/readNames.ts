import { parse } from 'csv-parse';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { TokenName } from '../scorer/name/nameFeatures.ts';
import { InputError, openBytes } from './readCsv.ts';

/** A token of a file, with its cells as they are written there. */
export interface NameRow extends TokenName {
  readonly chain: string;
  readonly written: string;
  /** Undefined where the file has no column `spam`. */
  readonly spam: boolean | undefined;
}

const COLUMNS = ['chain', 'address', 'name', 'symbol'] as const;
const RECORD_CHARS_MAX = 1_000_000;
/** Chains as the recordings call them; the number of a chain will do as well. */
const CHAIN_IDS: Readonly<Record<string, number>> = {
  ethereum: 1,
  optimism: 10,
  binance_sc: 56,
  gnosis: 100,
  polygon_pos: 137,
  base: 8453,
  arbitrum_one: 42_161,
  ...Object.fromEntries([...CHAIN_PROFILES.keys()].map((id) => [String(id), id])),
};

const rowSchema = z.object({
  chain: z.string().min(1, 'is empty: a chain by name or number'),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'is no address: 0x and 40 hexadecimal digits'),
  name: z.string(),
  symbol: z.string(),
  spam: z.enum(['0', '1'], { message: 'is neither 0 nor 1' }).optional(),
});

const readRow = (record: unknown, place: string): NameRow => {
  const read = rowSchema.safeParse(record);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new InputError(`${place}: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const { chain, address, name, symbol, spam } = read.data;
  return {
    chain,
    written: address,
    chainId: CHAIN_IDS[chain] ?? 0,
    address: address.toLowerCase() as Hex,
    name,
    symbol,
    spam: spam === undefined ? undefined : spam === '1',
  };
};

/**
 * Tokens of a CSV file, plain or gzip, quoted as in RFC 4180; other columns are passed over.
 * @throws InputError that names the row (the header is row 1) and the field
 */
export async function* readNames(path: string): AsyncGenerator<NameRow> {
  let hasHeader = false;
  const records = parse({
    bom: true,
    columns: (header: string[]) => {
      hasHeader = true;
      const absent = COLUMNS.filter((column) => !header.includes(column));
      if (absent.length === 0) return header;
      throw new InputError(
        `${path} has no column ${absent.join(', ')}; it has ${header.join(', ')}`,
      );
    },
    max_record_size: RECORD_CHARS_MAX,
    // Names may hold anything, and are not always quoted where they should be.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const bytes = await openBytes(path);
  bytes.on('error', (error) => records.destroy(error));
  let row = 1;
  try {
    for await (const record of bytes.pipe(records)) {
      row += 1;
      yield readRow(record, `${path}, row ${row}`);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path}, row ${row + 1}: ${errorMessage(error)}`);
  } finally {
    bytes.destroy();
  }
  if (!hasHeader) throw new InputError(`${path} is empty`);
}
