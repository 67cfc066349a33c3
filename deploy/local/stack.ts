import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateConfigSchema } from '../../migrations/migrate.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { openFolder } from '../openFolder.ts';
import { checkReachable, namesGiven, unknownNames } from './checkSettings.ts';
import {
  type DeadLetters,
  deleteDeadLetters,
  listDeadLetters,
  replayDeadLetters,
  showDeadLetter,
  withDeadLetters,
} from './deadLetters.ts';
import {
  createStack,
  ENV_FILE,
  hasStack,
  loadEnvFile,
  readSettings,
  type SettingsToStart,
  type Stack,
  savedSettings,
  saveSettings,
  settingsOfDemo,
  settingsToStart,
  stateDirOf,
  variablesToRepeat,
} from './environment.ts';
import { exportDays } from './exportDays.ts';
import { findStack } from './findStack.ts';
import { createLogFormat } from './formats.ts';
import { bringUp, migrate, portProblems, rollRoles, takeDown, withStackLock } from './lifecycle.ts';
import { partsOf } from './parts.ts';
import { askWithHint, warningAbout } from './probes.ts';
import { createProcesses } from './processes.ts';
import { natsServer, promtool, redisServer, setpriv } from './serverBinaries.ts';
import { describeStatus, readBackfill } from './status.ts';
import { SUPERVISOR } from './supervision.ts';

// The local stack: node --import tsx deploy/local/stack.ts COMMAND, see `make help`.

const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;
/** A little above the analyst's own limit of 60 s, so that ClickHouse's message is the one shown. */
const SQL_TIMEOUT_MS = 65_000;
const LINES_PER_PART = 10;
const LINES_FOLLOWED = 100;

// A reader that closes early (`make up | head`) must not end a command half-way.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Imported only where needed: with its packages all other commands would take half as long again to start. */
const backups = () => import('./stackBackup.ts');

const repeated = variablesToRepeat(process.env);
loadEnvFile();
const stateDir = stateDirOf(process.env);
const print = (line: string): void => console.log(line);
const openStack = (): Stack => findStack(name, stateDir, process.env, repeated);

/** The ports of those parts of this stack that run, as last started. */
const ownPorts = (): number[] => {
  if (!hasStack(stateDir)) return [];
  const processes = createProcesses(stateDir);
  return partsOf(createStack(stateDir, savedSettings(stateDir, {})))
    .filter(({ name }) => processes.find(name))
    .flatMap(({ ports }) => ports);
};

/**
 * The supervisor restarts killed parts: for a moment a part may use its port without being recorded as running.
 */
const PORTS_SETTLE_MS = 1_000;
const takenPorts = async (parts: Parameters<typeof portProblems>[0]): Promise<string[]> => {
  const taken = await portProblems(parts, ownPorts());
  if (taken.length === 0) return taken;
  await sleep(PORTS_SETTLE_MS);
  return portProblems(parts, ownPorts());
};

/**
 * Finds invalid variables before anything is stopped. Resolves to what is started, with the id of the chain.
 */
const checked = async (isServersOnly: boolean): Promise<SettingsToStart> => {
  const { problems } = unknownNames(namesGiven(ENV_FILE, process.env));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const toStart = settingsToStart(stateDir, process.env, existsSync(ENV_FILE));
  const stack = createStack(stateDir, toStart.settings);
  const parts = partsOf(stack).filter(({ kind }) => kind === 'server' || !isServersOnly);
  const taken = await takenPorts(parts);
  if (taken.length > 0) throw new Error(taken.join('\n'));
  return {
    ...toStart,
    settings: await checkReachable(toStart.settings, stack, { isServersOnly }),
  };
};

/**
 * Checks the variables of `make up` or `make demo` before anything is built; these commands do not repeat its
 * warnings.
 */
const check = async (what: string | undefined): Promise<void> => {
  if (what === 'demo') settingsOfDemo(stateDir, process.env, existsSync(ENV_FILE));
  for (const warning of unknownNames(namesGiven(ENV_FILE, process.env)).warnings)
    console.error(`warning: ${warning}`);
  await checked(false);
};

