import {
  BEATING_ROLES,
  type BeatingRole,
  type ChainStatus,
} from '../../shared/messages/heartbeat.ts';
import type { ScoredState } from '../statistics/queries.ts';
import type { PipelineState, RoleState } from './pipelineState.ts';

/** Whether a dependency answers. */
export type Answering = 'up' | 'down';

/** All inputs of the health assessment. */
export interface Observation {
  readonly chainId: number;
  /** Seconds between blocks; undefined on a chain without a block time, such as a development chain. */
  readonly blockTimeS: number | undefined;
  /** Milliseconds between two heartbeats. */
  readonly heartbeatMs: number;
  readonly checks: Readonly<Record<'redis' | 'clickhouse' | 'index' | 'nats', Answering>>;
  /** Undefined while JetStream is unavailable. */
  readonly pipeline: PipelineState | undefined;
  /** Seconds since the index was last up to date; undefined while it is being built. */
  readonly indexLagS: number | undefined;
  /** Undefined before the first block, and while ClickHouse is unavailable. */
  readonly scored: ScoredState | undefined;
}

export const HEALTH_STATES = ['healthy', 'degraded', 'unhealthy'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** Parts of the service that can be late: its dependencies, then its roles. */
export const HEALTH_PARTS = [
  'redis',
  'clickhouse',
  'streams',
  'index',
  'node',
  ...BEATING_ROLES,
] as const;

/** A part that is not healthy. */
export interface LatePart {
  readonly part: (typeof HEALTH_PARTS)[number];
  /** Undefined if it serves all chains. */
  readonly chainId: number | undefined;
  /** Unix milliseconds; undefined if unknown. */
  readonly sinceMs: number | undefined;
  readonly detail: string;
}

export interface HealthAssessment {
  readonly status: HealthState;
  /** Blocks between the head and the last scored block; undefined if unknown. */
  readonly blockLag: number | undefined;
  /** Whether the node answers the watcher; undefined without a watcher. */
  readonly node: Answering | undefined;
  readonly late: readonly LatePart[];
}

/** Consecutive heartbeats that may be missing. */
const BEATS_MISSED_MAX = 3;
/**
 * Heartbeat intervals for which a node may not answer: a watcher that catches up asks for the head every ten seconds.
 */
const NODE_BEATS_MAX = 6;
/** The same for a message waiting to be handled. */
const WAITING_BEATS_MAX = 12;
/** Blocks that may fail to arrive on a chain with a block time, and the least time to wait for them. */
const BLOCKS_MISSED_MAX = 10;
const HEAD_AGE_MS_MIN = 60_000;
/** Blocks by which a watcher may be behind its node; beyond that it logs that it is catching up. */
const WATCHER_LAG_BLOCKS_MAX = 16;

/** Seconds after which lists and searches are late; the index normally follows within one second. */
const INDEX_LAG_S_MAX = 10;

const secondsOf = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** Dependencies without which no request can be answered. */
const awayParts = ({ checks, pipeline }: Observation): LatePart[] => {
  const away = (part: LatePart['part'], detail: string): LatePart => ({
    part,
    chainId: undefined,
    sinceMs: undefined,
    detail,
  });
  return [
    ...(checks.redis === 'down' ? [away('redis', 'does not answer')] : []),
    ...(checks.clickhouse === 'down' ? [away('clickhouse', 'does not answer')] : []),
    ...(checks.index === 'down'
      ? [away('index', 'is being built: lists and searches are not answered')]
      : []),
    ...(checks.nats === 'down' ? [away('streams', 'NATS does not answer')] : []),
    ...(checks.nats === 'up' && !pipeline
      ? [away('streams', 'JetStream does not report how far the roles are')]
      : []),
  ];
};

/** The index still answers, with older data. */
const lateIndex = ({ checks, indexLagS }: Observation, nowMs: number): LatePart[] => {
  const isFollowing = checks.clickhouse === 'up' && checks.index === 'up';
  if (!isFollowing || indexLagS === undefined || indexLagS <= INDEX_LAG_S_MAX) return [];
  const detail = `is ${Math.round(indexLagS)} s behind: lists and searches lack what was stored since`;
  const sinceMs = Math.round(nowMs - indexLagS * 1_000);
  return [{ part: 'index', chainId: undefined, sinceMs, detail }];
};

const isSilent = ({ beatAtMs }: RoleState, { heartbeatMs }: Observation, nowMs: number): boolean =>
  beatAtMs === undefined || nowMs - beatAtMs > BEATS_MISSED_MAX * heartbeatMs;

/** The node, as reported by a running watcher. */
const lateNode = (
  observation: Observation,
  chain: ChainStatus | undefined,
  nowMs: number,
): LatePart[] => {
  const { chainId, blockTimeS, heartbeatMs } = observation;
  const node = { part: 'node', chainId } as const;
  if (!chain) {
    return [{ ...node, sinceMs: undefined, detail: 'has not answered the watcher yet' }];
  }
  const silentMs = nowMs - chain.answeredAtMs;
  if (silentMs > NODE_BEATS_MAX * heartbeatMs) {
    const detail = `has shown no head for ${secondsOf(silentMs)}; the last was block ${chain.head}`;
    return [{ ...node, sinceMs: chain.answeredAtMs, detail }];
  }
  // While no block is mined, nothing can be late.
  if (blockTimeS === undefined) return [];
  const headAtMs = chain.headTimeS * 1_000;
  const ageMs = nowMs - headAtMs;
  if (ageMs <= Math.max(HEAD_AGE_MS_MIN, BLOCKS_MISSED_MAX * blockTimeS * 1_000)) return [];
  const detail = `answers, but its head, block ${chain.head}, is ${secondsOf(ageMs)} old; a block takes ${blockTimeS} s`;
  return [{ ...node, sinceMs: headAtMs, detail }];
};

/** Why a running role is late; undefined if it is not. */
const backlogOf = (
  role: BeatingRole,
  { heartbeatMs }: Observation,
  { roles, chain }: PipelineState,
  nowMs: number,
): Pick<LatePart, 'sinceMs' | 'detail'> | undefined => {
  const { waiting } = roles[role];
  if (waiting && nowMs - waiting.sinceMs > WAITING_BEATS_MAX * heartbeatMs) {
    const from = waiting.block === undefined ? '' : `, the first of block ${waiting.block}`;
    const detail = `has not handled ${waiting.messages} messages${from}`;
    return { sinceMs: waiting.sinceMs, detail };
  }
  const lag = role === 'watcher' && chain ? chain.head + 1 - chain.next : 0;
  if (lag <= WATCHER_LAG_BLOCKS_MAX) return undefined;
  return { sinceMs: undefined, detail: `is ${lag} blocks behind the head of the node` };
};

const lateRole = (
  role: BeatingRole,
  observation: Observation,
  pipeline: PipelineState,
  nowMs: number,
): LatePart[] => {
  const state = pipeline.roles[role];
  const part = { part: role, chainId: role === 'push' ? undefined : observation.chainId };
  if (isSilent(state, observation, nowMs)) {
    const { beatAtMs } = state;
    const detail =
      beatAtMs === undefined
        ? 'has never sent a heartbeat'
        : `has sent no heartbeat for ${secondsOf(nowMs - beatAtMs)}`;
    return [{ ...part, sinceMs: beatAtMs, detail }];
  }
  const backlog = backlogOf(role, observation, pipeline, nowMs);
  return backlog ? [{ ...part, ...backlog }] : [];
};

/**
 * The lag behind the head last seen. If no watcher reports the head any more, it is estimated from the blocks due
 * since the last scored one.
 */
const blockLagOf = (
  { pipeline, scored, blockTimeS }: Observation,
  isHeadKnown: boolean,
  nowMs: number,
): number | undefined => {
  if (!scored) return undefined;
  const seen = Math.max(0, scored.head, pipeline?.chain?.head ?? 0) - scored.block;
  if (isHeadKnown) return Math.max(0, seen);
  if (blockTimeS === undefined) return undefined;
  const expected = Math.floor((nowMs / 1_000 - scored.timestampS) / blockTimeS);
  return Math.max(0, seen, expected);
};

/**
 * Assesses health. Unhealthy: requests cannot be answered. Degraded: they are answered, but with outdated data or
 * while a heartbeat is missing. A chain without a block time is not late for standing still.
 */
export const assessHealth = (observation: Observation, nowMs: number): HealthAssessment => {
  const { checks, pipeline } = observation;
  const isWatched = pipeline !== undefined && !isSilent(pipeline.roles.watcher, observation, nowMs);
  const node = isWatched ? lateNode(observation, pipeline.chain, nowMs) : [];
  const roles = pipeline
    ? BEATING_ROLES.flatMap((role) => lateRole(role, observation, pipeline, nowMs))
    : [];
  const late = [...awayParts(observation), ...lateIndex(observation, nowMs), ...node, ...roles];
  const isAnswering = checks.redis === 'up' && checks.clickhouse === 'up';
  return {
    status: isAnswering ? (late.length === 0 ? 'healthy' : 'degraded') : 'unhealthy',
    blockLag: blockLagOf(observation, isWatched && node.length === 0, nowMs),
    node: isWatched ? (node.length === 0 ? 'up' : 'down') : undefined,
    late,
  };
};
