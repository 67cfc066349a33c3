import type { Hex } from '../../shared/chain/block.ts';
import { InputError, readColumns } from './readCsv.ts';

/** Chains that allow more than EIP-170 stay below this. */
const CODE_BYTES_MAX = 65_536;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const HEX_BYTES = /^(?:[0-9a-f]{2})*$/i;

/** A contract by its address, in the spelling of the file, with its runtime code. */
export interface ContractCode {
  readonly address: string;
  readonly code: Hex;
}

/**
 * The contracts of a file with the columns `address` and `code`; a code is hexadecimal digits, with 0x or without.
 * @throws InputError that names the row (the header is row 1) and the field
 */
export async function* readCodes(path: string): AsyncGenerator<ContractCode> {
  const rows = new Map<string, number>();
  let row = 1;
  for await (const [address = '', text = ''] of readColumns(path, ['address', 'code'])) {
    row += 1;
    const refuse = (why: string): never => {
      throw new InputError(`${path}, row ${row}: ${why}`);
    };
    if (!ADDRESS.test(address)) refuse(`address must be 0x and 40 hexadecimal digits: ${address}`);
    const earlier = rows.get(address.toLowerCase());
    if (earlier) refuse(`address is that of row ${earlier}: ${address}`);
    rows.set(address.toLowerCase(), row);
    const digits = text.startsWith('0x') ? text.slice(2) : text;
    if (!HEX_BYTES.test(digits)) refuse(`code of ${address} must be pairs of hexadecimal digits`);
    if (digits.length > 2 * CODE_BYTES_MAX) {
      refuse(`code of ${address} must be at most ${CODE_BYTES_MAX} bytes: ${digits.length / 2}`);
    }
    yield { address, code: `0x${digits.toLowerCase()}` };
  }
  if (row === 1) throw new InputError(`${path} has no rows`);
}
