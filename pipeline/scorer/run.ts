import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { consumeChain } from '../../shared/adapters/chainConsumer.ts';
import { createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams } from '../../shared/adapters/nats.ts';
import { connectRedis } from '../../shared/adapters/redis.ts';
import { createRpc } from '../../shared/adapters/rpc/createRpc.ts';
import { demandAnswers } from '../../shared/adapters/rpc/nodeCalls.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { runService } from '../../shared/runtime/service.ts';
import { type ScorerConfig, scorerConfigSchema } from './config.ts';
import { createScorer, type Scorer } from './createScorer.ts';
import { createEventPublisher, type EventPublisher } from './eventPublisher.ts';
import { createJobResults, type JobResults } from './jobResults.ts';
import { runJobs } from './jobs.ts';
import { loadContractModel, loadModel } from './loadModel.ts';
import { createTradeSimulator } from './simulateTrade.ts';
import { createSimulatingNode } from './simulatingNode.ts';
import type { ChainNode } from './tokenReader.ts';

const ROLE = 'scorer';
/** Where the operator does not say how common scams are. */
const PRIOR_SCAM_RATE_DEFAULT = 0.5;
const ARTIFACTS = 'pipeline/scorer/model/artifacts';

/** The configured nodes as one; a node that fails hands over to the next. */
const openNode = (urls: ScorerConfig['RPC_URL']): ChainNode & { close: () => void } => {
  const { pool } = createRpc(urls, systemClock);
  const node: ChainNode = {
    batch: (calls) =>
      pool.run(async (endpoint) => demandAnswers(await endpoint.call(calls), endpoint)),
  };
  return { ...createSimulatingNode(node, systemClock), close: () => pool.close() };
};

interface Parts {
  readonly connection: NatsConnection;
  readonly chainId: number;
  readonly scorer: Scorer;
  readonly events: EventPublisher;
  readonly results: JobResults;
  readonly logger: Logger;
}

/** Reads the chain, scores, and answers jobs and writes down outcomes, until `signal` aborts or one of the four fails. */
const runParts = async (parts: Parts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, scorer, events, results, logger } = parts;
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const common = { connection, chainId, clock: systemClock, logger };
  const running = [
    consumeChain(
      { ...common, reader: ROLE, handle: (batch) => scorer.ingestor.handle(batch) },
      stop,
    ),
    scorer.loop.run(stop),
    scorer.outcomes.run(stop),
    runJobs(
      {
        ...common,
        analyze: ({ token }) => scorer.analyzer.analyze(token),
        finish: async (job, error) => {
          const ended = await results.finish(job, error, systemClock.now());
          if (ended) await events.analysisEnded(ended);
        },
        setAside: (data, reason) => events.deadLetter(chainId, data, reason),
      },
      stop,
    ),
  ];
  try {
    await Promise.all(running);
  } finally {
    failure.abort();
    await Promise.allSettled(running);
  }
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
    // Redis carries jobs only: while it is away, they wait and everything else goes on.
    await redis.connect().catch(() => undefined);
    const events = createEventPublisher(connection);
    const simulator = createTradeSimulator({ node, weth: pricing.weth, clock: systemClock });
    const scorer = createScorer({
      chainId,
      clickhouse,
      node,
      model: await loadModel(join(projectRoot(), ARTIFACTS)),
      codeModel: await loadContractModel(),
      pricing,
      priorScamRate: config.PRIOR_SCAM_RATE ?? PRIOR_SCAM_RATE_DEFAULT,
      events,
      simulate: (requests) => simulator.simulate(requests),
      clock: systemClock,
      logger,
    });
    logger.info({ chainId }, 'ready');
    try {
      const results = createJobResults(redis);
      await runParts({ connection, chainId, scorer, events, results, logger }, signal);
    } finally {
      await connection.drain();
      redis.disconnect();
      node.close();
      await clickhouse.close();
    }
  };

  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
    healthHost: config.HEALTH_HOST,
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
