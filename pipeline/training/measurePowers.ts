import type { Hex } from '../../shared/chain/block.ts';
import { POWERS, type Power } from '../scorer/contract/powers/evidence.ts';
import { InputError, readColumns } from './readCsv.ts';
import { intervals, type Scored } from './statistics.ts';

export interface Figures {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const THRESHOLD = 0.5;
const RESAMPLES = 2_000;
const SEED = 1;

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/** Figures at a threshold of one half, over rows labelled by hand as having a power or not. */
export const figuresOf = (rows: readonly Scored[]): Figures => {
  const count = (present: boolean, found: boolean): number =>
    rows.filter((one) => one.isPositive === present && one.score >= THRESHOLD === found).length;
  const [right, wrong, missed] = [count(true, true), count(false, true), count(true, false)];
  return {
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
    f1: share(2 * right, 2 * right + wrong + missed),
  };
};

/** F1 in 95 % of bootstrap samples of the rows. */
export const f1Interval = (rows: readonly Scored[]): readonly [number, number] => {
  const drawing = { resamples: RESAMPLES, seed: SEED };
  return intervals(rows, (drawn) => [figuresOf(drawn).f1], drawing)[0] ?? [0, 0];
};

const isPower = (text: string): text is Power => POWERS.some((power) => power === text);

export type Labels = ReadonlyMap<Power, ReadonlyMap<string, boolean>>;

/**
 * Labels by power and lower-case address, from a file with the columns `address`, `power` and `present`.
 * @throws InputError that names the row (the header is row 1) and the field
 */
export const readLabels = async (path: string): Promise<Labels> => {
  const labels = new Map(POWERS.map((power) => [power, new Map<string, boolean>()]));
  let row = 1;
  for await (const cells of readColumns(path, ['address', 'power', 'present'])) {
    const [address = '', power = '', present = ''] = cells;
    row += 1;
    if (!isPower(power)) {
      throw new InputError(`${path}, row ${row}: power must be ${POWERS.join(', ')}: ${power}`);
    }
    if (present !== '0' && present !== '1') {
      throw new InputError(`${path}, row ${row}: present must be 0 or 1: ${present}`);
    }
    labels.get(power)?.set(address.toLowerCase(), present === '1');
  }
  return labels;
};

/** Chains that allow more than EIP-170 stay below this. */
const CODE_BYTES_MAX = 65_536;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const HEX_BYTES = /^(?:[0-9a-f]{2})*$/i;

/**
 * How solc constructors end: length, offset, CODECOPY to 0, RETURN from 0, then STOP or INVALID. What they return is
 * the runtime code.
 */
const CONSTRUCTOR_END = /6[0-2]([0-9a-f]{2,6}?)806[0-2]([0-9a-f]{2,6}?)6000396000f3(?:00|fe)/;

/** The runtime code within creation code, which follows the constructor; other code unchanged. */
const runtimeOf = (digits: string): string => {
  const found = CONSTRUCTOR_END.exec(digits);
  if (!found) return digits;
  const [end, length = '', offset = ''] = found;
  const start = 2 * Number.parseInt(offset, 16);
  return start === found.index + end.length
    ? digits.slice(start, start + 2 * Number.parseInt(length, 16))
    : digits;
};

/** A contract by its address, as spelled in the file, with its runtime code. */
export interface ContractCode {
  readonly address: string;
  readonly code: Hex;
}

/**
 * The contracts of a file with the columns `address` and `code`. A code is hexadecimal digits, with or without 0x;
 * for creation code, the runtime code is extracted.
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
    yield { address, code: `0x${runtimeOf(digits.toLowerCase())}` };
  }
  if (row === 1) throw new InputError(`${path} has no rows`);
}
