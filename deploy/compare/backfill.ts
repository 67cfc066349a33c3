import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  childPids,
  cpuSecondsOf,
  cpuSecondsOfTree,
  memoryOf,
  watchOthersBeside,
} from '../bench/childProcesses.ts';
import { percentile } from '../bench/figures.ts';
import { MARKET_LOGS } from '../bench/markets.ts';
import { measureRawReading } from '../bench/rawReading.ts';
import { startSyntheticNode } from '../bench/startSyntheticNode.ts';
import { createSyntheticChain } from '../bench/syntheticChain.ts';
import { markdownTable, whole } from '../report.ts';
import { type Prepared, type Subject, totalsSchema } from './subjects.ts';
import { watchCpu } from './watchCpu.ts';

// Backfill of one synthetic chain.

const BLOCKS = Number(process.env['BLOCKS'] || 4_000);
const MARKETS = 'uniswap_v2';
/** Any chain's WETH: none of the transfers is of it. */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const POLL_MS = 50;
const RUN_TIMEOUT_MS = 900_000;

const chain = createSyntheticChain(BLOCKS, MARKETS);
/** Every second block has the events of the markets. */
const poolEvents = (BLOCKS / 2) * MARKET_LOGS[MARKETS].length;
const expected = {
  transfers: chain.transfers,
  pool_events: poolEvents,
  value: chain.totals().values.toString(),
};
const EVENTS = expected.transfers + expected.pool_events;
export interface BackfillResult {
  readonly seconds: number;
  readonly programCpuS: number;
  readonly serverCpuS: number;
  readonly nodeCpuS: number;
  readonly programMib: number;
  readonly requests: number;
  /** Of raw reading, in the same run. */
  readonly ratio: number;
  readonly others: number;
}

const countsSchema = z.record(z.object({ requests: z.number() }));
const requestsOf = async (nodeUrl: string, path: string): Promise<number> => {
  const counts = countsSchema.parse(await (await fetch(`${nodeUrl}/counts`)).json());
  return Object.entries(counts)
    .filter(([key]) => key.startsWith(path))
    .reduce((sum, [, { requests }]) => sum + requests, 0);
};

/** Runs one of them once. @throws Error when its rows are not those of the chain */
export const measureBackfill = async (
  prepare: () => Promise<Prepared>,
): Promise<BackfillResult> => {
  const { url: nodeUrl, process: node } = await startSyntheticNode(BLOCKS, MARKETS);
  const prepared = await prepare();
  let subject: Subject | undefined;
  try {
    const { perS: rawPerS } = await measureRawReading(nodeUrl, chain);
    const nodeBeforeS = cpuSecondsOf(node.pid);
    const serverBefore = new Map(childPids().map((pid) => [pid, cpuSecondsOfTree(pid)]));
    const startedMs = performance.now();
    subject = await prepared.start({
      rpcUrl: `${nodeUrl}/subject`,
      chainId: 1,
      firstBlock: chain.firstBlock,
      lastBlock: chain.lastBlock,
      environment: { WETH_ADDRESS: WETH },
    });
    const [programCpuS, serverCpuS] = [watchCpu(subject.programs), watchCpu(subject.servers)];
    const others = watchOthersBeside(() => programCpuS() + serverCpuS() + cpuSecondsOf(node.pid));
    let programMib = 0;
    for (;;) {
      const isDone = await subject.isDone(EVENTS);
      programCpuS();
      const mib = subject.programs.reduce((sum, pid) => sum + memoryOf(pid).rssMib, 0);
      programMib = Math.max(programMib, mib);
      if (isDone) break;
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > RUN_TIMEOUT_MS) throw new Error(`not done after ${elapsedMs / 1_000} s`);
      await sleep(POLL_MS);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const before = subject.servers.reduce((sum, pid) => sum + (serverBefore.get(pid) ?? 0), 0);
    const result = {
      seconds,
      programCpuS: programCpuS(),
      serverCpuS: serverCpuS() - before,
      nodeCpuS: cpuSecondsOf(node.pid) - nodeBeforeS,
      programMib,
      requests: await requestsOf(nodeUrl, 'subject'),
      ratio: EVENTS / seconds / rawPerS,
      others: others(),
    };
    const [found] = totalsSchema.parse(await subject.readTotals());
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`rows differ: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
    return result;
  } finally {
    await subject?.stop();
    await node.stop();
  }
};

/** @param results by name */
export const backfillTable = (results: ReadonlyMap<string, readonly BackfillResult[]>): string => {
  const heads = [
    '',
    'seconds',
    'events/s',
    'CPU seconds: programs + servers',
    'events per CPU second',
    'programs, MiB',
    'requests',
    'CPU seconds of the node',
  ];
  const rows = [...results].map(([name, all]) => {
    const of = (field: keyof BackfillResult): number =>
      percentile(
        all.map((one) => one[field]),
        0.5,
      );
    const cpuS = of('programCpuS') + of('serverCpuS');
    return [
      name,
      of('seconds').toFixed(1),
      whole(EVENTS / of('seconds')),
      `${of('programCpuS').toFixed(1)} + ${of('serverCpuS').toFixed(1)}`,
      whole(EVENTS / cpuS),
      whole(of('programMib')),
      whole(of('requests')),
      of('nodeCpuS').toFixed(1),
    ];
  });
  return markdownTable([heads, ...rows]);
};

/** What the chain has. */
export const BACKFILL_OF = `${whole(expected.transfers)} transfers and ${whole(poolEvents)} pool events in ${whole(BLOCKS)} blocks`;
