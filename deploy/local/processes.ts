import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  bootId,
  identify,
  isRunning,
  type ProcessIdentity,
  readProcText,
  statOf,
} from '../../shared/platform/processIdentity.ts';
import type { Launch } from './launch.ts';

const recordSchema = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  startedAtMs: z.number(),
  fingerprint: z.string(),
});

/** A process a stack started; `fingerprint` is the digest of its configuration and build. */
export type ProcessRecord = z.infer<typeof recordSchema>;

/**
 * Starts, finds and ends the processes of one stack. Functions that write pid files (`start`, `adopt`, `stop`) are
 * called under the stack's lock; a reader that removed one could remove that of a process just started.
 */
export type Processes = {
  /** The running process that the pid file of a part names. */
  recorded: (part: string) => ProcessRecord | undefined;
  /** The same; without a pid file the one that carries the part's mark, which takes longer. */
  find: (part: string) => ProcessRecord | undefined;
  /** The same, and writes the missing pid file. */
  adopt: (part: string) => ProcessRecord | undefined;
  start: (part: string, launch: Launch, fingerprint: string) => ProcessRecord;
  /**
   * SIGTERM, then SIGKILL after `graceMs`, also to its children. Returns whether there was a process to end.
   */
  stop: (part: string, graceMs: number) => Promise<boolean>;
  /** Parts with a pid file, running or not. */
  known: () => string[];
  logFile: (part: string) => string;
  /** The last lines a part has logged. */
  lastLines: (part: string, count: number) => string[];
};

const POLL_MS = 25;
/** Variables of the caller's environment that are passed to a part: others may be somebody's secrets. */
export const INHERITED = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];
/** Logs and pid files are readable by the owner only. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Milliseconds for a killed part to leave the process table. */
const KILL_WAIT_MS = 10_000;
/** A longer log is moved aside when its part starts. */
const LOG_BYTES_MAX = 20_000_000;
/** How much of a log's end is searched for its last lines. */
const LOG_TAIL_BYTES = 65_536;

const hasEnded = async (record: ProcessIdentity, waitMs: number): Promise<boolean> => {
  const deadline = Date.now() + waitMs;
  while (isRunning(record)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
};

const signal = (record: ProcessIdentity, name: NodeJS.Signals): void => {
  try {
    if (isRunning(record)) process.kill(record.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const kill = async (part: string, target: ProcessIdentity): Promise<void> => {
  signal(target, 'SIGKILL');
  if (!(await hasEnded(target, KILL_WAIT_MS))) throw new Error(`${part} cannot be stopped`);
};

const tailOf = (file: string, count: number): string[] => {
  if (!existsSync(file)) return [];
  const text = readFileSync(file).subarray(-LOG_TAIL_BYTES).toString();
  return text.trimEnd().split('\n').filter(Boolean).slice(-count);
};

const createPidFiles = (pidDir: string) => {
  const pidFile = (part: string): string => join(pidDir, `${part}.json`);

  const write = (part: string, record: ProcessRecord): ProcessRecord => {
    mkdirSync(pidDir, { recursive: true, mode: FOLDER_MODE });
    const draft = `${pidFile(part)}.draft`;
    writeFileSync(draft, JSON.stringify(record), { mode: FILE_MODE });
    renameSync(draft, pidFile(part));
    return record;
  };

  const read = (part: string): ProcessRecord | undefined => {
    if (!existsSync(pidFile(part))) return undefined;
    try {
      return recordSchema.parse(JSON.parse(readFileSync(pidFile(part), 'utf8')));
    } catch {
      // A damaged pid file is ignored; the process is still found by its mark.
      return undefined;
    }
  };

  const remove = (part: string): void => rmSync(pidFile(part), { force: true });

  const known = (): string[] =>
    (existsSync(pidDir) ? readdirSync(pidDir) : [])
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length));

  return { read, write, remove, known };
};

/** Opens a log to append to; one that has grown too long is moved aside first. */
const openLog = (file: string): number => {
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openSync(file, 'a', FILE_MODE);
};

const inheritedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.includes(name)));

/** Manages the processes of the stack in `stateDir` (an absolute path). */
export const createProcesses = (stateDir: string): Processes => {
  const { read, write, remove, known } = createPidFiles(join(stateDir, 'pids'));
  const logDir = join(stateDir, 'logs');
  const mark = (part: string): string => `${stateDir}#${part}`;
  const logFile: Processes['logFile'] = (part) => join(logDir, `${part}.log`);

  const recorded: Processes['recorded'] = (part) => {
    const record = read(part);
    return record && isRunning(record) ? record : undefined;
  };

  const find: Processes['find'] = (part) => {
    const record = recorded(part);
    if (record) return record;
    const [found] = findMarked(mark(part));
    return found && { ...found, startedAtMs: Date.now(), fingerprint: 'unknown' };
  };

  const adopt: Processes['adopt'] = (part) => {
    const record = recorded(part);
    if (record) return record;
    const found = find(part);
    return found && write(part, found);
  };

  const start: Processes['start'] = (part, { command, args, env }, fingerprint) => {
    mkdirSync(logDir, { recursive: true, mode: FOLDER_MODE });
    const log = openLog(logFile(part));
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...inheritedEnvironment(), ...env, [PART_VARIABLE]: mark(part) },
    });
    closeSync(log);
    // A program that cannot start has no pid, which is reported below.
    child.on('error', () => undefined);
    child.unref();
    const identity = identifyChild(child.pid);
    if (identity === undefined) throw new Error(`${part}: ${command} could not be started`);
    return write(part, { ...identity, startedAtMs: Date.now(), fingerprint });
  };

  const stop: Processes['stop'] = async (part, graceMs) => {
    const record = find(part);
    if (record !== undefined) {
      signal(record, 'SIGTERM');
      await hasEnded(record, graceMs);
      await kill(part, record);
      // Children of a killed process.
      for (const child of findMarked(mark(part))) await kill(part, child);
    }
    remove(part);
    return record !== undefined;
  };

  const lastLines: Processes['lastLines'] = (part, count) => tailOf(logFile(part), count);
  return { recorded, find, adopt, start, stop, known, logFile, lastLines };
};

/** Processes carry this variable, so a stack finds its own even if a pid file was never written. */
export const PART_VARIABLE = 'TSD_STACK_PART';

/** The identity of a child just spawned, which may already have ended; undefined when it never started. */
const identifyChild = (pid: number | undefined): ProcessIdentity | undefined => {
  const stat = pid === undefined ? undefined : statOf(pid);
  if (pid === undefined || stat === undefined) return undefined;
  return { pid, startTime: stat.startTime, bootId: bootId() };
};

/** The running processes that were started with this mark, without the children they started. */
export const findMarked = (mark: string): ProcessIdentity[] => {
  const entry = `${PART_VARIABLE}=${mark}`;
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProcText(`/proc/${pid}/environ`)?.split('\0').includes(entry));
  return pids
    .filter((pid) => !pids.includes(statOf(pid)?.parent ?? 0))
    .map(identify)
    .filter((found) => found !== undefined);
};

/** Resident memory of a process in bytes; undefined when it does not run. */
export const residentBytes = (pid: number): number | undefined => {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readProcText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1_024;
};
