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
const withRole = (
  role: BeatingRole,
  changes: Partial<RoleState>,
  { pipeline = PIPELINE, ...rest }: Observation = HEALTHY,
): Observation => {
  const roles = { ...pipeline.roles, [role]: { ...pipeline.roles[role], ...changes } };
  return { ...rest, pipeline: { ...pipeline, roles } };
};
const quiet = { blockTimeS: undefined };
const waiting = (seconds: number) => ({
  waiting: { messages: 7, sinceMs: ago(seconds), block: 90 },
});

/** Age of the node's last block, and of the scorer's. */
const silentFor = (seconds: number, more: Partial<Observation> = {}): Observation =>
  withChain({ answeredAtMs: ago(seconds), headTimeS: NOW_S - seconds }, more);
const allScoredAt = (timestampS: number) => ({ scored: { block: 100, timestampS, head: 100 } });
const deadWatcher = withRole('watcher', { beatAtMs: ago(600) });

/** The expected state, what is observed, the late parts, and the lag in blocks. */
type Case = readonly [name: string, observation: Observation, late?: string[], lag?: number | null];

const CASES: Readonly<Record<'healthy' | 'degraded' | 'unhealthy', readonly Case[]>> = {
  healthy: [
    ['everything works', HEALTHY],
    ['the index follows a little late', { ...HEALTHY, indexLagS: 9 }],
    ['heartbeats are a little late', withRole('scorer', { beatAtMs: ago(15) })],
    ['the node is slow', withChain({ answeredAtMs: ago(30) })],
    ['a few blocks fail to come', withChain({ headTimeS: NOW_S - 120 })],
    ['a fast chain pauses', withChain({ headTimeS: NOW_S - 60 }, { blockTimeS: 1 })],
    ['no block is mined', withChain({ headTimeS: NOW_S - 86_400 }, quiet)],
    ['a burst of blocks is being read', withChain({ head: 116, next: 101 }), [], 17],
    ['the scorer has work in hand', withRole('scorer', waiting(60))],
    ['nothing was scored yet', { ...HEALTHY, scored: undefined }, [], null],
  ],
  unhealthy: [
    ['Redis is away', withChecks({ redis: 'down' }), ['redis']],
    ['ClickHouse is away', withChecks({ clickhouse: 'down' }), ['clickhouse']],
    ['both are away', withChecks({ redis: 'down', clickhouse: 'down' }), ['redis', 'clickhouse']],
    [
      'the index does not follow a database that is away',
      { ...withChecks({ clickhouse: 'down' }), indexLagS: 14 },
      ['clickhouse'],
    ],
  ],
  degraded: [
    [
      'NATS is away: the lag is what the clock says',
      { ...withChecks({ nats: 'down' }), pipeline: undefined },
      ['streams'],
    ],
    ['JetStream is away', { ...HEALTHY, pipeline: undefined }, ['streams']],
    ['the index does not follow', { ...HEALTHY, indexLagS: 14 }, ['index']],
    ['the scorer is dead', withRole('scorer', { beatAtMs: ago(16) }), ['scorer']],
    ['alerts never lived', withRole('alerts', { beatAtMs: undefined }), ['alerts']],
    ['clusters are dead', withRole('clusters', { beatAtMs: ago(3_600) }), ['clusters']],
    ['push is dead', withRole('push', { beatAtMs: ago(16) }), ['push']],
    [
      'the watcher is dead: the node is unknown',
      { ...deadWatcher, ...allScoredAt(NOW_S - 600) },
      ['watcher'],
      50,
    ],
    [
      'the watcher of a chain without a beat is dead: the lag is not known',
      { ...deadWatcher, ...quiet },
      ['watcher'],
      null,
    ],
    ['the node is dead', silentFor(240), ['node']],
    [
      'the node is dead and all it showed is scored: the lag is what the clock says',
      silentFor(240, allScoredAt(NOW_S - 240)),
      ['node'],
      20,
    ],
    [
      'the node of a chain without a beat is dead',
      withChain({ answeredAtMs: ago(31) }, quiet),
      ['node'],
      null,
    ],
    [
      'the node has not answered yet',
      { ...HEALTHY, pipeline: { ...PIPELINE, chain: undefined } },
      ['node'],
    ],
    ['the head does not move', withChain({ headTimeS: NOW_S - 121 }), ['node']],
    [
      'a fast chain does not move',
      withChain({ headTimeS: NOW_S - 61 }, { blockTimeS: 1 }),
      ['node'],
      17,
    ],
    ['the watcher catches up', withChain({ head: 117, next: 101 }), ['watcher'], 18],
    ['the scorer does not come on', withRole('scorer', waiting(61)), ['scorer']],
    ['alerts do not come on', withRole('alerts', waiting(61)), ['alerts']],
    [
      'watcher and scorer are dead',
      withRole('watcher', { beatAtMs: ago(60) }, withRole('scorer', { beatAtMs: ago(50) })),
      ['watcher', 'scorer'],
    ],
  ],
};

describe('health', () => {
  for (const [status, cases] of Object.entries(CASES)) {
    for (const [name, observation, late = [], lag = 1] of cases) {
      it(`is ${status} where ${name}`, () => {
        const found = assessHealth(observation, NOW_MS);
        const parts = found.late.map(({ part }) => part);
        assert.deepEqual([found.status, parts, found.blockLag ?? null], [status, late, lag]);
      });
    }
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
