import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { STOP_GRACE_MS } from './down.ts';
import type { Stack } from './environment.ts';
import { withHostLock } from './hostLock.ts';
import type { Launch } from './launch.ts';
import { type Part, partsOf } from './parts.ts';
import { isPortTaken } from './probes.ts';
import { createProcesses, type Processes, type ProcessRecord } from './processes.ts';
import { runProgram } from './runProgram.ts';

/** Longest wait until a part is ready; a role may first have to catch up with its streams. */
const READY_TIMEOUT_MS = 90_000;
const READY_POLL_MS = 50;
const PORT_FREE_TIMEOUT_MS = 10_000;
/** Longest wait for another command that works on the same stack. */
const STACK_LOCK_WAIT_MS = 300_000;
const MIGRATE_TIMEOUT_MS = 120_000;
/** Log lines shown of a part that failed. */
const LINES_SHOWN = 20;

/** Why the stack is not up: which part, and what it logged last. */
export class PartFailedError extends Error {
  override name = 'PartFailedError';
}

/** Runs `work` while no other command changes the same stack. */
export const withStackLock = <Result>(
  stateDir: string,
  work: () => Promise<Result>,
): Promise<Result> => withHostLock(`stack ${stateDir}`, STACK_LOCK_WAIT_MS, work);

const buildDigest = (): string => {
  const folder = join(projectRoot(), 'dist');
  const hash = createHash('sha256');
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.js')).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
};

const fingerprintOf = (launch: Launch, build: string): string =>
  createHash('sha256').update(JSON.stringify(launch)).update(build).digest('hex');

const failed = (part: Part, reason: string, processes: Processes): PartFailedError => {
  const lines = processes.lastLines(part.name, LINES_SHOWN);
  const log = lines.length === 0 ? [] : [`Its last log lines:`, ...lines.map((l) => `  ${l}`)];
  return new PartFailedError([`${part.name} ${reason}.`, ...log].join('\n'));
};

const waitReady = async (
  part: Part,
  record: ProcessRecord | undefined,
  processes: Processes,
): Promise<void> => {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await part.isReady())) {
    const isGone = record !== undefined && processes.find(part.name)?.pid !== record.pid;
    if (isGone) throw failed(part, 'ended while it started', processes);
    if (Date.now() > deadline) {
      throw failed(part, `was not ready within ${READY_TIMEOUT_MS / 1_000} s`, processes);
    }
    await sleep(READY_POLL_MS);
  }
};

const startPart = async (args: {
  part: Part;
  build: string;
  processes: Processes;
  report: (line: string) => void;
  /** Starts anew what runs already. */
  isRestart?: boolean;
}): Promise<void> => {
  const { part, processes, report } = args;
  if (part.launch === undefined) {
    if (!(await part.isReady())) throw failed(part, 'does not answer at the URL given', processes);
    report(`${part.name.padEnd(10)} external`);
    return;
  }
  const launch = await part.launch();
  const fingerprint = fingerprintOf(launch, part.kind === 'role' ? args.build : '');
  const running = processes.find(part.name);
  if (running?.fingerprint === fingerprint && !args.isRestart) {
    await waitReady(part, running, processes);
    report(`${part.name.padEnd(10)} running`);
    return;
  }
  if (running) await processes.stop(part.name, STOP_GRACE_MS);
  // A port is free only when the last thread of an ended process is gone.
  const portsFreeBy = Date.now() + (running ? PORT_FREE_TIMEOUT_MS : 0);
  for (const port of part.ports) {
    while (Date.now() < portsFreeBy && (await isPortTaken(port))) await sleep(READY_POLL_MS);
    if (await isPortTaken(port)) {
      throw failed(
        part,
        `needs port ${port}, which another program uses: choose another PORT_BASE`,
        processes,
      );
    }
  }
  const startedAtMs = Date.now();
  const record = processes.start(part.name, launch, fingerprint);
  await waitReady(part, record, processes);
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
  report(`${part.name.padEnd(10)} ${running ? 'restarted' : 'started'} in ${seconds} s`);
};

/** Waits for all; the first failure is thrown only when none is still starting. */
const all = async (work: Promise<void>[]): Promise<void> => {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
};

/** Brings the tables of a stack to the newest schema. Throws with the program's output. */
export const migrate = async (stack: Stack): Promise<void> => {
  const result = await runProgram({
    program: 'dist/migrations/migrate.js',
    env: stack.roleEnvironment,
    timeoutMs: MIGRATE_TIMEOUT_MS,
  });
  if (result.code === 0) return;
  const lines = `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-LINES_SHOWN);
  throw new PartFailedError(['migrations failed. Their output:', ...lines].join('\n'));
};

/**
 * Starts what does not run, keeps what does, restarts what runs with another configuration or build, and
 * returns when every part is ready. With `isServersOnly`, roles and tables are left alone.
 * Throws PartFailedError.
 */
export const bringUp = (
  stack: Stack,
  options: { isServersOnly: boolean; report: (line: string) => void },
): Promise<void> =>
  withStackLock(stack.stateDir, async () => {
    const { isServersOnly, report } = options;
    const processes = createProcesses(stack.stateDir);
    const parts = partsOf(stack);
    const own = new Set(parts.filter(({ launch }) => launch).map(({ name }) => name));
    for (const name of processes.known().filter((name) => !own.has(name))) {
      if (await processes.stop(name, STOP_GRACE_MS)) report(`${name.padEnd(10)} stopped`);
    }
    const build = buildDigest();
    const start = (kind: Part['kind']): Promise<void> =>
      all(
        parts
          .filter((part) => part.kind === kind)
          .map((part) => startPart({ part, build, processes, report })),
      );
    await start('server');
    if (isServersOnly) return;
    await migrate(stack);
    await start('role');
  });

/**
 * Ends and starts roles one after the other, the next when the one before is ready: what several copies share
 * goes on, and what only one does waits. Throws PartFailedError.
 * @param name the role; all of them where absent.
 */
export const rollRoles = (
  stack: Stack,
  name: string | undefined,
  report: (line: string) => void,
): Promise<void> =>
  withStackLock(stack.stateDir, async () => {
    const roles = partsOf(stack).filter(({ kind }) => kind === 'role');
    const chosen = roles.filter((part) => name === undefined || part.name === name);
    if (chosen.length === 0) {
      throw new Error(`ROLE must be one of: ${roles.map((part) => part.name).join(', ')}`);
    }
    const processes = createProcesses(stack.stateDir);
    const build = buildDigest();
    for (const part of chosen) {
      await startPart({ part, build, processes, report, isRestart: true });
    }
  });
