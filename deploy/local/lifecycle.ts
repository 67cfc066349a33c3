import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateConfigSchema, migrateDatabase } from '../../migrations/migrate.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { Stack } from './environment.ts';
import { shortLogLine } from './formats.ts';
import { stackLock, withHostLock } from './hostLock.ts';
import type { Launch } from './launch.ts';
import { inRollOrder, type Part, partsOf } from './parts.ts';
import { isPortTaken } from './probes.ts';
import { createProcesses, type Processes, type ProcessRecord } from './processes.ts';
import { startSupervisor, stopSupervisor } from './supervision.ts';

/** Longest wait until a part is ready; a role may first have to catch up with its streams. */
const READY_TIMEOUT_MS = 90_000;
const READY_POLL_MS = 50;
const PORT_FREE_TIMEOUT_MS = 10_000;
/** Longest wait for another command that works on the same stack. */
const STACK_LOCK_WAIT_MS = 300_000;

/** Runs `work` while no other command changes the same stack. */
export const withStackLock = <Result>(
  stateDir: string,
  work: () => Promise<Result>,
): Promise<Result> => withHostLock(stackLock(stateDir), STACK_LOCK_WAIT_MS, work);

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

type Start = {
  processes: Processes;
  fingerprintOf: ReturnType<typeof createFingerprints>;
  report: (line: string) => void;
  /** Starts again what runs already. */
  isRestart?: boolean;
};

const startPart = async (part: Part, start: Start): Promise<void> => {
  const { processes, report } = start;
  const name = part.name.padEnd(10);
  if (part.launch === undefined) {
    if (!(await part.isReady())) throw failed(part, 'does not answer at the URL given', processes);
    report(`${name} external`);
    return;
  }
  const launch = await part.launch();
  const fingerprint = start.fingerprintOf(part, launch);
  const running = processes.find(part.name);
  if (running?.fingerprint === fingerprint && !start.isRestart) {
    await waitReady(part, running, processes);
    report(`${name} running`);
    return;
  }
  if (running) await processes.stop(part.name, STOP_GRACE_MS);
  // A port is free only when the last thread of an ended process is gone, even of a killed one.
  const wasStarted = running !== undefined || processes.known().includes(part.name);
  const problem = await waitForPorts(part, wasStarted ? PORT_FREE_TIMEOUT_MS : 0);
  if (problem !== undefined) throw new PartFailedError(`${part.name} ${problem}`);
  const startedAtMs = Date.now();
  const record = processes.start(part.name, launch, fingerprint);
  await waitReady(part, record, processes);
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
  report(`${name} ${running ? 'restarted' : 'started'} in ${seconds} s`);
};

/** Waits for all; the first failure is thrown only when none is still starting. */
const all = async (work: Promise<void>[]): Promise<void> => {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
};

/** Brings the tables of a stack to the newest schema. Throws PartFailedError. */
export const migrate = async (stack: Stack): Promise<void> => {
  try {
    await migrateDatabase(readConfig(migrateConfigSchema, stack.roleEnvironment), silentLogger);
  } catch (error) {
    throw new PartFailedError(`migrations failed: ${errorMessage(error)}`, { cause: error });
  }
};

/**
 * Starts parts that do not run, keeps those that do, restarts those with a changed configuration or build, and
 * returns when every part is ready. Running parts are then supervised. With `isServersOnly`, roles and tables are
 * left alone. Throws PartFailedError.
 */
export const bringUp = (
  stack: Stack,
  options: { isServersOnly: boolean; report: (line: string) => void },
): Promise<void> =>
  withStackLock(stack.stateDir, async () => {
    const { isServersOnly, report } = options;
    const processes = createProcesses(stack.stateDir);
    await stopSupervisor(stack.stateDir, processes);
    try {
      const parts = partsOf(stack);
      const own = new Set(parts.filter(({ launch }) => launch).map(({ name }) => name));
      for (const name of processes.known().filter((name) => !own.has(name))) {
        if (await processes.stop(name, STOP_GRACE_MS)) report(`${name.padEnd(10)} stopped`);
      }
      const fingerprintOf = createFingerprints();
      const start = (kind: Part['kind']): Promise<void> =>
        all(
          parts
            .filter((part) => part.kind === kind)
            .map((part) => startPart(part, { processes, fingerprintOf, report })),
        );
      await start('server');
      if (isServersOnly) return;
      await migrate(stack);
      await start('role');
    } finally {
      startSupervisor(stack.stateDir, processes);
    }
  });

/**
 * Restarts roles one after the other, readers before writers, each once the previous one is ready: work shared by
 * several copies continues, work done by a single one pauses. Throws PartFailedError.
 * @param name the role; all of them if absent.
 */
