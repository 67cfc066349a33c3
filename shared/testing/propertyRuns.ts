/** Random inputs each property is tried with: `make properties RUNS=20000` asks for more. */
export const PROPERTY_RUNS = Number(process.env['RUNS'] ?? 2_000);
