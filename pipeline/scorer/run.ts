import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { consumeChain, type SequencedEvent } from '../../shared/adapters/chainConsumer.ts';
import { createPublish } from '../../shared/adapters/publish.ts';
import { connectRedis } from '../../shared/adapters/redis.ts';
import { createRpc } from '../../shared/adapters/rpc/createRpc.ts';
import type { NodeMeter } from '../../shared/adapters/rpc/meterCalls.ts';
import { demandAnswers } from '../../shared/adapters/rpc/nodeCalls.ts';
import { type ReaderPorts, type Reading, runReader } from '../../shared/adapters/runReader.ts';
import { createSetAside } from '../../shared/adapters/setAside.ts';
import type { AnalyzeJob } from '../../shared/messages/jobMessage.ts';
import { createDeadLetterMetrics } from '../../shared/metrics/deadLetterMetrics.ts';
import { createNodeMetrics } from '../../shared/metrics/nodeMetrics.ts';
import { createReaderMetrics } from '../../shared/metrics/readerMetrics.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { type ScorerConfig, scorerConfigSchema } from './config.ts';
import { createScorer } from './createScorer.ts';
import { createEventPublisher } from './eventPublisher.ts';
import { createJobResults } from './jobResults.ts';
import { runJobs } from './jobs.ts';
import { loadContractModel, loadModel } from './loadModel.ts';
import { createScorerMetrics } from './scorerMetrics.ts';
import { createTradeSimulator } from './simulateTrade.ts';
import { createSimulatingNode } from './simulatingNode.ts';
import type { ChainNode } from './tokenReader.ts';

const ROLE = 'scorer';
/** Where the operator does not say how common scams are. */
const PRIOR_SCAM_RATE_DEFAULT = 0.5;
const ARTIFACTS = 'pipeline/scorer/model/artifacts';

interface OpenNode extends ChainNode {
  close(): void;
}

/** The configured nodes as one; a node that fails hands over to the next. */
const openNode = (urls: ScorerConfig['RPC_URL'], meter: NodeMeter): OpenNode => {
  const { pool } = createRpc(urls, systemClock, meter);
  const node: ChainNode = {
    batch: (calls) =>
      pool.run(async (endpoint) => demandAnswers(await endpoint.call(calls), endpoint)),
  };
  return { ...createSimulatingNode(node, systemClock), close: () => pool.close() };
};

interface Parts extends ReaderPorts {
  readonly config: ScorerConfig;
  readonly redis: Redis;
  readonly node: OpenNode;
}

/** Reads the chain, scores, answers jobs and writes down outcomes. */
const createParts = async (parts: Parts): Promise<Reading> => {
  const { config, redis, node, connection, clickhouse, logger, registry } = parts;
  const [chainId, pricing] = [config.CHAIN_ID, pricingOf(config)];
  const publish = createPublish(connection);
  const events = createEventPublisher(publish);
  const setAside = createSetAside(publish, ROLE, createDeadLetterMetrics(registry));
  const meter = createScorerMetrics(registry);
  const results = createJobResults(redis);
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
    meter,
    clock: systemClock,
    logger,
  });
  const common = { connection, chainId, clock: systemClock, logger };
  const jobs = {
    ...common,
    analyze: ({ token }: AnalyzeJob) => scorer.analyzer.analyze(token),
    finish: async (job: AnalyzeJob, error: string | undefined) => {
      const ended = await results.finish(job, error, systemClock.now());
      if (ended) await events.analysisEnded(ended);
      meter.jobEnded(error);
    },
    setAside,
  };
  const reader = {
    ...common,
    reader: ROLE,
    meter: createReaderMetrics(registry),
    handle: (batch: readonly SequencedEvent[]) => scorer.ingestor.handle(batch),
  } as const;
  return {
    start: (signal) => [
      consumeChain(reader, signal),
      scorer.loop.run(signal),
      scorer.outcomes.run(signal),
      runJobs(jobs, signal),
    ],
    close: () => {
      redis.disconnect();
      node.close();
    },
  };
};

/** Runs the scorer role as this process. */
export const run = (): Promise<never> => {
  const config = readConfig(scorerConfigSchema);
  const redis = connectRedis(config.REDIS_URL);
  return runReader({
    role: ROLE,
    config,
    prepare: async (ports) => {
      const { logger } = ports;
      redis.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
      // Redis carries jobs only: while it is away, they wait and everything else goes on.
      await redis.connect().catch(() => undefined);
      const node = openNode(config.RPC_URL, createNodeMetrics(ports.registry));
      return createParts({ ...ports, config, redis, node });
    },
  });
};
