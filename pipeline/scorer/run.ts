import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { consumeChain } from '../../shared/adapters/chainConsumer.ts';
import { createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams } from '../../shared/adapters/nats.ts';
import { connectRedis } from '../../shared/adapters/redis.ts';
import { createEndpoint } from '../../shared/adapters/rpc/endpoint.ts';
import { createEndpointPool } from '../../shared/adapters/rpc/endpointPool.ts';
import { createHttpPost } from '../../shared/adapters/rpc/httpPost.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { runService } from '../../shared/runtime/service.ts';
import { type ScorerConfig, scorerConfigSchema } from './config.ts';
import { createScorer } from './createScorer.ts';
import { createEventPublisher } from './eventPublisher.ts';
import { createJobResults } from './jobResults.ts';
import { runJobs } from './jobs.ts';
import { loadModel } from './loadModel.ts';
import { createTradeSimulator } from './simulateTrade.ts';
import type { ChainNode } from './tokenReader.ts';

const ROLE = 'scorer';
const ARTIFACTS = 'pipeline/scorer/model/artifacts';

/** The configured nodes as one; a node that fails hands over to the next. */
const openNode = (urls: ScorerConfig['RPC_URL']): ChainNode & { close: () => void } => {
  const endpoints = urls.map((url) =>
    createEndpoint({ http: createHttpPost(url.replace(/^ws/, 'http')), clock: systemClock }),
  );
  const pool = createEndpointPool(endpoints, systemClock);
  return {
    batch: (calls) => pool.run((endpoint) => endpoint.call(calls)),
    close: () => pool.close(),
  };
};

/** Runs the scorer role as this process. */
export const run = (): Promise<never> => {
  const config = readConfig(scorerConfigSchema);
  const pricing = pricingOf(config);
  const chainId = config.CHAIN_ID;
  const logger = createLogger(ROLE, config.LOG_LEVEL);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  const redis = connectRedis(config.REDIS_URL);
  redis.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
  const node = openNode(config.RPC_URL);
  let connection: NatsConnection | undefined;

  const work = async (signal: AbortSignal): Promise<void> => {
    connection = await connectNats(config.NATS_URL, ROLE);
    await ensureStreams(connection, [chainId]);
    await redis.connect().catch(() => undefined);
    const events = createEventPublisher(connection);
    const results = createJobResults(redis);
    const { ingestor, loop, analyzer } = createScorer({
      chainId,
      clickhouse,
      node,
      model: await loadModel(join(projectRoot(), ARTIFACTS)),
      pricing,
      events,
      simulate: createTradeSimulator({ node, weth: pricing.weth, clock: systemClock }).simulate,
      clock: systemClock,
      logger,
    });
    logger.info({ chainId }, 'ready');
    const failure = new AbortController();
    const stop = AbortSignal.any([signal, failure.signal]);
    const parts = [
      consumeChain(
        { connection, chainId, reader: ROLE, clock: systemClock, logger, handle: ingestor.handle },
        stop,
      ),
      loop.run(stop),
      runJobs(
        {
          connection,
          chainId,
          analyze: ({ token }) => analyzer.analyze(token),
          finish: (job, error) => results.finish(job, error, systemClock.now()),
          setAside: (data, reason) => events.deadLetter(chainId, data, reason),
          clock: systemClock,
          logger,
        },
        stop,
      ),
    ];
    try {
      await Promise.all(parts);
    } finally {
      failure.abort();
      await Promise.allSettled(parts);
      await connection.drain();
      redis.disconnect();
      node.close();
      await clickhouse.close();
    }
  };

  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
    checks: {
      nats: async () => connection !== undefined && (await connection.rtt()) >= 0,
      clickhouse: async () => {
        await clickhouse.ping();
        return true;
      },
    },
    run: work,
  });
};
