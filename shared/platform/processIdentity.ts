import { readFileSync } from 'node:fs';

/** Identifies one run of one process: a recycled pid has another start time, another boot another id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** The relevant fields of `/proc/<pid>/stat`. */
export interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly startTime: string;
}

/** Parses `/proc/<pid>/stat`, in which the program's name may contain spaces and brackets. */
export const parseStat = (text: string): ProcessStat => {
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = rest;
  const startTime = rest[19];
  if (state === undefined || parent === undefined || startTime === undefined) {
    throw new Error('unexpected format of /proc/<pid>/stat');
  }
  return { state, parent: Number(parent), startTime };
};

/** The text of a file under /proc; undefined if its process ended or belongs to another user. */
export const readProcText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** State, parent and start of a process; undefined if there is none. */
export const statOf = (pid: number): ProcessStat | undefined => {
  const text = readProcText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
};

/** The id of this boot of this machine. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** The identity of a running process; undefined if it does not run (a zombie does not). */
export const identify = (pid: number): ProcessIdentity | undefined => {
  const stat = statOf(pid);
  if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return undefined;
  return { pid, startTime: stat.startTime, bootId: bootId() };
};

/** Whether exactly the identified process still runs. */
export const isRunning = (process: ProcessIdentity): boolean => {
  const now = identify(process.pid);
  return now?.startTime === process.startTime && now.bootId === process.bootId;
};
