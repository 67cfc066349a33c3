import { readFileSync } from 'node:fs';
import { type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { answersHttp } from '../local/probes.ts';

/** A million watched addresses are read first. */
const READY_TIMEOUT_MS = 240_000;

/**
 * Waits until an HTTP GET of the child answers 200. @throws Error after some minutes, or when the child exits.
 */
export const untilAnswers = async (url: string, child: TestProcess): Promise<void> => {
  const answers = async () => (await answersHttp(url)) || undefined;
  await until(`an answer of ${url}`, answers, READY_TIMEOUT_MS, [child]);
};

/** Bytes. */
export const MIB = 1024 * 1024;

const kibOf = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);

/** Current and peak memory, MiB. Zeros if the process is gone. */
export const memoryOf = (pid: number): { rssMib: number; peakMib: number } => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mib = (field: string): number => Math.round((kibOf(status, field) * 1024) / MIB);
    return { rssMib: mib('VmRSS'), peakMib: mib('VmHWM') };
  } catch {
    return { rssMib: 0, peakMib: 0 };
  }
};

const TICKS_PER_S = 100;

const childrenOf = (pid: number | 'self', thread: number): number[] =>
  readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter(Boolean);

/** Seconds from fields of `/proc/PID/stat` after the program's name. */
const secondsIn = (pid: number, from: number, to: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(from, to).reduce((sum, one) => sum + Number(one), 0) / TICKS_PER_S;
};

/** CPU seconds used so far. */
export const cpuSecondsOf = (pid: number): number => {
  try {
    return secondsIn(pid, 11, 13);
  } catch {
    return 0;
  }
};

/** CPU seconds of a process and its descendants, including those that have exited. */
export const cpuSecondsOfTree = (pid: number): number => {
  try {
    const children = childrenOf(pid, pid).map(cpuSecondsOfTree);
    return children.reduce((sum, one) => sum + one, secondsIn(pid, 11, 15));
  } catch {
    return 0;
  }
};

/** Every child of this process. */
export const childPids = (): number[] => childrenOf('self', process.pid);

/** The servers among this process's children, by a part of their command lines. */
export const serverProcesses = (): (readonly [name: string, pid: number])[] => {
  const names = ['nats-server', 'clickhouseServer', 'redis-server', 'anvil'];
  return childPids().flatMap((pid) => {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const name = names.find((one) => command.includes(one));
    return name ? [[name, pid] as const] : [];
  });
};

/** The same, if there is exactly one of each. */
export const serverPids = (): Map<string, number> => new Map(serverProcesses());

/** Used and available CPU seconds of the whole machine. */
const machineSeconds = (): { busyS: number; allS: number } => {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '';
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, one) => sum + one, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busyS: (all - idle) / TICKS_PER_S, allS: all / TICKS_PER_S };
};

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/**
 * Measures the CPU use of other processes: figures from a busy machine mean little.
 * @param oursS CPU seconds so far of the measured processes, without this one
 * @returns the share of the CPU used by other work since the call
 */
export const watchOthersBeside = (oursS: () => number): (() => number) => {
  const [machine, own] = [machineSeconds(), ownSeconds() + oursS()];
  return () => {
    const now = machineSeconds();
    const busyS = now.busyS - machine.busyS - (ownSeconds() + oursS() - own);
    return Math.max(0, busyS / (now.allS - machine.allS));
  };
};

/** The same, excluding processes that run all the time. */
export const watchOthers = (pids: readonly number[]): (() => number) =>
  watchOthersBeside(() => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0));
