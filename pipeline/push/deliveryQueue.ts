import type { Redis } from 'ioredis';
import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { type Delivery, deliverySchema } from '../../shared/webhooks/webhook.ts';
import { ADD, CLAIM, RECORD, RELEASE, RENEW, TAKE, UNSTORED_KEY } from './queueScripts.ts';

/** Maximum deliveries waiting for one webhook; further ones for a receiver that is down are dropped. */
const WAITING_MAX = 10_000;
/** Milliseconds without a heartbeat after which a dead process is replaced. */
const LEASE_MS = 20_000;
/** Longer than the time after which a webhook that only fails is disabled. */
const FAILURE_REMEMBERED_MS = 8 * 24 * 3_600_000;
/** Outcomes found again at a time. */
const UNSTORED_MAX = 64;

/** Milliseconds for which a receiver's speed is remembered. */
const PACE_REMEMBERED_MS = 24 * 3_600_000;
/** Webhooks that answer quickly or are untried, those that answer slowly, and those that are failing. */
export const LANES = ['ready', 'slow', 'failing'] as const;
export type Lane = (typeof LANES)[number];

const entrySchema = deliverySchema.pick({
  family: true,
  webhookId: true,
  id: true,
  eventId: true,
  type: true,
  attempt: true,
  createdAtMs: true,
});
/** A delivery in the schedule: its body is in ClickHouse. */
export type QueueEntry = z.infer<typeof entrySchema>;

/** A webhook that only this process works on for now. */
export interface Lease {
  readonly webhookId: string;
  /** The lane from which it was claimed. */
  readonly lane: Lane;
  /** Unix milliseconds after which another process may claim it. */
  readonly untilMs: number;
}

const outcomeSchema = deliverySchema.omit({ payload: true }).extend({
  /** Unix milliseconds of the end of the attempt. */
  atMs: countSchema,
});
/** Outcome of a delivery's last attempt: everything but its body. */
export type DeliveryOutcome = z.infer<typeof outcomeSchema>;

/** What an outcome says about the receiver: a quick or slow success, a failure, or nothing. */
export type ReceiverState = 'quick' | 'slow' | 'failed' | 'neutral';

/** Waiting deliveries, shared by all push processes. Its calls throw RetryableError. */
export interface DeliveryQueue {
  /** Adds deliveries that are not there yet. Resolves to the ids refused because too many are waiting. */
  add(deliveries: readonly Delivery[]): Promise<string[]>;
  claim(lane: Lane, nowMs: number, webhooksMax: number): Promise<Lease[]>;
  /** Resolves to undefined if the lease was lost. */
  renew(lease: Lease, nowMs: number): Promise<Lease | undefined>;
  release(lease: Lease, notBeforeMs: number): Promise<void>;
  /**
   * Due deliveries of a leased webhook, the longest waiting first: up to `whileQuick` if its last success was quick,
   * else up to `otherwise`. None if it has moved to another lane.
   */
  take(
    lease: Lease,
    nowMs: number,
    limits: { readonly whileQuick: number; readonly otherwise: number },
  ): Promise<QueueEntry[]>;
  /**
   * Ends a delivery or schedules its next attempt. The outcome is kept until it is known to be stored. Resolves to
   * the time (Unix milliseconds) since which every attempt has failed; 0 if the last one succeeded.
   */
  record(outcome: DeliveryOutcome, receiver: ReceiverState): Promise<number>;
  /** Marks the outcome as stored. */
  stored(outcome: DeliveryOutcome): Promise<void>;
  /** Outcomes older than this time that are not known to be stored, oldest first, after skipping `skipped`. */
  unstored(beforeMs: number, skipped: number): Promise<DeliveryOutcome[]>;
}

const texts = z.array(z.string());

const keyOf = (lane: Lane): string => `push:${lane}`;

/** The same text whatever the order of fields. */
const entryText = (entry: QueueEntry): string => JSON.stringify(entrySchema.parse(entry));
const outcomeText = (outcome: DeliveryOutcome): string =>
  JSON.stringify(outcomeSchema.parse(outcome));

/** The schedule in Redis. */
export const createDeliveryQueue = (redis: Redis): DeliveryQueue => {
  const run = <S extends z.ZodTypeAny>(
    script: string,
    args: readonly (string | number)[],
    answer: S,
  ): Promise<z.output<S>> =>
    onRedis(async () => answer.parse(await redis.eval(script, 0, ...args)) as z.output<S>);
  return {
    add: async (deliveries) => {
      const refused = [...groupBy(deliveries, ({ webhookId }) => webhookId)].map(
        ([webhookId, group]) => {
          const parts = group.flatMap((delivery) => [
            delivery.id,
            delivery.nextAttemptAtMs ?? delivery.createdAtMs,
            entryText(delivery),
          ]);
          return run(ADD, [webhookId, WAITING_MAX, ...parts], texts);
        },
      );
      return (await Promise.all(refused)).flat();
    },
    claim: async (lane, nowMs, webhooksMax) => {
      const untilMs = nowMs + LEASE_MS;
      const claimed = await run(CLAIM, [keyOf(lane), nowMs, untilMs, webhooksMax], texts);
      return claimed.map((webhookId) => ({ webhookId, lane, untilMs }));
    },
    renew: async ({ webhookId, lane, untilMs }, nowMs) => {
      const wantedMs = nowMs + LEASE_MS;
      const isHeld = await run(RENEW, [webhookId, untilMs, wantedMs], z.number());
      return isHeld === 1 ? { webhookId, lane, untilMs: wantedMs } : undefined;
    },
    release: async ({ webhookId, untilMs }, notBeforeMs) => {
      await run(RELEASE, [webhookId, untilMs, notBeforeMs], z.number());
    },
    take: async ({ webhookId, lane }, nowMs, { whileQuick, otherwise }) => {
      const args = [webhookId, keyOf(lane), nowMs, whileQuick, otherwise];
      const found = await run(TAKE, args, texts);
      return found.map((text) => entrySchema.parse(JSON.parse(text)));
    },
    record: (outcome, receiver) =>
      run(
        RECORD,
        [
          outcome.webhookId,
          outcome.id,
          outcome.nextAttemptAtMs ?? '',
          entryText(outcome),
          receiver,
          outcome.atMs,
          FAILURE_REMEMBERED_MS,
          PACE_REMEMBERED_MS,
          outcomeText(outcome),
        ],
        z.number(),
      ),
    stored: async (outcome) => {
      await onRedis(() => redis.zrem(UNSTORED_KEY, outcomeText(outcome)));
    },
    unstored: async (beforeMs, skipped) => {
      const found = await onRedis(() =>
        redis.zrangebyscore(UNSTORED_KEY, '-inf', beforeMs, 'LIMIT', skipped, UNSTORED_MAX),
      );
      return found.map((text) => outcomeSchema.parse(JSON.parse(text)));
    },
  };
};
