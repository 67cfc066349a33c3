import { startPipelineStack } from '../../pipeline/testing/pipelineStack.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { runCommand } from '../local/runCommand.ts';
import { machineLine, markdownTable, whole, writeReport } from '../report.ts';
import { type Check, checkFaults } from './faults.ts';
import {
  type Case,
  type Costs,
  type Measured,
  measureThroughput,
  TRANSFERS,
} from './throughput.ts';

// One sharded deployment on one machine: what must hold under faults, then what more scorers give: make scale
// The report goes into SCALING.md. Any check that fails ends the run with its difference, and the report stays as it was.

const SHARDS = 3;
const NATS_SERVERS = 3;
/** One, two and four scorers: as copies of one chain, and each for a chain of its own. */
const CASES: readonly Case[] = [
  { chains: 1, copies: 1 },
  { chains: 1, copies: 2 },
  { chains: 1, copies: 4 },
  { chains: 2, copies: 1 },
  { chains: 4, copies: 1 },
];
/** Of other subjects, which need networks or servers of their own. */
const TESTS = ['pipeline/watcher/natsPartition.scale.ts', 'api/accounts/redisFailover.scale.ts'];
const TEST_TIMEOUT_MS = 900_000;
const MARKS = ['<!-- report: written by make scale -->', '<!-- end of the report -->'] as const;

/** Runs tests that are files of their own; one that fails prints its output and makes the run fail. */
const runTests = async (): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const file of TESTS) {
    const args = ['--test', '--test-reporter=spec', ...programArgs(file)];
    const options = { timeoutMs: TEST_TIMEOUT_MS, cwd: projectRoot() };
    const { code, stdout, stderr } = await runCommand(process.execPath, args, options);
    if (code !== 0) {
      console.log(stdout + stderr);
      process.exitCode = 1;
    }
    checks.push({ what: `\`${file}\``, seen: code === 0 ? 'passed' : '**failed**' });
  }
  return checks;
};

const costOf = ({ watchers, scorers, waiting, nats, clickhouse }: Costs): number =>
  watchers + scorers + waiting + nats + clickhouse;

const rowOf = (servers: string, { chains, copies, perS, costs, scorerMib }: Measured): string[] => [
  servers,
  String(chains),
  `${chains} + ${chains * (copies - 1)}`,
  whole(perS),
  whole(1e6 / costOf(costs)),
  ...[costs.watchers, costs.scorers, costs.waiting, costs.nats, costs.clickhouse].map((one) =>
    one.toFixed(1),
  ),
  whole(scorerMib),
];

/** What one core of each part carries, by the run with the most chains. */
const limitsOf = ({ costs }: Measured): string[][] => [
  ['watcher', whole(1e6 / costs.watchers), 'not within a chain: one leads'],
  ['scorer', whole(1e6 / costs.scorers), 'not within a chain: one leads'],
  ['NATS, all servers', whole(1e6 / costs.nats), 'more servers, which lead different streams'],
  ['ClickHouse, all shards', whole(1e6 / costs.clickhouse), 'more shards'],
];

/** Puts the report in its place in the page. */
const report = (checks: readonly Check[], alone: Measured, measured: readonly Measured[]): void => {
  const all = [alone, ...measured];
  const others = all.reduce((sum, one) => sum + one.others, 0) / all.length;
  const head = ['servers', 'chains', 'scorers: leading + waiting', 'transfers/s', 'per CPU second'];
  const parts = ['watchers', 'leading scorers', 'waiting scorers', 'NATS', 'ClickHouse'];
  writeReport('SCALING.md', MARKS, [
    `${machineLine(others)}.`,
    '',
    markdownTable([['what', 'seen'], ...checks.map(({ what, seen }) => [what, seen])]),
    '',
    `Backfill of synthetic chains of ${whole(TRANSFERS)} transfers each, including the start of the watchers, so that longer chains cost less. The columns from watchers to ClickHouse are CPU microseconds per transfer:`,
    '',
    markdownTable([
      [...head, ...parts, 'MiB of scorers'],
      rowOf('1 NATS, 1 ClickHouse', alone),
      ...measured.map((one) => rowOf(`${NATS_SERVERS} NATS, ${SHARDS} shards`, one)),
    ]),
    '',
    'Transfers per second that one core of each part can carry, by the last row:',
    '',
    markdownTable([['part', 'transfers/s', 'how to get more'], ...limitsOf(all.at(-1) ?? alone)]),
  ]);
};

const main = async (): Promise<void> => {
  const single = await startPipelineStack();
  const [alone] = await measureThroughput(single, CASES.slice(0, 1));
  await single.stop();
  if (!alone) throw new Error('nothing was measured');
  const stack = await startPipelineStack({ shards: SHARDS, natsServers: NATS_SERVERS });
  const checks = await checkFaults(stack);
  for (const { what, seen } of checks) console.log(`${what}: ${seen}`);
  const measured = await measureThroughput(stack, CASES);
  await stack.stop();
  // A test that hangs does not take the figures along.
  report(checks, alone, measured);
  report([...checks, ...(await runTests())], alone, measured);
};

await main();
// Connections that faults left half open would keep the process.
process.exit();
