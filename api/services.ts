import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import { createAlertSettingsStore } from '../shared/families/alertSettingsStore.ts';
import { analyzeSubject, scoreSubjects, walletsSubject } from '../shared/messages/subjects.ts';
import type { Clickhouse } from '../shared/platform/clickhouse.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { createEventLog } from '../shared/platform/eventLog.ts';
import type { Logger } from '../shared/platform/logger.ts';
import { createMailer } from '../shared/platform/mailer.ts';
import { createPublish } from '../shared/platform/publish.ts';
import { createSecretBox } from '../shared/platform/secretBox.ts';
import { createSendDelivery } from '../shared/webhooks/sendDelivery.ts';
import { createSendEvents } from '../shared/webhooks/sendEvents.ts';
import { createFindTarget, resolveFor } from '../shared/webhooks/targetAddress.ts';
import { createWebhookStore } from '../shared/webhooks/webhookStore.ts';
import { createGatekeeper } from './accounts/createGatekeeper.ts';
import { createKeyStore } from './accounts/keyStore.ts';
import { createOneTimeStore } from './accounts/oneTimeStore.ts';
import { plansWith } from './accounts/plans.ts';
import { createThrottle } from './accounts/throttle.ts';
import { createUsage } from './accounts/usage.ts';
import { createAlerts } from './alerts/createAlerts.ts';
import { createClusters } from './clusters/queries.ts';
import { createExports } from './export/createExports.ts';
import { createFeedbackStore } from './feedback/feedbackStore.ts';
import { createGraphs } from './graph/createGraphs.ts';
import { createHealth } from './health/createHealth.ts';
import { createPipelineReader } from './health/pipelineState.ts';
import { createListIndex } from './index/createListIndex.ts';
import { createReports } from './reports/queries.ts';
import { createSearch } from './search/queries.ts';
import type { ApiConfig } from './server/config.ts';
import { createIdempotency } from './server/middleware/idempotency.ts';
import { createSharedReads } from './server/sharedReads.ts';
import { createStats, readValidationAccuracy } from './statistics/createStats.ts';
import { createStreams } from './streams/createStreams.ts';
import { createHistory, createTokens, tokenKey } from './tokens/createTokens.ts';
import { createJobs } from './tokens/jobs.ts';
import { createWallets } from './wallets/createWallets.ts';
import { createWatchlist } from './watchlist/createWatchlist.ts';
import { createWebhooks } from './webhooks/createWebhooks.ts';
import { createMailConfirmations } from './webhooks/mailConfirmations.ts';

/** Connections of the API. */
export interface Connections {
  readonly nats: NatsConnection;
  readonly redis: Redis;
  readonly database: Clickhouse;
  /** For files that clients download at their own pace. */
  readonly exportDatabase: Clickhouse;
}

interface Parts extends Connections {
  readonly config: ApiConfig;
  readonly logger: Logger;
}

/** Milliseconds that JetStream may take to confirm a message, while a client waits. */
const PUBLISH_TIMEOUT_MS = 3_000;

const clock = systemClock;
const now = (): number => clock.now();

const baseUrlOf = ({ BASE_URL, HOST, PORT }: ApiConfig): string =>
  BASE_URL ?? `http://${HOST}:${PORT}`;

/** Bytes of cached graphs, a dozen large ones; separate, so that they do not evict answers of lists. */
const GRAPHS_KEPT_BYTES_MAX = 1_048_576;

/** Bytes of cached rings, all of a chain: some 40,000. */
const RINGS_KEPT_BYTES_MAX = 8 * 1_048_576;