export const rollRoles = (
  stack: Stack,
  name: string | undefined,
  report: (line: string) => void,
): Promise<void> =>
  withStackLock(stack.stateDir, async () => {
    const parts = partsOf(stack);
    const roles = parts.filter(({ kind }) => kind === 'role');
    const chosen = roles.filter((part) => name === undefined || part.name === name);
    if (chosen.length === 0) {
      throw new Error(`ROLE must be one of: ${roles.map((part) => part.name).join(', ')}`);
    }
    const processes = createProcesses(stack.stateDir);
    if (!roles.some((part) => processes.find(part.name))) {
      throw new Error('no role runs: make up starts them');
    }
    // A role that cannot reach its servers would not start again, for example after a password in secrets.json was
    // changed.
    for (const server of parts.filter(({ kind }) => kind === 'server')) {
      if (await server.isReady()) continue;
      throw new Error(`${server.name} does not answer, so no role is restarted: make up first`);
    }
    const fingerprintOf = createFingerprints();
    for (const part of inRollOrder(chosen)) {
      await startPart(part, { processes, fingerprintOf, report, isRestart: true });
    }
  });

const PORT_POLL_MS = 50;
/** Log lines shown of a part that failed. */
export const LINES_SHOWN = 20;

/** Why a part does not run, and its last log lines. */
class PartFailedError extends Error {
  override name = 'PartFailedError';
}

/** A part's failure with the end of its log. */
export const failed = (part: Part, reason: string, processes: Processes): PartFailedError => {
  const lines = processes.lastLines(part.name, LINES_SHOWN).map((l) => `  ${shortLogLine(l)}`);
  const log = lines.length === 0 ? [] : [`Its last log lines:`, ...lines];
  return new PartFailedError([`${part.name} ${reason}.`, ...log].join('\n'));
};

/** Digest of what roles run: the build and its packages. */
const buildDigest = (): string => {
  const folder = join(projectRoot(), 'dist');
  if (!existsSync(folder)) return '';
  const hash = createHash('sha256').update(readFileSync(join(projectRoot(), 'package-lock.json')));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.js')).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
};

/** Digests of what would be started now: configuration, the files it is read from and, for roles, the build. */
export const createFingerprints = (): ((part: Part, launch: Launch) => string) => {
  const build = buildDigest();
  return ({ kind }, launch) => {
    const hash = createHash('sha256').update(JSON.stringify(launch));
    for (const file of launch.files ?? []) hash.update(readFileSync(file));
    return hash.update(kind === 'role' ? build : '').digest('hex');
  };
};

/** Waits until a part's ports are free. Resolves to the problem if they are not within `waitMs`. */
export const waitForPorts = async (part: Part, waitMs: number): Promise<string | undefined> => {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const areTaken = await Promise.all(part.ports.map(isPortTaken));
    const taken = part.ports.filter((_, index) => areTaken[index]);
    if (taken.length === 0) return undefined;
    if (Date.now() >= deadline) {
      return `needs port ${taken.join(' and ')}, which another program uses: choose another PORT_BASE`;
    }
    await sleep(PORT_POLL_MS);
  }
};

/**
 * Which ports of parts to be started are used by other programs; `own` are those that the stack itself uses now.
 */
export const portProblems = async (
  parts: readonly Part[],
  own: readonly number[],
): Promise<string[]> => {
  const foreign = parts.filter(({ ports }) => !ports.some((port) => own.includes(port)));
  const problems = await Promise.all(
    foreign.map(async (part) => ({ part, problem: await waitForPorts(part, 0) })),
  );
  return problems.flatMap(({ part, problem }) => (problem ? [`${part.name} ${problem}`] : []));
};

/** How long a part may take to finish its work after SIGTERM. */
const STOP_GRACE_MS = 15_000;

/** Parts that others depend on: they are stopped last. */
const SERVERS = ['nats', 'redis', 'clickhouse', 'devnet'];
const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api'];

/** Stops the processes this stack started, roles before servers, and no others. Returns their names. */
export const takeDown = async (stateDir: string): Promise<string[]> => {
  const processes = createProcesses(stateDir);
  await stopSupervisor(stateDir, processes);
  const others = processes.known().filter((name) => !SERVERS.includes(name));
  const stopAll = async (names: string[]): Promise<string[]> => {
    const stopped = await Promise.all(
      names.map(async (name) => ((await processes.stop(name, STOP_GRACE_MS)) ? [name] : [])),
    );
    return stopped.flat();
  };
  const roles = await stopAll([...new Set([...ROLES, ...others])]);
  return [...roles, ...(await stopAll(SERVERS))];
};
