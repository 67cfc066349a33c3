import { POWERS, type Power } from '../scorer/contract/powers/evidence.ts';
import { InputError, readColumns } from './readCsv.ts';

/** Whether a contract has a power, by hand, with the score that it got. */
export interface LabelledScore {
  readonly present: boolean;
  readonly score: number;
}

export interface Figures {
  readonly rows: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const THRESHOLD = 0.5;
const RESAMPLES = 2_000;
const UINT32 = 2 ** 32;

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/** Figures at the threshold of one half. */
export const figuresOf = (rows: readonly LabelledScore[]): Figures => {
  const count = (present: boolean, found: boolean): number =>
    rows.filter((one) => one.present === present && one.score >= THRESHOLD === found).length;
  const [right, wrong, missed] = [count(true, true), count(false, true), count(true, false)];
  return {
    rows: rows.length,
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
    f1: share(2 * right, 2 * right + wrong + missed),
  };
};

/** Share of pairs of a contract with the power and one without it that are ranked rightly; ties count half; NaN without both. */
export const rocAuc = (rows: readonly LabelledScore[]): number => {
  const [present, absent] = [true, false].map((is) => rows.filter((one) => one.present === is));
  let right = 0;
  for (const one of present ?? []) {
    for (const other of absent ?? []) right += (Math.sign(one.score - other.score) + 1) / 2;
  }
  return right / ((present?.length ?? 0) * (absent?.length ?? 0));
};

/** A number from 0 to below 1, the same sequence every time. Linear congruential, Numerical Recipes. */
const createRandom = (): (() => number) => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / UINT32;
  };
};

/** Where F1 lies in 95 % of samples drawn anew from the rows. */
export const f1Interval = (rows: readonly LabelledScore[]): [number, number] => {
  const random = createRandom();
  const drawn = (): LabelledScore[] =>
    rows.flatMap(() => rows[Math.floor(random() * rows.length)] ?? []);
  const values = Array.from({ length: RESAMPLES }, () => figuresOf(drawn()).f1);
  values.sort((a, b) => a - b);
  return [values[Math.floor(0.025 * RESAMPLES)] ?? 0, values[Math.floor(0.975 * RESAMPLES)] ?? 1];
};

const isPower = (text: string): text is Power => POWERS.some((power) => power === text);

export type Labels = ReadonlyMap<Power, ReadonlyMap<string, boolean>>;

/**
 * Labels by power and address in lower case, of a file with the columns `address`, `power` and `present`.
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
