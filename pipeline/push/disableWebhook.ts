import type { Redis } from 'ioredis';
import type { WebhooksChanged } from '../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { withLock } from '../../shared/platform/withLock.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { readWebhooks, saveWebhook, webhooksLock } from '../../shared/webhooks/webhookRows.ts';

/** Ends sending to a webhook until its family makes it active again. */
export type DisableWebhook = (webhook: Webhook, reason: string) => Promise<void>;

/** Under the lock of the family, so that no change its owner makes meanwhile is lost. */
export const createDisableWebhook =
  (args: {
    database: Pick<Clickhouse, 'query' | 'insert'>;
    redis: Redis;
    clock: Clock;
    announce: (change: WebhooksChanged) => Promise<void>;
  }): DisableWebhook =>
  ({ family, id }, reason) =>
    withLock(args, webhooksLock(family), async () => {
      const [webhook] = await readWebhooks(args.database, family, id);
      if (webhook?.status !== 'active') return;
      const version = Math.max(args.clock.now(), webhook.version + 1);
      const disabled = { ...webhook, status: 'disabled', disabledReason: reason, version } as const;
      await saveWebhook(args.database, disabled);
      await args.announce({ v: 1, family, webhookId: id });
    });
