import type { Redis } from 'ioredis';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { readiness } from '../../shared/platform/service.ts';
import type { IndexState } from '../index/createListIndex.ts';
import { lastScored } from '../statistics/queries.ts';
import type { Observation } from './assessHealth.ts';
import type { PipelineState } from './pipelineState.ts';

/** The state of the API's dependencies. */
export interface Health {
  /**
   * Dependencies without which no request can be answered, checked a moment ago at most, with a short time limit.
   */
  needed(): Promise<Pick<Observation['checks'], 'redis' | 'clickhouse' | 'index'>>;
  /** All dependencies, checked in the same way. */
  checks(): Promise<Observation['checks']>;
  /** All inputs of the health assessment. */
  observe(): Promise<Observation>;
}

/** Probes need no key: however many arrive, the dependencies are checked once in this time. */
const KEPT_MS = 500;

/** Reads at most once in `KEPT_MS`. */
const kept = <T>(clock: Clock, read: () => Promise<T>): (() => Promise<T>) => {
  let latest: { value: Promise<T>; atMs: number } | undefined;
  return () => {
    if (!latest || clock.now() - latest.atMs >= KEPT_MS) {
      latest = { value: read(), atMs: clock.now() };
    }
    return latest.value;
  };
};

const up = (ping: () => Promise<unknown>) => async (): Promise<boolean> => {
  await ping();
  return true;
};

/** The API's dependencies, and the progress of the roles of its chain. */
export const createHealth = (args: {
  redis: Redis;
  database: Pick<Clickhouse, 'query' | 'ping'>;
  pingNats: () => Promise<void>;
  indexState: () => Pick<IndexState, 'isReady' | 'lagS'>;
  readPipeline: () => Promise<PipelineState>;
  chainId: number;
  heartbeatMs: number;
  clock: Clock;
  logger: Logger;
}): Health => {
  const {
    redis,
    database,
    pingNats,
    indexState,
    readPipeline,
    chainId,
    heartbeatMs,
    clock,
    logger,
  } = args;
  /** A dependency that does not answer is reported as such, and health is assessed without it. */
  const orNothing = <T>(what: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      logger.warn({ err: error }, `health: ${what} is not known: ${errorMessage(error)}`);
      return undefined;
    });
  const needed = kept(clock, () =>
    readiness({
      redis: up(() => redis.ping()),
      clickhouse: up(() => database.ping()),
      index: async () => indexState().isReady,
    }),
  );
  const streams = kept(clock, () => readiness({ nats: up(pingNats) }));
  const checks = async () => ({ ...(await needed()), ...(await streams()) });
  const observe = kept(clock, async () => {
    const found = await checks();
    const [pipeline, scored] = await Promise.all([
      found.nats === 'up' ? orNothing('how far the roles are', readPipeline()) : undefined,
      found.clickhouse === 'up'
        ? orNothing('the last block scored', lastScored(database, chainId))
        : undefined,
    ]);
    const blockTimeS = CHAIN_PROFILES.get(chainId)?.blockTimeS;
    const { isReady, lagS } = indexState();
    const indexLagS = isReady ? lagS : undefined;
    return { chainId, blockTimeS, heartbeatMs, checks: found, pipeline, indexLagS, scored };
  });
  return { needed, checks, observe };
};
