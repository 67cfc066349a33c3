/** Lowest and highest value. */
export type Bounds = readonly [from: number, to: number];

/** No value is within these bounds. */
const NOTHING: Bounds = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** The smallest bounds that include given bounds and a value. */
const widened = ([from, to]: Bounds, value: number): Bounds => [
  Math.min(from, value),
  Math.max(to, value),
];

/** The smallest bounds that include all values. */
export const boundsOf = (values: readonly number[]): Bounds => values.reduce(widened, NOTHING);

/** Rows that filters do not distinguish. */
interface Kind<Traits> {
  readonly traits: Traits;
  /** Current number of rows. */
  rows: number;
  /** Bounds of the value over all rows it ever had. */
  values: Bounds;
}

/** The kinds that pass a test. */
interface AcceptedKinds<Traits> {
  /** 1 if accepted, by the number of the kind. */
  readonly accepted: Uint8Array;
  readonly traits: readonly Traits[];
  /** Total number of their rows. */
  readonly rows: number;
  /** Bounds of the value over all their rows. */
  readonly values: Bounds;
}

/** The kind of empty rows. */
export const NO_KIND = 0;

/**
 * Kinds of rows by number: a filter tests each kind once instead of each row.
 * @param none the properties of empty rows
 */
export const createRowKinds = <Traits extends object>(none: Traits) => {
  const kinds: Kind<Traits>[] = [{ traits: none, rows: 0, values: NOTHING }];
  const numbers = new Map<string, number>();
  /**
   * Numbers of unused kinds, to be reused: a wallet that creates a hundred thousand tokens passes through as many
   * kinds.
   */
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
    /** One more than the highest kind number. */
    end: (): number => kinds.length,
    leave: (number: number): void => {
      const kind = kinds[number];
      if (!kind || number === NO_KIND) return;
      kind.rows -= 1;
      if (kind.rows > 0) return;
      numbers.delete(JSON.stringify(kind.traits));
      free.push(number);
    },
    /** Counts a row; returns the number of its kind. @param value whose bounds the kind keeps */
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
