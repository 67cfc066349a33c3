import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import { factoriesOf } from '../../shared/chain/chains.ts';
import type { AnalyzeJob } from '../../shared/messages/jobMessage.ts';
import {
  consumeChain,
  type ReaderMeter,
  type SequencedEvent,
} from '../../shared/platform/chainConsumer.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { pricingOf, readConfig } from '../../shared/platform/config.ts';
import { createEventLog } from '../../shared/platform/eventLog.ts';
import {
  createCacheMetrics,
  createDeadLetterMetrics,
  createNodeMetrics,
  createReaderMetrics,
} from '../../shared/platform/metrics.ts';
import {
  createPublish,
  createPublishDeadLetter,
  type PublishDeadLetter,
} from '../../shared/platform/publish.ts';
import { connectRedis, openPatiently } from '../../shared/platform/redis.ts';
import { createRpc } from '../../shared/platform/rpc/createRpc.ts';
import type { NodeMeter } from '../../shared/platform/rpc/meterCalls.ts';
import { demandAnswers } from '../../shared/platform/rpc/nodeCalls.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import {
  leading,
  type ReaderPorts,
  type Reading,
  runReader,
} from '../../shared/platform/runReader.ts';
import type { Tracer } from '../../shared/platform/tracer.ts';
import { type ScorerConfig, scorerConfigSchema } from './config.ts';
import { createScorer, type ScorerParts } from './createScorer.ts';
import type { Analyzer } from './jobs/analyzer.ts';
import {
  createJobResults,
  type JobEnd,
  type JobResults,
  publishAnalysis,
  runJobs,
} from './jobs/jobs.ts';
import { loadContractModel, loadLifeModel, loadShippedModel } from './model/loadModel.ts';
import { createLearningMetrics, createScorerMetrics, type ScorerMeter } from './scorerMetrics.ts';
import { limitSimulations } from './simulation/limitSimulations.ts';
import { createSimulatingNode } from './simulation/simulatingNode.ts';
import { createSimulations } from './simulation/simulations.ts';
import type { ChainNode } from './token/tokenReader.ts';

const ROLE = 'scorer';

interface OpenNode extends ChainNode {
  close(): void;
}

/** The configured nodes as one; a failing node is replaced by the next. */
const openNode = (urls: ScorerConfig['RPC_URL'], meter: NodeMeter): OpenNode => {
  const { pool } = createRpc(urls, systemClock, meter);
  const node: ChainNode = {
    batch: (calls) =>
      pool.run(async (endpoint) => demandAnswers(await endpoint.call(calls), endpoint)),
  };
  return { ...createSimulatingNode(node, systemClock), close: () => pool.close() };
};

interface Parts extends ScorerParts {
  readonly connection: NatsConnection;
  readonly results: JobResults;
  readonly deadLetter: PublishDeadLetter;
  readonly meter: ScorerMeter;
  readonly readerMeter: ReaderMeter;
  readonly tracer: Tracer;
}

const loadParts = async (
  config: ScorerConfig,
  open: ReaderPorts & { readonly node: OpenNode; readonly redis: Redis },
): Promise<Parts> => {
  const { connection, node, redis, logger, registry } = open;
  const meter = createScorerMetrics(registry);
  const [chainId, clock, pricing] = [config.CHAIN_ID, systemClock, pricingOf(config)];
  const shipped = { model: await loadShippedModel(), lifeModel: await loadLifeModel() };
  const codeModel = await loadContractModel();
  const publish = createPublish(connection);
  return {
    ...open,
    chainId,
    factories: factoriesOf(chainId),
    shipped,
    codeModel,
    pricing,
    priorScamRate: config.PRIOR_SCAM_RATE,
    simulations: limitSimulations({
      ...createSimulations({ node, weth: pricing.weth, clock }),
      perMinuteMax: config.SIMULATIONS_PER_MINUTE_MAX,
      count: (tokens) => meter.notSimulated(tokens),
      clock,
      logger,
    }),
    clock,
    publish,
    log: createEventLog({ connection, clock, logger }),
    results: createJobResults(redis),
    deadLetter: createPublishDeadLetter(publish, ROLE, createDeadLetterMetrics(registry)),
    meter,
    learned: createLearningMetrics(registry),
    caches: createCacheMetrics(registry),
    readerMeter: createReaderMetrics(registry),
  };
};

/** Answers client requests until `signal` aborts. */
const answerJobs = (parts: Parts, analyzer: Analyzer, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, publish, results, deadLetter, meter, clock, logger } = parts;
  const jobs = {
    connection,
    chainId,
    clock,
    logger,
    analyze: ({ token }: AnalyzeJob) => analyzer.analyze(token),
    finish: async (job: AnalyzeJob, end: JobEnd) => {
      const ended = await results.finish(job, end, clock.now());
      if (ended) await publishAnalysis(publish, ended);
      meter.jobEnded(end.error);
      logger.info({ jobId: job.jobId, token: job.token, error: end.error }, 'job ended');
    },
    deadLetter,
  };
  return runJobs(jobs, signal);
};

/** Reads the chain, scores, answers jobs and records outcomes: the work of a chain's leading scorer. */
const lead = (parts: Parts, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, clock, logger, readerMeter: meter, tracer } = parts;
  const { ingestor, loop, outcomes, learner, analyzer } = createScorer(parts);
  const common = { connection, chainId, clock, logger };
  const handle = (batch: readonly SequencedEvent[]) => ingestor.handle(batch);
  return runConcurrently(
    (stop) => [
      consumeChain({ ...common, reader: ROLE, meter, tracer, handle }, stop),
      loop.run(stop),
      outcomes.run(stop),
      learner.run(stop),
      answerJobs(parts, analyzer, stop),
    ],
    signal,
  );
};

/** Runs the scorer role in this process. Of several processes for a chain one leads, the others wait. */
export const run = (): Promise<never> => {
  const config = readConfig(scorerConfigSchema);
  const redis = connectRedis(config.REDIS_URL);
  return runReader({
    role: ROLE,
    config,
    prepare: async (ports): Promise<Reading> => {
      // Redis carries jobs only: while it is unavailable, they wait and everything else continues.
      await openPatiently(redis, ports.logger);
      const node = openNode(config.RPC_URL, createNodeMetrics(ports.registry));
      const parts = await loadParts(config, { ...ports, redis, node });
      return {
        start: leading(ports, `${ROLE}.${config.CHAIN_ID}`, (held) => lead(parts, held)),
        close: () => {
          redis.disconnect();
          node.close();
        },
      };
    },
  });
};
