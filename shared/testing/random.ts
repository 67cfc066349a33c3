/** Mulberry32 (Tommy Ettinger, 2017): 32 bits of state, good enough for generating cases. */
export const createRandom = (seed: number) => {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return {
    /** A whole number from 0 to `limit - 1`. */
    below,
    /** True once in `times` on average. */
    oneIn: (times: number): boolean => below(times) === 0,
    /** One of the values. */
    pick: <T>(values: readonly T[]): T => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to choose from');
      return value;
    },
  };
};
/** Pseudo-random choices that are the same for the same seed. */
export type Random = ReturnType<typeof createRandom>;

/** The values in random order. */
export const shuffled = <T>(values: readonly T[], random: Random): T[] =>
  values
    .map((value) => ({ value, at: random.below(1_000_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);

/** Random inputs per property: `make properties RUNS=20000` tries more. */
export const PROPERTY_RUNS = Number(process.env['RUNS'] ?? 2_000);
/** The same for properties whose runs take milliseconds: `make test` tries fewer. */
export const LONG_PROPERTY_RUNS = Number(process.env['RUNS'] ?? 200);
/** The default seed: `make properties SEED=7` chooses another. */
export const PROPERTY_SEED = Number(process.env['SEED'] ?? 1);
