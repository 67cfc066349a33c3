import type { Redis } from 'ioredis';
import { createWebhooks } from '../../../api/webhooks/createWebhooks.ts';
import { familyKey, keyIdKey, keyRecordKey } from '../../../shared/families/tier.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createSecretBox } from '../../../shared/platform/secretBox.ts';
import { createTestSender, startReceiver } from '../../../shared/testing/webhooks.ts';

const WEBHOOK_SECRET_KEY = 'a webhook key of 32 characters …';
const FAILS_ONE_IN = 7;
/** Deliveries are in progress for this long: a killed process has some in hand. */
const ANSWER_MS = 20;

/** Environment of a push process that sends to these webhooks. */
export const PUSH_ENVIRONMENT = {
  WEBHOOK_SECRET_KEY,
  WEBHOOK_ALLOW_PRIVATE: '1',
  WEBHOOK_RETRY_DELAYS_S: '1,1,1,1,1',
} as const;

/** Webhooks as the API stores them, delivered to receivers on this machine. */
export const createTestWebhooks = (
  database: Clickhouse,
  redis: Redis,
  secretKey = WEBHOOK_SECRET_KEY,
) => {
  const box = createSecretBox(secretKey);
  const send = createTestSender({ box });
  return createWebhooks({ database, redis, clock: systemClock, box, send });
};

/** A webhook of each family, and what it has received. */
export interface FamilyWebhooks {
  /** Bodies by event id, with all repetitions and the receiving family. */
  received(): ReadonlyMap<string, readonly { readonly family: string; readonly body: string }[]>;
  close(): void;
}

/** A valid key for a family of a given name, in a tier with webhooks. */
export const grantTier = async (redis: Redis, family: string): Promise<void> => {
  const [id, digest] = [`key_${family}`, `digest of ${family}`];
  await redis.hset(keyRecordKey(digest), { status: 'active', tier: 'pro' });
  await redis.set(keyIdKey(id), digest);
  await redis.sadd(familyKey(family), id);
};

/** Registers a webhook for each family at one receiver, which refuses every seventh event once. */
export const openFamilyWebhooks = async (
  clickhouse: Clickhouse,
  redis: Redis,
  families: readonly string[],
): Promise<FamilyWebhooks> => {
  const seen = new Set<string>();
  const receiver = await startReceiver(({ headers }, response) => {
    const id = String(headers['webhook-id']);
    const isFirst = !seen.has(id);
    seen.add(id);
    const status = isFirst && seen.size % FAILS_ONE_IN === 0 ? 500 : 204;
    setTimeout(() => response.writeHead(status).end(), ANSWER_MS);
  });
  const webhooks = createTestWebhooks(clickhouse, redis);
  for (const family of families) {
    await grantTier(redis, family);
    const url = `${receiver.url}/${family}`;
    const events = ['watchlist.alert'] as const;
    await webhooks.create(family, { url, events, description: null, filters: null }, 1);
  }
  return {
    received: () => {
      const byEvent = new Map<string, { family: string; body: string }[]>();
      for (const { headers, body, path } of receiver.received) {
        const id = headers['webhook-id'] ?? '';
        const arrival = { family: path.split('/').at(-1) ?? '', body };
        byEvent.set(id, [...(byEvent.get(id) ?? []), arrival]);
      }
      return byEvent;
    },
    close: () => receiver.close(),
  };
};
