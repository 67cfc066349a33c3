import {
  BEATING_ROLES,
  type BeatingRole,
  type ChainStatus,
} from '../../shared/messages/heartbeat.ts';
import type { ScoredState } from '../statistics/queries.ts';
import type { PipelineState, RoleState } from './pipelineState.ts';

/** Whether a dependency answers. */
export type Answering = 'up' | 'down';

/** Everything health is judged by. */
export interface Observation {
  readonly chainId: number;
  /** Seconds between blocks; undefined on a chain that has no beat of its own, such as a development chain. */
  readonly blockTimeS: number | undefined;
  /** Milliseconds between two heartbeats. */
  readonly heartbeatMs: number;
  readonly checks: Readonly<Record<'redis' | 'clickhouse' | 'index' | 'nats', Answering>>;
  /** Undefined while JetStream is away. */
  readonly pipeline: PipelineState | undefined;
  /** Seconds since the index last followed all that is stored; undefined while it is built. */
  readonly indexLagS: number | undefined;
  /** Undefined before the first block, and while ClickHouse is away. */
  readonly scored: ScoredState | undefined;
}

export const HEALTH_STATES = ['healthy', 'degraded', 'unhealthy'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** Parts of the service that can be late: what it depends on, then its roles. */
export const HEALTH_PARTS = [
  'redis',
  'clickhouse',
  'streams',
  'index',
  'node',
  ...BEATING_ROLES,
] as const;

/** A part that does not do what it should. */
export interface LatePart {
  readonly part: (typeof HEALTH_PARTS)[number];
  /** Undefined where it serves all chains. */
  readonly chainId: number | undefined;
  /** Unix milliseconds; undefined where it is not known. */
  readonly sinceMs: number | undefined;
  readonly detail: string;
}

export interface HealthAssessment {
  readonly status: HealthState;
  /** Blocks between the head and the last one scored; undefined where that is unknown. */
  readonly blockLag: number | undefined;
  /** Whether the node answers the watcher; undefined where there is no watcher to ask. */
  readonly node: Answering | undefined;
  readonly late: readonly LatePart[];
}

/** Signs of life in a row that may be missing. */
const BEATS_MISSED_MAX = 3;
/** Times between heartbeats that a node may be silent: a watcher that catches up asks for the head every ten seconds. */
const NODE_BEATS_MAX = 6;
/** The same for a message that waits to be handled. */
const WAITING_BEATS_MAX = 12;
/** Blocks of a chain with a beat that may fail to come, and the least time that they are waited for. */
const BLOCKS_MISSED_MAX = 10;
const HEAD_AGE_MS_MIN = 60_000;
/** Blocks by which a watcher may be behind its node: what it logs as catching up. */
const WATCHER_LAG_BLOCKS_MAX = 16;

/** Seconds after which lists and searches are late: the index follows what is stored within one. */
const INDEX_LAG_S_MAX = 10;

const secondsOf = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** What cannot be done without: nothing is answered while one of them is away. */
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

/** An index that answers, with what was stored before. */
const lateIndex = ({ checks, indexLagS }: Observation, nowMs: number): LatePart[] => {
  const isFollowing = checks.clickhouse === 'up' && checks.index === 'up';
  if (!isFollowing || indexLagS === undefined || indexLagS <= INDEX_LAG_S_MAX) return [];
  const detail = `is ${Math.round(indexLagS)} s behind: lists and searches lack what was stored since`;
  const sinceMs = Math.round(nowMs - indexLagS * 1_000);
  return [{ part: 'index', chainId: undefined, sinceMs, detail }];
};

const isSilent = ({ beatAtMs }: RoleState, { heartbeatMs }: Observation, nowMs: number): boolean =>
  beatAtMs === undefined || nowMs - beatAtMs > BEATS_MISSED_MAX * heartbeatMs;

/** The node, as far as a running watcher reports it. */
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
  // Where no block is mined there is nothing to be late for.
  if (blockTimeS === undefined) return [];
  const headAtMs = chain.headTimeS * 1_000;
  const ageMs = nowMs - headAtMs;
  if (ageMs <= Math.max(HEAD_AGE_MS_MIN, BLOCKS_MISSED_MAX * blockTimeS * 1_000)) return [];
  const detail = `answers, but its head, block ${chain.head}, is ${secondsOf(ageMs)} old; a block takes ${blockTimeS} s`;
  return [{ ...node, sinceMs: headAtMs, detail }];
};

/** Why a role that lives is late; undefined where it is not. */
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
 * The lag by the head that was seen; where no watcher looks at the head any more, by the blocks that must have come since
 * the last one scored.
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
 * Judges health. Unhealthy: requests cannot be answered. Degraded: they are, but with what is not up to date any more,
 * or without a heartbeat. A chain without a beat of its own is not late for standing still.
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
