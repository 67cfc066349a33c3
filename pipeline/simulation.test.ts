import { describe, test } from 'node:test';
import { simulate } from '../shared/testing/simulation/simulate.ts';

const SEEDS_DEFAULT = 200;
/** `SEED=17` replays one run; `SEEDS=5000` runs more than usual. */
const ONLY = process.env['SEED'];
const SEEDS = Number(process.env['SEEDS'] ?? SEEDS_DEFAULT);

describe('the pipeline under reorgs, failures, deaths and repetitions', () => {
  test(`ends with what the canonical chain gives, for ${ONLY ? `seed ${ONLY}` : `${SEEDS} seeds`}`, async (context) => {
    const seeds = ONLY ? [Number(ONLY)] : Array.from({ length: SEEDS }, (_, i) => i + 1);
    const sums = { blocks: 0, messages: 0, deaths: 0, alerts: 0, steps: 0 };
    for (const seed of seeds) {
      try {
        const report = await simulate(seed);
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += report[name];
      } catch (error) {
        throw new Error(`seed ${seed} (replay it with SEED=${seed})`, { cause: error });
      }
    }
    context.diagnostic(JSON.stringify(sums));
  });
});
