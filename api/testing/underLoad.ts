import { setTimeout as sleep } from 'node:timers/promises';
import { request } from './startApp.ts';

const CLIENTS = 6;
const EVERY_NTH_WRITES = 10;

/** Requests sent while something happened. */
interface Load {
  readonly requests: number;
  readonly writes: number;
  /** Ids of the created watchlist items. */
  readonly created: ReadonlySet<number>;
  /** Requests without the expected response. */
  readonly failures: readonly string[];
}

/**
 * Sends reads and writes to an API while `work` runs, without retries.
 * @param pauseMs between two requests of a client
 */
export const underLoad = async (
  { url, key, pauseMs = 0 }: { url: string; key: string; pauseMs?: number },
  work: () => Promise<void>,
): Promise<Load> => {
  const failures: string[] = [];
  const created = new Set<number>();
  let [isOver, requests, writes] = [false, 0, 0];
  const send = async (isWrite: boolean, number: number): Promise<void> => {
    const address = `0x${number.toString(16).padStart(40, 'd')}`;
    const answer = await (isWrite
      ? request(url, '/watchlist', { method: 'POST', key, body: { type: 'token', address } })
      : request(url, '/tokens?limit=5', { key }));
    if (answer.status !== (isWrite ? 201 : 200)) throw new Error(`${answer.status} ${answer.text}`);
    if (isWrite) created.add(Number((answer.body as { data: { id: number } }).data.id));
  };
  const client = async (): Promise<void> => {
    while (!isOver) {
      const number = (requests += 1);
      const isWrite = number % EVERY_NTH_WRITES === 0;
      if (isWrite) writes += 1;
      await send(isWrite, number).catch((error: unknown) => failures.push(String(error)));
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return { requests, writes, created, failures };
};
