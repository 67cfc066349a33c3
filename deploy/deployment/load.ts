import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 4;
/** A pro key may ask 1,000 times a minute: four clients stay below. */
const PAUSE_MS = 300;
const REQUEST_TIMEOUT_MS = 30_000;
const EVERY_NTH_WRITES = 5;

/** Requests sent while something happens, and those that were not answered as they should have been. */
export interface LoadResult {
  readonly requests: number;
  readonly writes: number;
  readonly failures: readonly string[];
}

/** Sends reads and writes to an API while `work` runs. Nothing is sent twice. */
export const underLoad = async (
  { baseUrl, key }: { baseUrl: string; key: string },
  work: () => Promise<void>,
): Promise<LoadResult> => {
  const failures: string[] = [];
  let [isOver, requests, writes] = [false, 0, 0];
  const send = async (isWrite: boolean, number: number): Promise<void> => {
    const address = `0x${number.toString(16).padStart(40, 'd')}`;
    const body = JSON.stringify({ type: 'token', address });
    const response = await fetch(`${baseUrl}${isWrite ? '/watchlist' : '/tokens?limit=5'}`, {
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(isWrite ? { method: 'POST', body } : {}),
    });
    const text = await response.text();
    if (response.status !== (isWrite ? 201 : 200)) throw new Error(`${response.status} ${text}`);
  };
  const client = async (): Promise<void> => {
    while (!isOver) {
      const number = (requests += 1);
      const isWrite = number % EVERY_NTH_WRITES === 0;
      if (isWrite) writes += 1;
      await send(isWrite, number).catch((error: unknown) => failures.push(String(error)));
      await sleep(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return { requests, writes, failures };
};
