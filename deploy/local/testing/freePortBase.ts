import { canListen } from '../../../shared/testing/services.ts';
import { PORTS_PER_STACK } from '../environment.ts';

/** Runs of ports above those that other tests choose theirs from, which may run at the same time. */
const PORT_RUNS = Array.from({ length: 1_000 }, (_, run) => 19_000 + run * PORTS_PER_STACK);
const runsTaken = new Set<number>();

/** A run of free ports that no other stack of these tests has. */
export const freePortBase = async (): Promise<number> => {
  const start = Math.floor(Math.random() * PORT_RUNS.length);
  for (const base of [...PORT_RUNS.slice(start), ...PORT_RUNS.slice(0, start)]) {
    if (runsTaken.has(base)) continue;
    runsTaken.add(base);
    const ports = Array.from({ length: PORTS_PER_STACK }, (_, index) => base + index);
    if ((await Promise.all(ports.map(canListen))).every(Boolean)) return base;
  }
  throw new Error('no run of free ports');
};
