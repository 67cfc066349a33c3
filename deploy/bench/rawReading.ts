import { z } from 'zod';
import { cpuSecondsOf } from './childProcesses.ts';
import type { SyntheticChain } from './syntheticChain.ts';

/** Logs per answer, as many as the watcher requests. */
const LOGS_PER_ANSWER = 10_000;
const LOGS_PER_BLOCK = 50;
/** Requests under way, as many as the watcher has. */
const REQUESTS = 3;

/** Transfers by second and by CPU second. */
export interface Speed {
  readonly perS: number;
  readonly perCpuS: number;
}

interface Log {
  readonly topics: readonly string[];
  readonly data: string;
}
const answerSchema = z.object({ result: z.custom<readonly Log[]>(Array.isArray) });

/**
 * Slices the minimum that a reader of transfers needs; returns their number and a value that depends on all of it.
 */
const slice = (logs: readonly Log[]): { transfers: number; length: number } => {
  let [transfers, length] = [0, 0];
  for (const { topics, data } of logs) {
    if (topics.length !== 3 || data.length !== 66) continue;
    transfers += 1;
    const from = `0x${topics[1]?.slice(26)}`;
    const to = `0x${topics[2]?.slice(26)}`;
    const value = `0x${data.slice(2)}`;
    length += from.length + to.length + value.length;
  }
  return { transfers, length };
};

/**
 * The limit of any reader in one process: `fetch`, `JSON.parse` and slicing of all transfers, with nothing stored.
 */
export const measureRawReading = async (nodeUrl: string, chain: SyntheticChain): Promise<Speed> => {
  const blocksPerAnswer = LOGS_PER_ANSWER / LOGS_PER_BLOCK;
  let next = chain.firstBlock;
  let transfers = 0;
  let sliced = 0;
  const read = async (): Promise<void> => {
    while (next <= chain.lastBlock) {
      const from = next;
      next += blocksPerAnswer;
      const to = Math.min(from + blocksPerAnswer - 1, chain.lastBlock);
      const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getLogs',
        params: [filter],
      });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${nodeUrl}/limit`, { method: 'POST', headers, body });
      const { result } = answerSchema.parse(JSON.parse(await response.text()));
      const found = slice(result);
      transfers += found.transfers;
      sliced += found.length;
    }
  };
  const [startedMs, cpuBeforeS] = [performance.now(), cpuSecondsOf(process.pid)];
  await Promise.all(Array.from({ length: REQUESTS }, read));
  const seconds = (performance.now() - startedMs) / 1_000;
  if (transfers !== chain.transfers || sliced === 0) throw new Error('the limit missed transfers');
  const cpuS = cpuSecondsOf(process.pid) - cpuBeforeS;
  return { perS: transfers / seconds, perCpuS: transfers / cpuS };
};
