import { setTimeout as sleep } from 'node:timers/promises';
import { DEVNET_PRICING } from '../../shared/testing/devnet/devnetAddresses.ts';
import { startAnvil } from '../../shared/testing/services.ts';
import { cpuSecondsOf, serverPids, watchOthersBeside } from '../bench/childProcesses.ts';
import { percentile } from '../bench/figures.ts';
import { createHeadChain, type HeadChain, TRANSFERS_PER_BLOCK } from '../bench/headChain.ts';
import { markdownTable } from '../report.ts';
import type { Prepared, Subject } from './subjects.ts';
import { watchCpu } from './watchCpu.ts';

// From the moment the call that mined a block has returned, to the moment all of its transfers are found by SQL.
// One block after the other; the node announces them by WebSocket.

const BLOCKS = Number(process.env['HEAD_BLOCKS'] || 60);
/** Before anything counts: connections, compiled code, caches. */
const WARM_UP_BLOCKS = 15;
/** After the facts of a block are found: whatever else is done for it, the verdict for example, is done by then. */
const PAUSE_MS = 300;
const POLL_MS = 2;
const BLOCK_TIMEOUT_MS = 60_000;
const FIRST_BLOCK_TIMEOUT_MS = 1_000;
const START_TIMEOUT_MS = 120_000;
const CHAIN_ID = 31_337;

/** What one of them took in one run. */
export interface HeadResult {
  /** Of each block. */
  readonly latenciesMs: readonly number[];
  /** CPU milliseconds a block. */
  readonly programCpuMs: number;
  readonly serverCpuMs: number;
  /** Share of the CPU that other work took. */
  readonly others: number;
}

/** @returns milliseconds until the next block is stored; undefined where it is not in time */
const measureBlock = async (
  subject: Subject,
  chain: HeadChain,
  timeoutMs: number,
): Promise<number | undefined> => {
  const { number, minedAt } = await chain.mine(false);
  while ((await subject.transfersOf(number)) < TRANSFERS_PER_BLOCK) {
    if (performance.now() - minedAt > timeoutMs) return undefined;
    await sleep(POLL_MS);
  }
  const latencyMs = performance.now() - minedAt;
  await sleep(PAUSE_MS);
  return latencyMs;
};

/** Mines until blocks are stored: Ponder learns where the head is from the first block after its start. */
const warmUp = async (subject: Subject, chain: HeadChain): Promise<void> => {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (let stored = 0; stored < WARM_UP_BLOCKS; ) {
    if (performance.now() > deadline) throw new Error('no block is stored');
    const latencyMs = await measureBlock(subject, chain, FIRST_BLOCK_TIMEOUT_MS);
    if (latencyMs !== undefined) stored += 1;
  }
};

/** Runs one of them once. @throws Error when a block is not stored in time */
export const measureHead = async (prepare: () => Promise<Prepared>): Promise<HeadResult> => {
  const prepared = await prepare();
  const anvil = await startAnvil();
  let subject: Subject | undefined;
  try {
    const chain = await createHeadChain(anvil.url);
    subject = await prepared.start({
      rpcUrl: anvil.url,
      chainId: CHAIN_ID,
      firstBlock: 0,
      environment: DEVNET_PRICING,
    });
    const [programS, serverS] = [watchCpu(subject.programs), watchCpu(subject.servers)];
    await warmUp(subject, chain);
    const [programBeforeS, serverBeforeS] = [programS(), serverS()];
    const node = serverPids().get('anvil') ?? 0;
    const others = watchOthersBeside(() => programS() + serverS() + cpuSecondsOf(node));
    const latenciesMs: number[] = [];
    while (latenciesMs.length < BLOCKS) {
      const latencyMs = await measureBlock(subject, chain, BLOCK_TIMEOUT_MS);
      if (latencyMs === undefined) throw new Error('a block was not stored in time');
      latenciesMs.push(latencyMs);
    }
    return {
      latenciesMs,
      programCpuMs: (1_000 * (programS() - programBeforeS)) / BLOCKS,
      serverCpuMs: (1_000 * (serverS() - serverBeforeS)) / BLOCKS,
      others: others(),
    };
  } finally {
    await subject?.stop();
    await anvil.stop();
  }
};

/** The rows of all runs of each, by name. */
export const headTable = (results: ReadonlyMap<string, readonly HeadResult[]>): string => {
  const heads = ['', 'p50, ms', 'p95', 'p99', 'CPU ms a block: programs + servers'];
  const rows = [...results].map(([name, runs]) => {
    const latencies = runs.flatMap(({ latenciesMs }) => latenciesMs);
    const mean = (of: (run: HeadResult) => number): string =>
      (runs.reduce((sum, run) => sum + of(run), 0) / runs.length).toFixed(0);
    return [
      name,
      ...[0.5, 0.95, 0.99].map((share) => percentile(latencies, share).toFixed(0)),
      `${mean((run) => run.programCpuMs)} + ${mean((run) => run.serverCpuMs)}`,
    ];
  });
  return markdownTable([heads, ...rows]);
};

/** What the chain has. */
export const HEAD_OF = `${BLOCKS} blocks a round of ${TRANSFERS_PER_BLOCK} transfers each, every third with a purchase`;