const up = async (what: string | undefined): Promise<void> => {
  const isServersOnly = what === 'servers';
  const { settings, kept, left } = await checked(isServersOnly);
  if (kept.length > 0) print(`as at the last make up: ${kept.join(', ')}`);
  if (left.length > 0) print(`no longer set: ${left.join(', ')}`);
  const stack = createStack(stateDir, settings);
  saveSettings(stateDir, settings);
  await bringUp(stack, { isServersOnly, report: print });
  const { BASE_URL: baseUrl = stack.apiUrl } = stack.roleEnvironment;
  if (isServersOnly) return;
  print('');
  print(`API        ${baseUrl}`);
  print(`docs       ${baseUrl}/docs`);
  print(`dashboard  ${baseUrl}/dashboard (mails: ${join(stateDir, 'mail')})`);
  print(`chain      ${stack.runs.devnet ? `${stack.rpcUrl} (development chain)` : 'RPC_URL'}`);
  print(`logs       ${join(stateDir, 'logs')}`);
  const backfill = await readBackfill(stack);
  if (backfill !== undefined) print(`${backfill}; see make status${repeated}`);
};

const down = async (): Promise<void> => {
  const stopped = await withStackLock(stateDir, () => takeDown(stateDir));
  print(stopped.length === 0 ? 'nothing runs' : `stopped ${stopped.join(', ')}`);
};

const status = async (): Promise<void> => {
  const { text, isSound } = await describeStatus(openStack());
  print(text);
  if (!isSound) process.exitCode = EXIT_FAILURE;
};

const logs = async (): Promise<void> => {
  const processes = createProcesses(stateDir);
  const role = process.env['ROLE'];
  const format = lineFormat();
  const names = [SUPERVISOR, ...partsOf(openStack()).map(({ name }) => name)];
  if (!role) {
    const written = names
      .map((name) => ({ name, lines: processes.lastLines(name, LINES_PER_PART) }))
      .filter(({ lines }) => lines.length > 0);
    if (written.length === 0) throw new Error(`no logs in ${stateDir}: was this stack ever up?`);
    for (const { name, lines } of written) {
      print(`== ${name}\n${lines.map(format).join('\n')}\n`);
    }
    return;
  }
  if (!names.includes(role)) throw new Error(`ROLE must be one of: ${names.join(', ')}`);
  await follow(processes.logFile(role), format);
};

/** How log lines are shown: raw with FORMAT=json, else formatted. */
const lineFormat = (): ((line: string) => string) => {
  const name = process.env['FORMAT'] || 'text';
  if (name === 'json') return (line) => line;
  if (name !== 'text') throw new Error('FORMAT must be text or json');
  return createLogFormat({ colorize: process.stdout.isTTY, without: ['role', 'chain'] });
};

/** Prints the last lines of a file and those that are added to it, until this process is interrupted. */
const follow = async (file: string, format: (line: string) => string): Promise<void> => {
  const args = ['-n', String(LINES_FOLLOWED), '-F', file, `--pid=${process.pid}`];
  const tail = spawn('tail', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(tail, 'exit');
  for await (const line of createInterface({ input: tail.stdout })) print(format(line));
  await ended;
};

const analystUrlOf = (stack: ReturnType<typeof openStack>): string => {
  if (stack.analystUrl) return stack.analystUrl;
  throw new Error('set CLICKHOUSE_ANALYST_URL to query an external ClickHouse');
};

const sql = async (): Promise<void> => {
  const query = process.env['Q'];
  const stack = openStack();
  if (!query) throw new Error("give a query: make sql Q='SELECT …'");
  const analystUrl = analystUrlOf(stack);
  const warning = warningAbout(query);
  if (warning !== undefined) console.error(`warning: ${warning}`);
  const format = process.stdout.isTTY ? 'PrettyCompactMonoBlock' : 'TabSeparatedWithNames';
  process.stdout.write(await askWithHint(analystUrl, query, SQL_TIMEOUT_MS, format));
};

const exportFiles = (): Promise<void> =>
  exportDays({
    url: analystUrlOf(openStack()),
    out: process.env['OUT'] || 'export',
    what: process.env['WHAT'] || undefined,
    day: process.env['DAY'] || undefined,
    timeoutMs: SQL_TIMEOUT_MS,
    print,
  });

/** Runs a command on this terminal; its exit code becomes ours. */
const passThrough = (command: string, args: string[], env: Record<string, string>) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    process.on('SIGINT', () => undefined);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.exitCode = code ?? EXIT_FAILURE;
      resolve();
    });
  });