/** What the pipeline has stored about the chain. */
const createChainReads = async (parts: Parts) => {
  const { config, nats, database, logger } = parts;
  const chainId = config.CHAIN_ID;
  const index = createListIndex({ database, chainId, clock, logger });
  const reads = createSharedReads({ now });
  const graphReads = createSharedReads({ now, keptBytesMax: GRAPHS_KEPT_BYTES_MAX });
  const ringReads = createSharedReads({ now, keptBytesMax: RINGS_KEPT_BYTES_MAX });
  nats.subscribe(scoreSubjects(chainId), {
    callback: (error, { subject }) => {
      if (error) return;
      // A client that looks up a verdict as soon as it is notified must find it.
      reads.outdate(tokenKey(subject.split('.').at(-1) ?? ''));
      graphReads.outdate();
      ringReads.outdate();
      index.changed();
    },
  });
  nats.subscribe(walletsSubject(chainId), {
    callback: (error) => {
      if (error) return;
      reads.outdate();
      index.changed();
    },
  });
  const wallets = createWallets(database, chainId);
  const validationAccuracy = await readValidationAccuracy();
  return {
    index,
    tokens: createTokens(database, chainId, { share: reads.share, index }),
    history: createHistory(database, chainId),
    wallets,
    clusters: createClusters(database, chainId, ringReads.share),
    graphs: createGraphs({ database, chainId, wallets, now, share: graphReads.share }),
    search: createSearch(database, chainId, { share: reads.share, index }),
    stats: createStats({ database, index, chainId, clock, validationAccuracy }),
  };
};

/** Where alerts and all mails are sent. */
const createTargets = ({ config, redis, database, logger }: Parts) => {
  const { WEBHOOK_ALLOW_PRIVATE: allowPrivate } = config;
  const findTarget = createFindTarget({ resolve: resolveFor(allowPrivate), allowPrivate });
  const [box, baseUrl] = [createSecretBox(config.WEBHOOK_SECRET_KEY), baseUrlOf(config)];
  const mailer = createMailer({
    url: config.MAIL_URL,
    folder: config.MAIL_DIR,
    from: config.MAIL_FROM,
    logger,
  });
  const send = createSendDelivery({ findTarget, now });
  return {
    webhooks: createWebhooks({
      database,
      redis,
      clock,
      box,
      send: createSendEvents({ send, mailer, box, now, baseUrl }),
    }),
    mailConfirmations: createMailConfirmations({
      webhooks: createWebhookStore(redis, clock),
      oneTime: createOneTimeStore(redis),
      throttle: createThrottle(redis),
      mailer,
      box,
      baseUrl,
    }),
    findTarget,
    mailer,
  };
};

/** Data of key families. */
const createFamilyState = (parts: Parts) => {
  const { config, nats, redis, database, logger } = parts;
  const { CHAIN_ID: chainId } = config;
  const publish = createPublish(nats, PUBLISH_TIMEOUT_MS);
  return {
    jobs: createJobs({
      redis,
      chainId,
      now,
      publish: (job) => publish(analyzeSubject(chainId), job, job.jobId),
    }),
    watchlist: createWatchlist({ database, redis, chainId, clock }),
    alerts: createAlerts(database, redis),
    alertSettings: createAlertSettingsStore(redis),
    ...createTargets(parts),
    feedback: createFeedbackStore({ redis, chainId, clock }),
    reports: createReports(database, chainId),
    usage: createUsage({ database, logger }),
  };
};

/** Who may send how many requests. */
const createAccess = ({ config, redis }: Parts) => {
  const plans = plansWith(config.RATE_PLANS);
  return {
    plans,
    gatekeeper: createGatekeeper({ redis, pepper: config.KEY_PEPPER, plans }),
    idempotency: createIdempotency({ redis, box: createSecretBox(config.KEY_PEPPER) }),
  };
};

/** Everything behind the operations of the API, created from its connections. */
export const createServices = async (parts: Parts) => {
  const { config, nats, redis, database, logger } = parts;
  const access = createAccess(parts);
  const reads = await createChainReads(parts);
  return {
    ...access,
    ...reads,
    ...createFamilyState(parts),
    streams: createStreams({
      log: createEventLog({ connection: nats, clock, logger }),
      redis,
      keys: createKeyStore({ redis, pepper: config.KEY_PEPPER, now }),
      plans: access.plans,
      clock,
      logger,
    }),
    health: createHealth({
      redis,
      database,
      chainId: config.CHAIN_ID,
      clock,
      logger,
      heartbeatMs: config.HEARTBEAT_MS,
      pingNats: () => nats.flush(),
      indexState: reads.index.state,
      readPipeline: createPipelineReader(nats, config.CHAIN_ID),
    }),
    exports: createExports(parts.exportDatabase, config.CHAIN_ID),
    clock,
    logger,
    chainId: config.CHAIN_ID,
    baseUrl: baseUrlOf(config),
  };
};
