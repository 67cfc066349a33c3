import { describe, test } from 'node:test';
import { simulate } from '../shared/testing/simulation/simulate.ts';

const SEEDS_DEFAULT = 200;
/** Seeds of one test: each test has a time limit of its own. */
const SEEDS_PER_TEST = 50;
/** `SEED=17` replays one run; `SEEDS=5000` runs more than usual. */
const ONLY = Number(process.env['SEED'] ?? 0);
const SEEDS = Number(process.env['SEEDS'] ?? SEEDS_DEFAULT);

const first = ONLY || 1;
const last = ONLY || SEEDS;
const groups = Array.from({ length: Math.ceil((last - first + 1) / SEEDS_PER_TEST) }, (_, i) => ({
  from: first + i * SEEDS_PER_TEST,
  to: Math.min(last, first + (i + 1) * SEEDS_PER_TEST - 1),
}));

describe('under reorgs, failures, deaths and repetitions the pipeline ends with what the chain gives', () => {
  for (const { from, to } of groups) {
    test(`seeds ${from} to ${to}`, async (context) => {
      const sums = { blocks: 0, messages: 0, deaths: 0, alerts: 0, rings: 0, steps: 0 };
      for (let seed = from; seed <= to; seed += 1) {
        try {
          const report = await simulate(seed);
          for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += report[name];
        } catch (error) {
          throw new Error(`seed ${seed} (replay it with SEED=${seed})`, { cause: error });
        }
      }
      context.diagnostic(JSON.stringify(sums));
    });
  }
});
