import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { sampleWebhook } from '../../shared/testing/samples.ts';
import { startCache } from '../../shared/testing/stores.ts';
import { createTestSender, type Receiver, startReceiver } from '../../shared/testing/webhooks.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';
import { createAttempts } from './attempts.ts';
import { createDeliveryQueue, type DeliveryQueue } from './deliveryQueue.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { RETRY_DELAYS_MS } from './nextStep.ts';
import { newCounts } from './pushMetrics.ts';

const SLOW_RECEIVERS = 300;
const EVENTS_OF_QUICK = 20;
const TIMEOUT_MS = 180_000;
/** Slow receivers answer when released: no attempt at them ends by itself. */
const ATTEMPT_MS_MAX = 600_000;
const QUICK = 'quick';
/** Does not answer the first event, and all others at once. */
const STUCK = 'stuck';
const SLOW = Array.from({ length: SLOW_RECEIVERS }, (_, n) => `slow${n}`);
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

const { redis, stop } = await startCache();
after(stop);

describe('many receivers, hundreds of which take long to succeed', () => {
  let queue: DeliveryQueue;
  let receiver: Receiver;
  let dispatcher: Dispatcher;
  let running: Promise<void>;
  const ending = new AbortController();
  const held: ServerResponse[] = [];
  let planned = 0;

  const answer = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const isFirst = receivedBy(STUCK) <= 1;
    if (url.endsWith(QUICK) || (url.endsWith(STUCK) && !isFirst)) response.writeHead(204).end();
    else held.push(response);
  };
  const webhookOf = (id: string): Webhook =>
    sampleWebhook({ id, url: `${receiver.url}/${id}`, secret: SECRET });

  before(async () => {
    receiver = await startReceiver(answer);
    queue = createDeliveryQueue(redis);
    const box = { seal: (secret: string) => secret, open: (secret: string) => secret };
    const send = createTestSender({ box, attemptMsMax: ATTEMPT_MS_MAX });
    const attempts = createAttempts({
      webhooks: { find: async (_family, id) => webhookOf(id), update: async () => undefined },
      entitled: async (families) => new Set(families),
      store: {
        add: async () => undefined,
        save: async () => undefined,
        attempted: async () => new Set(),
        payloads: async (keys) => new Map(keys.map(({ id }) => [id, '{}'])),
        overdue: async () => [],
      },
      queue,
      // On a busy machine a quick answer may take long too: its measured speed is fixed here.
      send: async (webhook, events) => {
        const durationMs = [QUICK, STUCK].some((id) => webhook.url.endsWith(id)) ? 1 : 5_000;
        return { ...(await send(webhook, events)), durationMs };
      },
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      counts: newCounts(),
      delaysMs: RETRY_DELAYS_MS,
    });
    dispatcher = createDispatcher({
      queue,
      attempts,
      isTogether: () => false,
      clock: systemClock,
      logger: silentLogger,
    });
    running = dispatcher.run(ending.signal);
  });
  after(async () => {
    ending.abort();
    receiver?.close();
    await running;
  });

  const deliveryTo = (webhookId: string, createdAtMs: number): Delivery => {
    planned += 1;
    return {
      family: 'fam',
      webhookId,
      id: `dl_${planned}`,
      eventId: `msg_${planned}`,
      type: 'watchlist.alert',
      attempt: 0,
      status: 'pending',
      httpStatus: null,
      error: null,
      durationMs: null,
      nextAttemptAtMs: null,
      payload: '{}',
      createdAtMs,
    };
  };
  const plan = async (webhookIds: readonly string[], events: number): Promise<void> => {
    const nowMs = Date.now();
    const deliveries = webhookIds.flatMap((webhookId) =>
      Array.from({ length: events }, () => deliveryTo(webhookId, nowMs)),
    );
    assert.deepEqual(await queue.add(deliveries), []);
    dispatcher.wake();
  };
  const receivedBy = (id: string): number =>
    receiver.received.filter(({ path }) => path.endsWith(`/${id}`)).length;
  const untilQuickHas = (events: number): Promise<true> =>
    until('the quick one', () => receivedBy(QUICK) >= events || undefined, TIMEOUT_MS);
  /** Answers everything until nothing is waiting. */
  const untilAllDelivered = async (): Promise<void> => {
    const isOver = async (): Promise<true | undefined> => {
      for (const response of held.splice(0)) response.writeHead(204).end();
      const waiting = await redis.keys('push:entries:*');
      return waiting.length === 0 || undefined;
    };
    await until('all delivered', isOver, TIMEOUT_MS);
  };

  it('do not delay a quick one while they are not yet known to be slow', async () => {
    await plan(SLOW, 1);
    const inHand = () => held.length >= SLOW_RECEIVERS || undefined;
    // They are due before the quick one and take every slot; none of them has answered.
    await until('every slow receiver is waited for', inHand, TIMEOUT_MS);
    await plan([QUICK], EVENTS_OF_QUICK);
    await untilQuickHas(EVENTS_OF_QUICK);
    assert.equal(held.length, SLOW_RECEIVERS);
    await untilAllDelivered();
  });

  it('are sent the next events while they do not answer one', async () => {
    await plan([STUCK], 1);
    await until('the first is waited for', () => held.length === 1 || undefined, TIMEOUT_MS);
    for (let events = 2; events <= 4; events += 1) {
      await plan([STUCK], 1);
      await until('the next came', () => receivedBy(STUCK) >= events || undefined, TIMEOUT_MS);
    }
    assert.equal(held.length, 1);
    await untilAllDelivered();
    assert.equal(receivedBy(STUCK), 4);
  });

  it('wait for one another in slots of their own once they are known', async () => {
    await plan(SLOW, 3);
    await until('some are waited for', () => held.length >= 100 || undefined, TIMEOUT_MS);
    assert.deepEqual([await redis.zcard('push:ready'), receivedBy(QUICK)], [0, EVENTS_OF_QUICK]);
    await plan([QUICK], EVENTS_OF_QUICK);
    await untilQuickHas(2 * EVENTS_OF_QUICK);
    for (const id of SLOW.slice(0, 10)) assert.ok(receivedBy(id) <= 1 + 2, 'two at a time');
    await untilAllDelivered();
    for (const id of SLOW) assert.equal(receivedBy(id), 1 + 3);
  });

  it('have their turns one after the other, however much waits for one of them', async () => {
    // Later than all others: no webhook of the tests above waits.
    const atMs = Date.now() + 3_600_000;
    const later = (ms: number): number => atMs + ms;
    await queue.add(Array.from({ length: 50 }, () => deliveryTo('flood', atMs)));
    const [flood] = await queue.claim('ready', later(1), 1);
    assert.ok(flood);
    assert.equal((await queue.take(flood, later(1), { whileQuick: 8, otherwise: 2 })).length, 2);
    await queue.add([deliveryTo('newcomer', later(2)), deliveryTo('flood', atMs)]);
    await queue.release(flood, later(3));
    await queue.add([deliveryTo('flood', later(4))]);
    const claimed = [
      ...(await queue.claim('ready', later(5), 1)),
      ...(await queue.claim('ready', later(5), 1)),
    ];
    assert.deepEqual(
      claimed.map(({ webhookId }) => webhookId),
      ['newcomer', 'flood'],
    );
  });
});
