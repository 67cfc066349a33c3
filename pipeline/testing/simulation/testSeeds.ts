import { test } from 'node:test';

/** Seeds per test: each test has a time limit of its own. */
export const SEEDS_PER_TEST = 25;
/**
 * `SEED=17` replays one run; `make simulation SEEDS=5000` runs more. `make test-long` begins where `make test` ends.
 */
const ONLY = Number(process.env['SEED'] ?? 0);
const FIRST = Number(process.env['FIRST_SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? SEEDS_PER_TEST);

const first = ONLY || FIRST;
const last = ONLY || SEEDS;
const groups = Array.from({ length: Math.ceil((last - first + 1) / SEEDS_PER_TEST) }, (_, i) => ({
  from: first + i * SEEDS_PER_TEST,
  to: Math.min(last, first + (i + 1) * SEEDS_PER_TEST - 1),
}));

/** One test for every group of seeds; `check` receives the summed statistics of a group. */
export const testSeeds = <Report extends object>(
  run: (seed: number) => Report | Promise<Report>,
  check: (sums: Readonly<Record<string, number>>) => void = () => undefined,
): void => {
  for (const { from, to } of groups) {
    test(`seeds ${from} to ${to}`, async (context) => {
      const sums: Record<string, number> = {};
      for (let seed = from; seed <= to; seed += 1) {
        try {
          for (const [name, count] of Object.entries(await run(seed))) {
            sums[name] = (sums[name] ?? 0) + count;
          }
        } catch (error) {
          throw new Error(`seed ${seed} (replay it with SEED=${seed})`, { cause: error });
        }
      }
      context.diagnostic(JSON.stringify(sums));
      if (to - from + 1 === SEEDS_PER_TEST) check(sums);
    });
  }
};
