import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../shared/platform/logger.ts';
import { sampleWebhook } from '../../shared/testing/samples.ts';
import type { Attempt } from '../../shared/webhooks/sendDelivery.ts';
import type { Delivery } from '../../shared/webhooks/webhook.ts';
import { createAttempts } from './attempts.ts';
import type { DeliveryOutcome, QueueEntry } from './deliveryQueue.ts';
import { RETRY_DELAYS_MS } from './nextStep.ts';
import { newCounts } from './pushMetrics.ts';

const DAY_MS = 24 * 3_600_000;
const START_MS = 1_700_000_000_000;
const WEBHOOK = sampleWebhook();
const ENTRY: QueueEntry = {
  family: 'fam',
  webhookId: 'wh',
  id: 'dl_1',
  eventId: 'msg_1',
  type: 'watchlist.alert',
  attempt: 0,
  createdAtMs: START_MS,
};
const OK = { isDelivered: true, httpStatus: 204, error: null };
const FAILED = { isDelivered: false, httpStatus: 500, error: 'non-2xx' };

/** Attempts at one webhook by a clock that the test moves. */
const setup = () => {
  let nowMs = START_MS;
  let webhook = WEBHOOK;
  let failingSinceMs = 0;
  let answer: Pick<Attempt, 'isDelivered' | 'httpStatus' | 'error'> = OK;
  let isEntitled = true;
  const [recorded, saved, disabled]: [DeliveryOutcome[], Delivery[], string[]] = [[], [], []];
  const counts = newCounts();
  let sent = 0;
  const attempts = createAttempts({
    webhooks: {
      find: async () => webhook,
      update: async (_family, _id, edit) => {
        webhook = edit(webhook) ?? webhook;
        if (webhook.disabledReason !== null) disabled.push(webhook.disabledReason);
        return webhook;
      },
    },
    entitlements: { entitled: async (families) => new Set(isEntitled ? families : []) },
    store: {
      add: async () => undefined,
      save: async (delivery) => void saved.push(delivery),
      attempted: async () => new Set(),
      payloads: async (keys) => new Map(keys.map(({ id }) => [id, '{}'])),
      overdue: async () => [],
    },
    queue: {
      record: async (outcome, receiver) => {
        recorded.push(outcome);
        if (receiver === 'quick' || receiver === 'slow') failingSinceMs = 0;
        if (receiver === 'failed') failingSinceMs ||= outcome.atMs;
        return failingSinceMs;
      },
      stored: async () => undefined,
    },
    send: async () => {
      sent += 1;
      return { ...answer, durationMs: 1, retryAfterMs: null };
    },
    clock: { now: () => nowMs, sleep: async () => undefined },
    random: () => 0.5,
    logger: silentLogger,
    counts,
    delaysMs: RETRY_DELAYS_MS,
  });
  let made = 0;
  return {
    recorded,
    saved,
    disabled,
    counts,
    sent: () => sent,
    downgrade: () => {
      isEntitled = false;
    },
    /** Attempts a delivery of its own `afterMs` after the beginning. */
    attempt: async (afterMs: number, receiver: typeof answer, attempt = 0) => {
      nowMs = START_MS + afterMs;
      answer = receiver;
      made += 1;
      await attempts.attempt([{ ...ENTRY, id: `dl_${made}`, createdAtMs: nowMs, attempt }]);
      await attempts.stored();
    },
  };
};

describe('attempts', () => {
  it('disable a webhook when every attempt of five days failed, not before', async () => {
    const { attempt, disabled, counts } = setup();
    await attempt(0, FAILED);
    await attempt(2 * DAY_MS, FAILED);
    await attempt(5 * DAY_MS - 1, FAILED);
    assert.deepEqual(disabled, []);
    await attempt(5 * DAY_MS, FAILED);
    assert.deepEqual([disabled, counts.disabled], [['no success for 5 days'], 1]);
  });

  it('count the five days from the first failure after a success', async () => {
    const { attempt, disabled } = setup();
    await attempt(0, FAILED);
    await attempt(4 * DAY_MS, OK);
    await attempt(6 * DAY_MS, FAILED);
    await attempt(11 * DAY_MS - 1, FAILED);
    assert.deepEqual(disabled, []);
    await attempt(11 * DAY_MS, FAILED);
    assert.deepEqual(disabled, ['no success for 5 days']);
  });

  it('end what still waits for a disabled webhook without sending it', async () => {
    const { attempt, disabled, saved, sent, counts } = setup();
    await attempt(0, { isDelivered: false, httpStatus: 410, error: 'non-2xx' });
    assert.deepEqual(disabled, ['receiver answered 410 Gone']);
    await attempt(1, OK);
    assert.equal(sent(), 1);
    const { status, error, httpStatus } = saved.at(-1) ?? {};
    assert.deepEqual([status, error, httpStatus], ['exhausted', 'webhook is not active', null]);
    assert.equal(counts.dropped, 1);
  });

  it('end what waits for a family whose tier has no webhooks any more', async () => {
    const { attempt, downgrade, saved, recorded, sent } = setup();
    downgrade();
    await attempt(0, OK, 3);
    assert.equal(sent(), 0);
    assert.deepEqual(
      [saved[0]?.status, saved[0]?.error],
      ['exhausted', 'the tier has no webhooks'],
    );
    assert.deepEqual([recorded[0]?.attempt, recorded[0]?.nextAttemptAtMs], [3, null]);
  });

  it('schedule the next attempt, and none after the last', async () => {
    const { attempt, recorded } = setup();
    await attempt(0, FAILED);
    await attempt(0, FAILED, RETRY_DELAYS_MS.length);
    assert.deepEqual(
      recorded.map(({ status, attempt: number, nextAttemptAtMs }) => [
        status,
        number,
        nextAttemptAtMs,
      ]),
      [
        ['failed', 1, START_MS + (RETRY_DELAYS_MS[0] ?? 0)],
        ['exhausted', RETRY_DELAYS_MS.length + 1, null],
      ],
    );
  });
});
