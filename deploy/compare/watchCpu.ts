import { cpuSecondsOfTree } from '../bench/childProcesses.ts';

/** CPU seconds of trees of processes: what was last seen of those that have ended. */
export const watchCpu = (pids: readonly number[]): (() => number) => {
  const seen = new Map(pids.map((pid) => [pid, 0]));
  return () => {
    for (const [pid, last] of seen) seen.set(pid, Math.max(last, cpuSecondsOfTree(pid)));
    return [...seen.values()].reduce((sum, one) => sum + one, 0);
  };
};
