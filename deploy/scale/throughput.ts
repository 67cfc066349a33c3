import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { PipelineStack } from '../../pipeline/testing/pipelineStack.ts';
import { type Role, type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import {
  cpuSecondsOfTree,
  memoryOf,
  serverProcesses,
  watchOthersBeside,
} from '../bench/childProcesses.ts';
import { startSyntheticNode } from '../bench/startSyntheticNode.ts';
import { createSyntheticChain } from '../bench/syntheticChain.ts';
import { LOOPBACK } from '../local/launch.ts';

// Backfill of synthetic chains by one or several scorers, by CPU seconds of every part.

/** Scorers of a run: copies wait for the lease of their chain. */
export interface Case {
  readonly chains: number;
  readonly copies: number;
}

/** CPU microseconds a transfer, by part. */
export interface Costs {
  readonly watchers: number;
  readonly scorers: number;
  /** Of the scorers that wait. */
  readonly waiting: number;
  readonly nats: number;
  readonly clickhouse: number;
}

export interface Measured extends Case {
  readonly perS: number;
  readonly costs: Costs;
  /** The scorers together at the end. */
  readonly scorerMib: number;
  readonly others: number;
}

const BLOCKS = Number(process.env['BLOCKS'] || 2_000);
/** Any chain's WETH: none of the transfers is of it. */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const POLL_MS = 200;
const WAIT_MS_MAX = 600_000;
const chain = createSyntheticChain(BLOCKS);
/** Of each chain. */
export const { transfers: TRANSFERS } = chain;
const countSchema = z.object({ rows: z.number() });

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

/** Starts a role of every chain that has not begun to read. */
const startScorers = async (
  stack: PipelineStack,
  environments: readonly Readonly<Record<string, string>>[],
  copies: number,
): Promise<TestProcess[]> => {
  const scorers: TestProcess[] = [];
  for (const environment of environments) {
    for (let i = 0; i < copies; i += 1) {
      const port = await freePort();
      const scorer = stack.start('scorer', { ...environment, HEALTH_PORT: String(port) });
      scorers.push(scorer);
      const isReady = (): Promise<true | undefined> =>
        fetch(`http://${LOOPBACK}:${port}/readyz`).then(
          ({ ok }) => ok || undefined,
          () => undefined,
        );
      await until('a scorer', isReady, WAIT_MS_MAX, scorers);
    }
  }
  return scorers;
};

/** @param firstId chain ids from here on have not been used in this stack */
const measure = async (
  stack: PipelineStack,
  { chains, copies }: Case,
  firstId: number,
): Promise<Measured> => {
  const { url: nodeUrl, process: node } = await startSyntheticNode(BLOCKS);
  const ids = Array.from({ length: chains }, (_, i) => firstId + i);
  const environments = ids.map((id) => ({
    RPC_URL: `${nodeUrl}/chain/${id}`,
    CHAIN_ID: String(id),
    START_BLOCK: String(chain.firstBlock),
    WETH_ADDRESS: WETH,
  }));
  const running: TestProcess[] = [];
  try {
    const scorers = await startScorers(stack, environments, copies);
    running.push(...scorers);
    const servers = serverProcesses();
    const pidsOf = (server: string): number[] =>
      servers.filter(([name]) => name === server).map(([, pid]) => pid);
    const [nats, clickhouse] = [pidsOf('nats-server'), pidsOf('clickhouseServer')];
    const scorerPids = scorers.map(({ pid }) => pid);
    const all = [...nats, ...clickhouse, ...scorerPids];
    const before = new Map(all.map((pid) => [pid, cpuSecondsOfTree(pid)]));
    const cpuOf = (pids: readonly number[]): number =>
      sum(pids.map((pid) => cpuSecondsOfTree(pid) - (before.get(pid) ?? 0)));
    const watcherPids: number[] = [];
    const others = watchOthersBeside(() => cpuOf([...all, node.pid, ...watcherPids]));
    const startMs = performance.now();
    const watchers = environments.map((environment) =>
      stack.start('watcher' satisfies Role, environment),
    );
    watcherPids.push(...watchers.map(({ pid }) => pid));
    running.push(...watchers);
    const total = chains * chain.transfers;
    const sql = `SELECT count() AS rows FROM fact_transfers WHERE chain_id IN (${ids.join(', ')})`;
    const isStored = async (): Promise<true | undefined> => {
      await sleep(POLL_MS);
      const [row] = await stack.clickhouse.query(sql, {}, countSchema);
      return (row?.rows ?? 0) >= total || undefined;
    };
    await until('all transfers', isStored, WAIT_MS_MAX, running);
    const perS = total / ((performance.now() - startMs) / 1_000);
    const each = scorerPids.map((pid) => cpuOf([pid])).toSorted((a, b) => b - a);
    const micros = (cpuS: number): number => (1e6 * cpuS) / total;
    return {
      chains,
      copies,
      perS,
      costs: {
        watchers: micros(cpuOf(watcherPids)),
        scorers: micros(sum(each.slice(0, chains))),
        waiting: micros(sum(each.slice(chains))),
        nats: micros(cpuOf(nats)),
        clickhouse: micros(cpuOf(clickhouse)),
      },
      scorerMib: sum(scorerPids.map((pid) => memoryOf(pid).rssMib)),
      others: others(),
    };
  } finally {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    await node.stop();
  }
};

/** Measures cases one after the other, each on chains of its own. */
export const measureThroughput = async (
  stack: PipelineStack,
  cases: readonly Case[],
): Promise<Measured[]> => {
  const results: Measured[] = [];
  for (const [i, one] of cases.entries()) {
    const result = await measure(stack, one, 100 * (i + 1));
    console.log(JSON.stringify(result));
    results.push(result);
  }
  return results;
};
