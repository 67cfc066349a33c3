import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import pLimit from 'p-limit';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';
import { luaMutants, type Mutant } from './luaMutants.ts';

// Stryker treats the limiter's Lua as one text. Here each of its operators, limits and numbers is changed in turn,
// and the tests of the gatekeeper must fail. Prints the surviving mutants; exits with 1 below the required share.

const SOURCE = 'api/accounts/quotaScripts.ts';
/** In this order, until one fails. */
const TESTS = [
  'api/accounts/createGatekeeper.integration.test.ts',
  'api/accounts/quotaScripts.integration.test.ts',
  'api/accounts/createGatekeeper.property.integration.test.ts',
];
const FOLDER = 'coverage/lua';
const SCORE_MIN = 0.8;
const TIMEOUT_MS = 120_000;
/** Enough random requests for a detectable mutant to be found; each takes milliseconds. */
const RUNS = '200';

type Fate = 'killed' | 'timeout' | 'survived';

/** Bundles a test with `text` in place of the scripts. */
const bundle = (test: string, text: string, outfile: string): Promise<unknown> =>
  build({
    entryPoints: [test],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Code that runs only as the main program would mistake the bundle for itself.
    define: { 'import.meta.filename': '"bundled.js"' },
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup: (builder) =>
          builder.onLoad({ filter: /quotaScripts\.ts$/ }, () => ({ contents: text, loader: 'ts' })),
      },
    ],
  });

const fateOf = async (text: string, name: string): Promise<Fate> => {
  for (const [i, test] of TESTS.entries()) {
    const file = join(FOLDER, `${name}-${i}.mjs`);
    await bundle(test, text, file);
    const env = { ...process.env, RUNS };
    const { code } = await runCommand(process.execPath, [file], { timeoutMs: TIMEOUT_MS, env });
    rmSync(file);
    if (code === undefined) return 'timeout';
    if (code !== 0) return 'killed';
  }
  return 'survived';
};

const source = readFileSync(join(projectRoot(), SOURCE), 'utf8');
mkdirSync(FOLDER, { recursive: true });
if ((await fateOf(source, 'whole')) !== 'survived')
  throw new Error('the tests fail without a mutant');
const mutants = luaMutants(source);
const limit = pLimit(availableParallelism());
const counts: Record<Fate, number> = { killed: 0, timeout: 0, survived: 0 };
const judge = async (mutant: Mutant, i: number): Promise<void> => {
  const fate = await fateOf(mutant.text, String(i));
  counts[fate] += 1;
  if (fate === 'killed') return;
  const line = mutant.text.split('\n')[mutant.line - 1]?.trim() || `without ${mutant.from.trim()}`;
  console.log(`${fate} ${SOURCE}:${mutant.line}: ${line}`);
};
await Promise.all(mutants.map((mutant, i) => limit(judge, mutant, i)));
const score = (counts.killed + counts.timeout) / mutants.length;
console.log(
  `${mutants.length} mutants of Lua: ${counts.killed} killed, ${counts.timeout} by time, ${counts.survived} live: ${(100 * score).toFixed(1)} %`,
);
process.exitCode = score < SCORE_MIN ? 1 : 0;
