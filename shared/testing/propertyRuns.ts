/** Random inputs each property is tried with: `make properties RUNS=20000` asks for more. */
export const PROPERTY_RUNS = Number(process.env['RUNS'] ?? 2_000);
/** The same for properties of which each run takes milliseconds: `make test` tries fewer. */
export const LONG_PROPERTY_RUNS = Number(process.env['RUNS'] ?? 200);
/** Where a fixed seed is wanted: `make properties SEED=7` chooses another. */
export const PROPERTY_SEED = Number(process.env['SEED'] ?? 1);
