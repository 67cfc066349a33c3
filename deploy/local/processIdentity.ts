import { readdirSync, readFileSync } from 'node:fs';

/** Names one run of one process: a recycled pid has another start time, another boot another id. */
export type ProcessIdentity = { pid: number; startTime: string; bootId: string };

/** Processes carry this variable: a stack finds its own even where a pid file was never written. */
export const PART_VARIABLE = 'TSD_STACK_PART';

/** What of `/proc/<pid>/stat` matters here. */
export type ProcessStat = { state: string; parent: number; startTime: string };

/** Reads the text of `/proc/<pid>/stat`, in which the program's name may hold spaces and brackets. */
export const parseStat = (text: string): ProcessStat => {
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = rest;
  const startTime = rest[19];
  if (state === undefined || parent === undefined || startTime === undefined) {
    throw new Error('unexpected format of /proc/<pid>/stat');
  }
  return { state, parent: Number(parent), startTime };
};

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended, or belongs to another user: not ours either way.
    return undefined;
  }
};

const statOf = (pid: number): ProcessStat | undefined => {
  const text = readText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
};

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** The identity of a child just spawned, which may already have ended; undefined when it never started. */
export const identifyChild = (pid: number | undefined): ProcessIdentity | undefined => {
  const stat = pid === undefined ? undefined : statOf(pid);
  if (pid === undefined || stat === undefined) return undefined;
  return { pid, startTime: stat.startTime, bootId: bootId() };
};

/** The identity of a running process; undefined when it does not run (a zombie does not). */
export const identify = (pid: number): ProcessIdentity | undefined => {
  const stat = statOf(pid);
  if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return undefined;
  return { pid, startTime: stat.startTime, bootId: bootId() };
};

/** Whether the very process that was identified still runs. */
export const isRunning = (process: ProcessIdentity): boolean => {
  const now = identify(process.pid);
  return now?.startTime === process.startTime && now.bootId === process.bootId;
};

/** The running processes that were started with this mark, without the children they started. */
export const findMarked = (mark: string): ProcessIdentity[] => {
  const entry = `${PART_VARIABLE}=${mark}`;
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readText(`/proc/${pid}/environ`)?.split('\0').includes(entry));
  return pids
    .filter((pid) => !pids.includes(statOf(pid)?.parent ?? 0))
    .map(identify)
    .filter((found) => found !== undefined);
};

/** Resident memory of a process in bytes; undefined when it does not run. */
export const residentBytes = (pid: number): number | undefined => {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1_024;
};
