import { readdirSync } from 'node:fs';
import {
  bootId,
  identify,
  type ProcessIdentity,
  readProcText,
  statOf,
} from '../../shared/platform/processIdentity.ts';

/** Processes carry this variable: a stack finds its own even where a pid file was never written. */
export const PART_VARIABLE = 'TSD_STACK_PART';

/** The identity of a child just spawned, which may already have ended; undefined when it never started. */
export const identifyChild = (pid: number | undefined): ProcessIdentity | undefined => {
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
