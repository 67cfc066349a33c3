import { cpuSecondsOfTree } from '../bench/childProcesses.ts';

/** CPU seconds of process trees, including the last known values of processes that have exited. */
export const watchCpu = (pids: readonly number[]): (() => number) => {
  const seen = new Map(pids.map((pid) => [pid, 0]));
  return () => {
    for (const [pid, last] of seen) seen.set(pid, Math.max(last, cpuSecondsOfTree(pid)));
    return [...seen.values()].reduce((sum, one) => sum + one, 0);
  };
};
