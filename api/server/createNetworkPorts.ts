import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  ALERT_SETTINGS_SUBJECT,
  WEBHOOKS_CHANGED_SUBJECT,
} from '../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { createSecretBox } from '../../shared/webhooks/secretBox.ts';
import { createSendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import {
  createFindTarget,
  type FindTarget,
  resolveFor,
} from '../../shared/webhooks/targetAddress.ts';
import { type AlertSettings, createAlertSettings } from '../alerts/settings.ts';

import type { Clusters } from '../clusters/cluster.ts';
import { createClusters } from '../clusters/queries.ts';
import { createGraphs } from '../graph/createGraphs.ts';
import type { Graphs } from '../graph/graph.ts';
import { createWallets } from '../wallets/createWallets.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { createWebhooks } from '../webhooks/createWebhooks.ts';
import type { Webhooks } from '../webhooks/webhook.ts';
import type { ApiConfig } from './config.ts';
import type { Share } from './sharedReads.ts';

/** Wallets, rings and graphs of one chain; settings and webhooks of all families. */
export const createNetworkPorts = (args: {
  config: Pick<
    ApiConfig,
    'CHAIN_ID' | 'KEY_PEPPER' | 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_SECRET_KEY'
  >;
  database: Clickhouse;
  share: Share;
  redis: Redis;
  clock: Clock;
  /** Resolves when the stream has stored the message. */
  publish: (subject: string, id: string, message: unknown) => Promise<void>;
}): {
  wallets: Wallets;
  clusters: Clusters;
  graphs: Graphs;
  alertSettings: AlertSettings;
  webhooks: Webhooks;
  findTarget: FindTarget;
} => {
  const { config, database, share, redis, clock, publish } = args;
  const chainId = config.CHAIN_ID;
  const now = (): number => clock.now();
  const wallets = createWallets(database, chainId);
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const findTarget = createFindTarget({ resolve: resolveFor(allowPrivate), allowPrivate });
  return {
    wallets,
    clusters: createClusters(database, chainId, share),
    graphs: createGraphs({ database, chainId, wallets, now }),
    alertSettings: createAlertSettings({
      database,
      redis,
      clock,
      publish: (change) => publish(ALERT_SETTINGS_SUBJECT, randomUUID(), change),
    }),
    webhooks: createWebhooks({
      database,
      redis,
      clock,
      box: createSecretBox(config.WEBHOOK_SECRET_KEY ?? config.KEY_PEPPER),
      send: createSendDelivery({ findTarget, now }),
      publish: (change) => publish(WEBHOOKS_CHANGED_SUBJECT, randomUUID(), change),
    }),
    findTarget,
  };
};
