import type { Redis } from 'ioredis';
import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { type Delivery, deliverySchema } from '../../shared/webhooks/webhook.ts';
import { ADD, CLAIM, RECORD, RELEASE, RENEW, TAKE, UNSTORED_KEY } from './queueScripts.ts';

/** Deliveries that may wait for one webhook; a receiver that is away longer loses the rest. */
const WAITING_MAX = 10_000;
/** A process that died is succeeded after this long without a heartbeat. */
const LEASE_MS = 20_000;
/** Longer than the time after which a webhook that only fails is disabled. */
const FAILURE_REMEMBERED_MS = 8 * 24 * 3_600_000;
/** Outcomes found again at a time. */
const UNSTORED_MAX = 64;

/** How long it is remembered that a receiver answers quickly or slowly. */
const PACE_REMEMBERED_MS = 24 * 3_600_000;
/** Webhooks that answer quickly or were not tried yet, those that answer slowly, and those that are failing. */
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
/** A delivery as the schedule knows it: its body is in ClickHouse. */
export type QueueEntry = z.infer<typeof entrySchema>;

/** A webhook that this process alone works on for now. */
export interface Lease {
  readonly webhookId: string;
  /** The lane it was claimed from. */
  readonly lane: Lane;
  /** Unix milliseconds after which another process may take it. */
  readonly untilMs: number;
}

const outcomeSchema = deliverySchema.omit({ payload: true }).extend({
  /** Unix milliseconds of the end of the attempt. */
  atMs: countSchema,
});
/** What became of a delivery at its last attempt: all of it but its body. */
export type DeliveryOutcome = z.infer<typeof outcomeSchema>;

/** What an outcome says of the receiver: a success that came quickly or slowly, a failure, or nothing. */
export type ReceiverState = 'quick' | 'slow' | 'failed' | 'neutral';

/** Deliveries that wait, shared by all push processes. Its calls throw RetryableError. */
export interface DeliveryQueue {
  /** Adds what is not there yet. Resolves to the ids refused because too many wait already. */
  add(deliveries: readonly Delivery[]): Promise<string[]>;
  claim(lane: Lane, nowMs: number, webhooksMax: number): Promise<Lease[]>;
  /** Resolves to undefined where the lease was lost. */
  renew(lease: Lease, nowMs: number): Promise<Lease | undefined>;
  release(lease: Lease, notBeforeMs: number): Promise<void>;
  /**
   * Deliveries of a leased webhook that are due, the longest waiting first: up to `whileQuick` where its last
   * success came quickly, else up to `otherwise`. None where it belongs to another lane by now.
   */
  take(
    lease: Lease,
    nowMs: number,
    limits: { readonly whileQuick: number; readonly otherwise: number },
  ): Promise<QueueEntry[]>;
  /**
   * Ends a delivery or schedules its next attempt. The outcome is kept until it is known to be stored.
   * Resolves to since when (Unix milliseconds) every attempt has failed; 0 where the last did not.
   */
  record(outcome: DeliveryOutcome, receiver: ReceiverState): Promise<number>;
  /** The outcome is stored. */
  stored(outcome: DeliveryOutcome): Promise<void>;
  /** Outcomes from before this moment that are not known to be stored, the oldest first, after the first `skipped`. */
  unstored(beforeMs: number, skipped: number): Promise<DeliveryOutcome[]>;
}

const texts = z.array(z.string());

const keyOf = (lane: Lane): string => `push:${lane}`;

/** The same text whatever order the fields come in. */
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