/** Runs a built program of the API with the settings of this stack. */
const program =
  (path: string, ...args: string[]) =>
  (): Promise<void> =>
    passThrough(
      process.execPath,
      [join(projectRoot(), 'dist/api', path), ...args],
      openStack().roleEnvironment,
    );

/** Runs a command of pipeline/training/learn.ts on the tables of this stack, for its chain or the one that CHAIN names. */
const learn = (command: string) => async (): Promise<void> => {
  const { roleEnvironment } = openStack();
  const chain = process.env['CHAIN'] || undefined;
  if (chain !== undefined && !/^[1-9]\d{0,15}$/.test(chain)) {
    throw new Error(`CHAIN=${chain}: must be the id of a chain, such as 1`);
  }
  const { WETH_ADDRESS: _weth, STABLE_ADDRESSES: _stables, ...ofAnyChain } = roleEnvironment;
  const isOther = chain !== undefined && chain !== roleEnvironment['CHAIN_ID'];
  const environment = isOther ? { ...ofAnyChain, CHAIN_ID: chain } : roleEnvironment;
  const file = join(projectRoot(), 'pipeline/training/learn.ts');
  await passThrough(process.execPath, ['--import', 'tsx', file, command], environment);
};

/** Migrates the tables. Given settings of retention and of the cluster are kept for the next `make up`. */
const migrateTables = async (): Promise<void> => {
  const stack = openStack();
  if (hasStack(stateDir)) {
    const { CLICKHOUSE_URL: _ofStack, ...own } = migrateConfigSchema.shape;
    const given = Object.entries(readSettings(process.env)).filter(([name]) => name in own);
    const settings = { ...savedSettings(stateDir, {}), ...Object.fromEntries(given) };
    await migrate(createStack(stateDir, settings));
    saveSettings(stateDir, settings);
  } else await migrate(stack);
  print('the tables are up to date');
};

const onDeadLetters = async (work: (letters: DeadLetters) => Promise<string>): Promise<void> =>
  print(await withDeadLetters(openStack().natsUrl, work));

const COMMANDS: Record<string, (argument: string | undefined) => Promise<void>> = {
  check,
  up,
  down,
  status,
  logs,
  sql,
  export: exportFiles,
  key: program('accounts/createKey.js'),
  disputes: program('feedback/disputes.js', 'list'),
  'answer-dispute': program('feedback/disputes.js', 'answer'),
  retrain: learn('retrain'),
  models: learn('models'),
  promote: learn('promote'),
  'dead-letters': () => onDeadLetters((letters) => listDeadLetters(letters, process.env)),
  'dead-letter': () => onDeadLetters((letters) => showDeadLetter(letters, process.env)),
  'replay-dead-letters': () =>
    onDeadLetters((letters) => replayDeadLetters(letters, process.env, print)),
  'delete-dead-letters': () => onDeadLetters((letters) => deleteDeadLetters(letters, process.env)),
  migrate: migrateTables,
  roll: () => rollRoles(openStack(), process.env['ROLE'] || undefined, print),
  backup: async () => print(await (await backups()).backUpStack(openStack(), process.env)),
  restore: async () => print(await (await backups()).restoreStack(stateDir, process.env, print)),
  servers: async () => {
    await natsServer();
    await redisServer();
    await setpriv();
    await promtool();
  },
};

/** Commands that create a stack, or need none. All others work on an existing one, or on stores elsewhere. */
const WITHOUT_STACK = new Set(['check', 'up', 'restore', 'servers']);

const [name = '', argument] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) {
  console.error(`usage: stack.ts ${Object.keys(COMMANDS).join('|')}`);
  process.exit(EXIT_USAGE);
}
try {
  if (WITHOUT_STACK.has(name)) openFolder('STATE_DIR', stateDir);
  else if (!hasStack(stateDir)) openStack();
  await command(argument);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') {
    console.error(`no space is left on the disk of ${stateDir}: free some, then repeat`);
  } else if (code === 'EACCES') {
    console.error(`${errorMessage(error)}: run this as the user who started the stack`);
  } else console.error(error instanceof Error ? error.message : error);
  process.exitCode = EXIT_FAILURE;
}
