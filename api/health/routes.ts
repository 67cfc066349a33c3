import { isoTime } from '../../shared/rules/isoTime.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { count, isoDateTime, z } from '../server/schema.ts';
import {
  assessHealth,
  HEALTH_PARTS,
  HEALTH_STATES,
  type HealthAssessment,
  type Observation,
} from './assessHealth.ts';
import type { Health } from './createHealth.ts';

const statusSchema = z.enum(HEALTH_STATES).openapi({
  description:
    'healthy; degraded: requests are answered, but the parts in `late` are late; unhealthy: requests cannot be answered',
});
/**
 * Stands for an unknown lag: nothing is scored yet, the database is unavailable, or no watcher sees the head.
 */
const LAG_UNKNOWN = -1;

const responseSchema = z.object({
  status: statusSchema,
  timestamp: isoDateTime,
  success: z.boolean(),
  data: z.object({
    status: statusSchema,
    timestamp: isoDateTime,
    block_lag: z.number().int().openapi({
      description:
        'blocks between the head of the chain and the last one scored; if no watcher sees the head any more, estimated by the block time; -1 when unknown',
    }),
    checks: z.record(z.enum(['up', 'down'])).openapi({
      description:
        'redis, clickhouse, nats, and the index of lists and searches (down while it is being built); node, while a watcher reads from it',
    }),
    node: z
      .object({ head: count, head_time: isoDateTime, answered_at: isoDateTime })
      .nullable()
      .openapi({ description: 'the node as last seen by the watcher; null when unknown' }),
    index_lag: z.number().nullable().openapi({
      description:
        'seconds since the index of lists and searches was last up to date; null while it is being built',
    }),
    scored: z
      .object({ block: count, block_time: isoDateTime })
      .nullable()
      .openapi({ description: 'the last block scored; null when unknown' }),
    consumers: z
      .array(
        z.object({
          role: z.string(),
          seen_at: isoDateTime.nullable().openapi({ description: 'its last heartbeat' }),
          waiting_messages: count.openapi({ description: 'of the chain, not handled yet' }),
          waiting_since: isoDateTime.nullable(),
          lag_blocks: count.nullable().openapi({
            description:
              'blocks it has yet to read; null when unknown and for push, which reads none',
          }),
        }),
      )
      .openapi({ description: 'empty while the streams do not answer' }),
    late: z
      .array(
        z.object({
          part: z.enum(HEALTH_PARTS),
          chain_id: count
            .nullable()
            .openapi({ description: 'null for parts that serve all chains' }),
          since: isoDateTime.nullable().openapi({ description: 'null when unknown' }),
          detail: z.string(),
        }),
      )
      .openapi({ description: 'why the status is not healthy' }),
  }),
});
type Data = z.output<typeof responseSchema>['data'];

const timeOrNull = (ms: number | undefined): string | null =>
  ms === undefined ? null : isoTime(ms);

/** Blocks that a role has yet to read. */
const lagOf = (
  role: string,
  { chain, roles }: NonNullable<Observation['pipeline']>,
): number | null => {
  if (!chain || role === 'push') return null;
  if (role === 'watcher') return Math.max(0, chain.head + 1 - chain.next);
  const { waiting } = roles[role as keyof typeof roles];
  if (!waiting) return 0;
  return waiting.block === undefined ? null : Math.max(0, chain.next - waiting.block);
};

const consumersOf = ({ pipeline }: Observation): Data['consumers'] =>
  Object.entries(pipeline?.roles ?? {}).map(([role, { beatAtMs, waiting }]) => ({
    role,
    seen_at: timeOrNull(beatAtMs),
    waiting_messages: waiting?.messages ?? 0,
    waiting_since: timeOrNull(waiting?.sinceMs),
    lag_blocks: pipeline ? lagOf(role, pipeline) : null,
  }));

const nodeOf = ({ pipeline }: Observation): Data['node'] => {
  if (!pipeline?.chain) return null;
  const { head, headTimeS, answeredAtMs } = pipeline.chain;
  return {
    head,
    head_time: isoTime(headTimeS * 1_000),
    answered_at: isoTime(answeredAtMs),
  };
};

const present = (
  observation: Observation,
  { status, blockLag, node, late }: HealthAssessment,
): Omit<Data, 'timestamp'> => {
  const { checks, scored, indexLagS } = observation;
  return {
    status,
    block_lag: blockLag ?? LAG_UNKNOWN,
    checks: node ? { ...checks, node } : checks,
    node: nodeOf(observation),
    index_lag: indexLagS ?? null,
    scored: scored ? { block: scored.block, block_time: isoTime(scored.timestampS * 1_000) } : null,
    consumers: consumersOf(observation),
    late: late.map(({ part, chainId, sinceMs, detail }) => ({
      part,
      chain_id: chainId ?? null,
      since: timeOrNull(sinceMs),
      detail,
    })),
  };
};

/** GET /api/health */
export const getHealth = ({ health }: { health: Health }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/health',
    id: 'getHealth',
    tag: 'Statistics',
    summary: 'Health',
    description: 'Needs a key like every operation, but does not count towards the daily quota.',
    dayUnits: 0,
    response: responseSchema,
    successes: { 200: 'Healthy or degraded', 503: 'Unhealthy, with the same body; or SYS_002' },
    handle: async ({ nowMs }) => {
      const observation = await health.observe();
      const assessment = assessHealth(observation, nowMs);
      const { status } = assessment;
      const isAnswering = status !== 'unhealthy';
      const timestamp = isoTime(nowMs);
      const data = { timestamp, ...present(observation, assessment) };
      return {
        status: isAnswering ? 200 : 503,
        body: { status, timestamp, success: isAnswering, data },
        ...(isAnswering ? {} : { headers: { 'Retry-After': '5' } }),
      };
    },
  });
