import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import type { TokenName } from '../scorer/name/nameFeatures.ts';
import { InputError, readColumns } from './readCsv.ts';

/** A token of a file, with its cells unchanged. */
export interface NameRow extends TokenName {
  readonly chain: string;
  readonly written: string;
  /** Undefined if the file has no column `spam`. */
  readonly spam: boolean | undefined;
}

const COLUMNS = ['chain', 'address', 'name', 'symbol'] as const;
/** Chain names in the recordings; a chain's number is accepted too. */
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

const rowSchema = z
  .object({
    chain: z.string().min(1, 'is empty: a chain by name or number'),
    address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'is no address: 0x and 40 hexadecimal digits'),
    name: z.string(),
    symbol: z.string(),
    spam: z.enum(['', '0', '1'], { message: 'is neither 0 nor 1' }),
  })
  .transform(
    ({ address, spam, ...row }): NameRow => ({
      ...row,
      written: address,
      chainId: CHAIN_IDS[row.chain] ?? 0,
      address: address.toLowerCase() as Hex,
      spam: spam === '' ? undefined : spam === '1',
    }),
  );

/**
 * Tokens of a CSV file; other columns are ignored.
 * @throws InputError that names the row (the header is row 1) and the field
 */
export async function* readNames(path: string): AsyncGenerator<NameRow> {
  let row = 1;
  for await (const cells of readColumns(path, COLUMNS, ['spam'])) {
    row += 1;
    const [chain, address, name, symbol, spam] = cells;
    const read = rowSchema.safeParse({ chain, address, name, symbol, spam });
    if (!read.success) throw new InputError(`${path}, row ${row}: ${firstIssue(read.error)}`);
    yield read.data;
  }
}

const firstIssue = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.join('.')} ${issue?.message}`;
