import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BeatingRole, ChainStatus } from '../../shared/messages/heartbeat.ts';
import { healthyObservation } from '../testing/fakeTokens.ts';
import { assessHealth, type Observation } from './assessHealth.ts';
import type { PipelineState, RoleState } from './pipelineState.ts';

const NOW_MS = Date.parse('2026-11-21T05:30:00Z');
const NOW_S = NOW_MS / 1_000;
const HEALTHY = healthyObservation(NOW_MS);
const PIPELINE = HEALTHY.pipeline as PipelineState;
const CHAIN = PIPELINE.chain as ChainStatus;
const ago = (seconds: number): number => NOW_MS - seconds * 1_000;

const withChecks = (checks: Partial<Observation['checks']>): Observation => ({
  ...HEALTHY,
  checks: { ...HEALTHY.checks, ...checks },
});
const withChain = (
  changes: Partial<ChainStatus>,
  more: Partial<Observation> = {},
): Observation => ({
  ...HEALTHY,
  pipeline: { ...PIPELINE, chain: { ...CHAIN, ...changes } },
  ...more,
});
const withRole = (role: BeatingRole, changes: Partial<RoleState>): Observation => ({
  ...HEALTHY,
  pipeline: {
    ...PIPELINE,
    roles: { ...PIPELINE.roles, [role]: { ...PIPELINE.roles[role], ...changes } },
  },
});
const quiet = { blockTimeS: undefined };
const waiting = (seconds: number) => ({
  waiting: { messages: 7, sinceMs: ago(seconds), block: 90 },
});

/** Name of the case, what is observed, the status, the late parts, the lag. */
const CASES: readonly (readonly [string, Observation, string, string[], number | undefined])[] = [
  ['everything works', HEALTHY, 'healthy', [], 1],
  ['Redis is away', withChecks({ redis: 'down' }), 'unhealthy', ['redis'], 1],
  ['ClickHouse is away', withChecks({ clickhouse: 'down' }), 'unhealthy', ['clickhouse'], 1],
  [
    'both are away',
    withChecks({ redis: 'down', clickhouse: 'down' }),
    'unhealthy',
    ['redis', 'clickhouse'],
    1,
  ],
  [
    'NATS is away: the lag is what the clock says',
    { ...withChecks({ nats: 'down' }), pipeline: undefined },
    'degraded',
    ['streams'],
    1,
  ],
  ['JetStream is away', { ...HEALTHY, pipeline: undefined }, 'degraded', ['streams'], 1],
  ['the index follows a little late', { ...HEALTHY, indexLagS: 9 }, 'healthy', [], 1],
  ['the index does not follow', { ...HEALTHY, indexLagS: 14 }, 'degraded', ['index'], 1],
  [
    'the index does not follow a database that is away',
    { ...withChecks({ clickhouse: 'down' }), indexLagS: 14 },
    'unhealthy',
    ['clickhouse'],
    1,
  ],
  ['heartbeats are a little late', withRole('scorer', { beatAtMs: ago(15) }), 'healthy', [], 1],
  ['the scorer is dead', withRole('scorer', { beatAtMs: ago(16) }), 'degraded', ['scorer'], 1],
  ['alerts never lived', withRole('alerts', { beatAtMs: undefined }), 'degraded', ['alerts'], 1],
  [
    'clusters are dead',
    withRole('clusters', { beatAtMs: ago(3_600) }),
    'degraded',
    ['clusters'],
    1,
  ],
  ['push is dead', withRole('push', { beatAtMs: ago(16) }), 'degraded', ['push'], 1],
  [
    'the watcher is dead: the node is unknown',
    {
      ...withRole('watcher', { beatAtMs: ago(600) }),
      scored: { block: 100, timestampS: NOW_S - 600, head: 100 },
    },
    'degraded',
    ['watcher'],
    50,
  ],
  [
    'the watcher of a chain without a beat is dead: the lag is not known',
    { ...withRole('watcher', { beatAtMs: ago(600) }), ...quiet },
    'degraded',
    ['watcher'],
    undefined,
  ],
  ['the node is slow', withChain({ answeredAtMs: ago(30) }), 'healthy', [], 1],
  [
    'the node is dead',
    withChain({ answeredAtMs: ago(240), headTimeS: NOW_S - 240 }),
    'degraded',
    ['node'],
    1,
  ],
  [
    'the node is dead and all it showed is scored: the lag is what the clock says',
    withChain(
      { answeredAtMs: ago(240), headTimeS: NOW_S - 240 },
      { scored: { block: 100, timestampS: NOW_S - 240, head: 100 } },
    ),
    'degraded',
    ['node'],
    20,
  ],
  [
    'the node of a chain without a beat is dead',
    withChain({ answeredAtMs: ago(31) }, quiet),
    'degraded',
    ['node'],
    undefined,
  ],
  [
    'the node has not answered yet',
    { ...HEALTHY, pipeline: { ...PIPELINE, chain: undefined } },
    'degraded',
    ['node'],
    1,
  ],
  ['a few blocks fail to come', withChain({ headTimeS: NOW_S - 120 }), 'healthy', [], 1],
  ['the head does not move', withChain({ headTimeS: NOW_S - 121 }), 'degraded', ['node'], 1],
  [
    'a fast chain pauses',
    withChain({ headTimeS: NOW_S - 60 }, { blockTimeS: 1 }),
    'healthy',
    [],
    1,
  ],
  [
    'a fast chain does not move',
    withChain({ headTimeS: NOW_S - 61 }, { blockTimeS: 1 }),
    'degraded',
    ['node'],
    17,
  ],
  ['no block is mined', withChain({ headTimeS: NOW_S - 86_400 }, quiet), 'healthy', [], 1],
  ['a burst of blocks is being read', withChain({ head: 116, next: 101 }), 'healthy', [], 17],
  ['the watcher catches up', withChain({ head: 117, next: 101 }), 'degraded', ['watcher'], 18],
  ['the scorer has work in hand', withRole('scorer', waiting(60)), 'healthy', [], 1],
  ['the scorer does not come on', withRole('scorer', waiting(61)), 'degraded', ['scorer'], 1],
  ['alerts do not come on', withRole('alerts', waiting(61)), 'degraded', ['alerts'], 1],
  [
    'watcher and scorer are dead',
    {
      ...HEALTHY,
      pipeline: {
        ...PIPELINE,
        roles: {
          ...PIPELINE.roles,
          watcher: { beatAtMs: ago(60), waiting: undefined },
          scorer: { beatAtMs: ago(50), waiting: undefined },
        },
      },
    },
    'degraded',
    ['watcher', 'scorer'],
    1,
  ],
  ['nothing was scored yet', { ...HEALTHY, scored: undefined }, 'healthy', [], undefined],
];

