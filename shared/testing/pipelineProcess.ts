import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../platform/projectRoot.ts';

/**
 * A file of the project in the same form as this one: compiled (`make test`) or not. @param source such as
 * `api/main.ts`
 */
export const fileOf = (source: string): string =>
  join(import.meta.dirname, '../..', source.replace(/\.ts$/, extname(import.meta.filename)));

const LOADER =
  extname(import.meta.filename) === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];

/** Node arguments for running a program of the project. */
export const programArgs = (source: string): string[] => [...LOADER, fileOf(source)];

/** Node arguments for running a module given as text, which imports files of the project by `fileOf`. */
export const textArgs = (text: string): string[] => [
  ...LOADER,
  '--input-type=module',
  '--eval',
  text,
];

/** A program of one test. The kernel ends it together with the test's process. */
export interface TestProcess {
  readonly name: string;
  readonly pid: number;
  /** Its output so far, limited to the last part. */
  output(): string;
  /** Whether it has exited, by itself or not. */
  hasEnded(): boolean;
  /** Resolves when it has exited, by itself or not. */
  readonly ended: Promise<void>;
  /** Rejects if it exits before `stop`. */
  readonly failed: Promise<never>;
  /** Resolves to its exit code, null after a signal. SIGKILL follows if SIGTERM is ignored. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export type Role = 'watcher' | 'scorer' | 'alerts' | 'clusters' | 'push' | 'api';

const STOP_TIMEOUT_MS = 60_000;
const POLL_MS_MIN = 20;
const POLL_MS_MAX = 500;
const OUTPUT_CHARS_MAX = 20_000;
/** Part of util-linux: starts a program that the kernel kills when its parent ends. */
const DEATH_SIGNAL_PROGRAM = 'setpriv';

/**
 * Starts a program that the kernel kills when this process ends, however it ends. @param user options of setpriv that
 * select the user
 */
export const spawnBound = (
  command: string,
  args: readonly string[],
  { env, ...options }: SpawnOptions,
  user: readonly string[] = [],
): ChildProcess =>
  spawn(DEATH_SIGNAL_PROGRAM, ['--pdeathsig', 'KILL', ...user, '--', command, ...args], {
    ...options,
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', ...env },
  });

export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Ends a program; SIGKILL follows if the signal is ignored for too long. */
export const endProcess = async (
  child: ChildProcess,
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(timer);
};

/** Options for starting a program. */
interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Working folder; the project if absent. */
  readonly cwd?: string;
  /** How much of its output is kept. */
  readonly outputCharsMax?: number;
  /** See `spawnBound`. */
  readonly user?: readonly string[];
}

/** Starts a program. */
export const startProgram = (
  name: string,
  command: string,
  args: readonly string[],
  {
    env = {},
    cwd = projectRoot(),
    outputCharsMax = OUTPUT_CHARS_MAX,
    user = [],
  }: ProgramOptions = {},
): TestProcess => {
  const child = spawnBound(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env }, user);
  let text = '';
  let isStopping = false;
  const collect = (part: Buffer): void => {
    text = (text + part.toString()).slice(-outputCharsMax);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      collect(Buffer.from(error.message));
      resolve();
    });
  });
  const failed = ended.then((): Promise<never> => {
    if (isStopping) return new Promise(() => undefined);
    throw new Error(`${name} ended\n${text}`);
  });
  failed.catch(() => undefined);
  return {
    name,
    pid: child.pid ?? 0,
    output: () => text,
    hasEnded: () => hasEnded(child),
    ended,
    failed,
    stop: async (signal = 'SIGTERM') => {
      isStopping = true;
      await endProcess(child, signal, STOP_TIMEOUT_MS);
      return child.exitCode;
    },
  };
};

/** Starts a JavaScript program. @param args arguments of Node. */
export const startScript = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: Pick<ProgramOptions, 'outputCharsMax'> = {},
): TestProcess => startProgram(name, process.execPath, args, { ...options, env });

/** Starts a role. */
export const startRole = (
  role: Role,
  environment: Readonly<Record<string, string>>,
): TestProcess => {
  const program =
    role === 'api' ? programArgs('api/main.ts') : [...programArgs('pipeline/main.ts'), role];
  return startScript(role, program, { LOG_LEVEL: 'warn', ...environment });
};

/**
 * Waits before the next poll: a tenth of the time so far, because polls keep servers from their work.
 * @returns whether there is time left
 */
const pause = async (startMs: number, timeoutMs: number): Promise<boolean> => {
  const elapsedMs = Date.now() - startMs;
  await sleep(Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, elapsedMs / 10)));
  return elapsedMs <= timeoutMs;
};

/**
 * Polls until the result is not undefined.
 * @param running programs that must not exit meanwhile.
 * @throws Error after `timeoutMs`, or when one of the programs exited, with its last output.
 */
export const until = async <T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  timeoutMs: number,
  running: readonly TestProcess[] = [],
): Promise<T> => {
  const startMs = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const ended = running.find((one) => one.hasEnded());
    if (ended || !(await pause(startMs, timeoutMs))) {
      const reason = ended ? `${ended.name} ended` : `not within ${timeoutMs} ms`;
      const outputs = running.map((one) => `--- ${one.name}\n${one.output()}`);
      throw new Error(`${what}: ${reason}\n${outputs.join('\n')}`);
    }
  }
};

/** Repeats a check until it passes. @returns its result @throws its last error, after `timeoutMs`. */
export const untilHolds = async <T>(check: () => Promise<T> | T, timeoutMs: number): Promise<T> => {
  const startMs = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(await pause(startMs, timeoutMs))) throw error;
    }
  }
};
