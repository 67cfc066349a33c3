import type { RoleState } from '../../shared/platform/pipelineState.ts';
import type { Observation } from '../health/judgeHealth.ts';

const SECOND_MS = 1_000;

/** What is observed while everything works, on a chain with a block every 12 seconds. */
export const healthyObservation = (nowMs: number): Observation => {
  const role: RoleState = { beatAtMs: nowMs - SECOND_MS, waiting: undefined };
  const headTimeS = Math.floor(nowMs / 1_000) - 5;
  return {
    chainId: 1,
    blockTimeS: 12,
    heartbeatMs: 5 * SECOND_MS,
    checks: { redis: 'up', clickhouse: 'up', nats: 'up' },
    pipeline: {
      roles: { watcher: role, scorer: role, alerts: role, clusters: role, push: role },
      chain: { head: 100, headTimeS, answeredAtMs: nowMs - SECOND_MS, next: 101 },
    },
    scored: { block: 99, timestampS: headTimeS - 12, head: 99 },
  };
};
