/** Lowest and highest value. */
export type Bounds = readonly [from: number, to: number];

/** No value is within. */
const NOTHING: Bounds = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** The least bounds that hold some and a value. */
const widened = ([from, to]: Bounds, value: number): Bounds => [
  Math.min(from, value),
  Math.max(to, value),
];

/** The least bounds that hold all values. */
export const boundsOf = (values: readonly number[]): Bounds => values.reduce(widened, NOTHING);

/** Rows that filters by traits do not tell apart. */
interface Kind<Traits> {
  readonly traits: Traits;
  /** How many there are now. */
  rows: number;
  /** Of the value that any had. */
  values: Bounds;
}

/** What a test leaves of the kinds. */
interface AcceptedKinds<Traits> {
  /** 1 where it is accepted, by the number of the kind. */
  readonly accepted: Uint8Array;
  readonly traits: readonly Traits[];
  /** How many rows they have together. */
  readonly rows: number;
  /** Of the value of all rows they had while some were left. */
  readonly values: Bounds;
}

/** The number of rows that are nothing. */
export const NO_KIND = 0;

/**
 * Kinds of rows by number: filters test each kind once, and not each row.
 * @param none the traits of rows that are nothing
 */
export const createRowKinds = <Traits extends object>(none: Traits) => {
  const kinds: Kind<Traits>[] = [{ traits: none, rows: 0, values: NOTHING }];
  const numbers = new Map<string, number>();
  /** Numbers of kinds of which no row is left: a wallet that makes a hundred thousand tokens passes through as many kinds. */
  const free: number[] = [];
  const numberOf = (traits: Traits): number => {
    const key = JSON.stringify(traits);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = free.pop() ?? kinds.length;
    kinds[number] = { traits, rows: 0, values: NOTHING };
    numbers.set(key, number);
    return number;
  };
  return {
    traitsOf: (number: number): Traits => kinds[number]?.traits ?? none,
    leave: (number: number): void => {
      const kind = kinds[number];
      if (!kind || number === NO_KIND) return;
      kind.rows -= 1;
      if (kind.rows > 0) return;
      numbers.delete(JSON.stringify(kind.traits));
      free.push(number);
    },
    /** Counts a row; returns the number of its kind. @param value of which the bounds of the kind are kept */
    enter: (traits: Traits, value: number): number => {
      const number = numberOf(traits);
      const kind = kinds[number];
      if (kind) {
        kind.rows += 1;
        kind.values = widened(kind.values, value);
      }
      return number;
    },
    select: (test: (traits: Traits) => boolean): AcceptedKinds<Traits> => {
      const accepted = new Uint8Array(kinds.length);
      const traits: Traits[] = [];
      let rows = 0;
      let values = NOTHING;
      for (const [number, kind] of kinds.entries()) {
        if (kind.rows === 0 || !test(kind.traits)) continue;
        accepted[number] = 1;
        traits.push(kind.traits);
        rows += kind.rows;
        values = [Math.min(values[0], kind.values[0]), Math.max(values[1], kind.values[1])];
      }
      return { accepted, traits, rows, values };
    },
  };
};