describe('health', () => {
  for (const [name, observation, status, late, lag] of CASES) {
    it(`is ${status} where ${name}`, () => {
      const found = assessHealth(observation, NOW_MS);
      const parts = found.late.map(({ part }) => part);
      assert.deepEqual([found.status, parts, found.blockLag], [status, late, lag]);
    });
  }

  it('says since when a part is late, on which chain, and what it did last', () => {
    const dead = assessHealth(withRole('scorer', { beatAtMs: ago(47) }), NOW_MS).late;
    assert.deepEqual(dead, [
      {
        part: 'scorer',
        chainId: 1,
        sinceMs: ago(47),
        detail: 'has sent no heartbeat for 47 s',
      },
    ]);
    const stuck = assessHealth(withRole('alerts', waiting(90)), NOW_MS).late;
    assert.deepEqual(stuck, [
      {
        part: 'alerts',
        chainId: 1,
        sinceMs: ago(90),
        detail: 'has not handled 7 messages, the first of block 90',
      },
    ]);
    const silent = assessHealth(withChain({ answeredAtMs: ago(75) }), NOW_MS).late;
    assert.deepEqual(silent, [
      {
        part: 'node',
        chainId: 1,
        sinceMs: ago(75),
        detail: 'has shown no head for 75 s; the last was block 100',
      },
    ]);
    const [push] = assessHealth(withRole('push', { beatAtMs: undefined }), NOW_MS).late;
    assert.deepEqual(push, {
      part: 'push',
      chainId: undefined,
      sinceMs: undefined,
      detail: 'has never sent a heartbeat',
    });
  });
});
