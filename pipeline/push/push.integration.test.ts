import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import { Webhook as Verifier } from 'standardwebhooks';
import { z } from 'zod';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import type { NewWebhook } from '../../api/webhooks/webhook.ts';
import { eventId } from '../../shared/events/pushEvent.ts';
import { createAlertSettingsStore } from '../../shared/families/alertSettingsStore.ts';
import type { Tier } from '../../shared/families/tier.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { createRegistry } from '../../shared/platform/metrics.ts';
import { ensureStreams } from '../../shared/platform/nats.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { publishAlert } from '../../shared/testing/samples.ts';
import { type Receiver, startReceiver } from '../../shared/testing/webhooks.ts';
import { saveDeliveries } from '../../shared/webhooks/deliveryRows.ts';
import { type PipelineStack, startPipelineStack } from '../testing/pipelineStack.ts';
import { pushConfigSchema } from './config.ts';
import { createDeliveryQueue, type ReceiverState } from './deliveryQueue.ts';
import { createPush } from './run.ts';
import { createTestWebhooks, PUSH_ENVIRONMENT } from './testing/familyWebhooks.ts';

/** A received mail. */
interface ReceivedMail {
  readonly to: string;
  /** Header and body. */
  readonly text: string;
}

/** A mail server on a free loopback port, which accepts mails for all but `refused@…`. */
const startMailServer = async () => {
  const received: ReceivedMail[] = [];
  const serve = (socket: Socket): void => {
    let [pending, to, text] = ['', '', ''];
    let isText = false;
    const answer = (line: string): void => {
      if (isText) {
        if (line !== '.') text += `${line}\n`;
        else {
          received.push({ to, text });
          isText = false;
          socket.write('250 taken\r\n');
        }
        return;
      }
      const [, address = ''] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
      if (address.startsWith('refused@')) socket.write('550 5.1.1 no such mailbox\r\n');
      else if (/^DATA/i.test(line)) {
        [isText, text] = [true, ''];
        socket.write('354 go on\r\n');
      } else {
        if (address !== '') to = address;
        socket.write('250 ok\r\n');
      }
    };
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const lines = (pending + data.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) answer(line);
    });
    socket.write('220 test\r\n');
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: (): void => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

const KEY_PEPPER = 'a pepper of thirty-two characters';
/** Longer than the acknowledgement, lease and outcome of a killed process take in sequence. */
const TIMEOUT_MS = 120_000;
const CHAIN_ID = 1;
const FIVE_DAYS_MS = 5 * 24 * 3_600_000;
const NOT_ATTEMPTED = {
  attempt: 0,
  status: 'pending',
  httpStatus: null,
  error: null,
  durationMs: null,
  nextAttemptAtMs: null,
} as const;
const deliverySchema = z.object({
  event_id: z.string(),
  status: z.string(),
  attempt: z.number(),
  error: z.string().nullable(),
  http_status: z.number().nullable(),
});

describe('push', () => {
  let stack: PipelineStack;
  let redis: Redis;
  let webhooks: ReturnType<typeof createTestWebhooks>;
  const closing: (() => void)[] = [];

  before(async () => {
    stack = await startPipelineStack();
    await ensureStreams(stack.nats, [CHAIN_ID]);
    ({ redis } = stack);
    webhooks = createTestWebhooks(stack.clickhouse, redis);
  });
  after(async () => {
    for (const close of closing) close();
    await stack.stop();
  });

  const newFamily = async (tier: Tier = 'pro'): Promise<string> => {
    const keys = createKeyStore({ redis, pepper: KEY_PEPPER, now: () => Date.now() });
    return (await keys.create({ name: 'test', tier })).info.family;
  };
  const startPush = async (changes: Record<string, string> = {}): Promise<TestProcess> => {
    const push = stack.start('push', {
      ...PUSH_ENVIRONMENT,
      WEBHOOK_RETRY_DELAYS_S: '1,1,1',
      LOG_LEVEL: 'info',
      ...changes,
    });
    await until('push is ready', () => push.output().includes('"ready"') || undefined, TIMEOUT_MS, [
      push,
    ]);
    return push;
  };
  const register = async (family: string, url: string, changes: Partial<NewWebhook> = {}) => {
    const choice = { url, events: ['watchlist.alert'], description: null, filters: null } as const;
    const created = await webhooks.create(family, { ...choice, ...changes }, 10);
    assert.ok(created);
    return { id: created.webhook.id, secret: created.secret };
  };
  const raise = (family: string, id: number): Promise<string> =>
    publishAlert(stack.nats, family, id);
  const receiver = async (...args: Parameters<typeof startReceiver>): Promise<Receiver> => {
    const started = await startReceiver(...args);
    closing.push(() => started.close());
    return started;
  };
  const deliveries = async (family: string, status?: string) => {
    const rows = await stack.clickhouse.query(
      `SELECT event_id, toString(status) AS status, attempt, error, http_status
       FROM webhook_deliveries FINAL WHERE family = {family:String} ORDER BY id`,
      { family },
      deliverySchema,
    );
    return status === undefined ? rows : rows.filter((row) => row.status === status);
  };
  const untilDeliveries = async (
    family: string,
    status: string,
    count: number,
    push: TestProcess[],
  ) => {
    const enough = async () => {
      const rows = await deliveries(family, status);
      return rows.length >= count ? rows : undefined;
    };
    try {
      return await until(`${count} ${status}`, enough, TIMEOUT_MS, push);
    } catch (error) {
      const others = (await deliveries(family)).filter((row) => row.status !== status);
      throw new Error(`not ${status}: ${JSON.stringify(others)}`, { cause: error });
    }
  };

  /** A delivery that was not attempted. */
  const deliveryOf = (family: string, webhookId: string, n: number, createdAtMs: number) =>
    ({
      ...NOT_ATTEMPTED,
      family,
      webhookId,
      id: `dl_${String(n).repeat(26)}`,
      eventId: eventId(`delivery ${n}`, createdAtMs),
      type: 'watchlist.alert',
      payload: '{}',
      createdAtMs,
    }) as const;
  /** Leaves a due one in the schedule. */
  const leaveWaiting = async (family: string, webhookId: string, n: number) => {
    const atMs = Date.now() - 1_000;
    const delivery = deliveryOf(family, webhookId, n, atMs);
    await saveDeliveries(stack.clickhouse, [{ delivery, atMs }]);
    await createDeliveryQueue(redis).add([delivery]);
    return delivery;
  };

  it('sends alerts signed, once, with one id, and keeps what became of them', async () => {
    const push = await startPush();
    const family = await newFamily();
    const good = await receiver();
    const { secret } = await register(family, good.url);
    await register(await newFamily(), good.url);
    await raise(family, 1);
    const rows = await untilDeliveries(family, 'delivered', 1, [push]);
    assert.deepEqual([rows.length, rows[0]?.attempt, rows[0]?.http_status], [1, 1, 204]);
    assert.equal(good.received.length, 1);
    const [{ headers, body } = { headers: {}, body: '' }] = good.received;
    const payload = new Verifier(secret).verify(body, headers) as Record<string, unknown>;
    assert.deepEqual(
      [payload['id'], payload['alert_type'], payload['severity']],
      [rows[0]?.event_id, 'rug_pull', 'critical'],
    );
    assert.ok(!push.output().includes(secret));
    assert.equal(await push.stop(), 0);
  });

  it('bears hostile receivers without delaying the others, and shows what they did', async () => {
    const push = await startPush();
    const hang = await receiver(() => undefined);
    const reset = await receiver((request) => request.socket.resetAndDestroy());
    // Other behaviour of receivers is tested in `shared/webhooks/sendDelivery.test.ts`.
    const hostile: Record<string, string> = {
      hang: hang.url,
      reset: reset.url,
      closed: 'http://127.0.0.1:9/',
      unresolvable: 'http://receiver.invalid/',
    };
    const names = new Map<string, string>();
    for (const [name, url] of Object.entries(hostile)) {
      const family = await newFamily();
      names.set(family, name);
      await register(family, url);
      for (let id = 1; id <= 3; id += 1) await raise(family, id);
    }
    const family = await newFamily();
    const good = await receiver();
    await register(family, good.url);
    for (let id = 1; id <= 20; id += 1) await raise(family, id);
    await untilDeliveries(family, 'delivered', 20, [push]);
    assert.equal(good.ids().size, 20);
    for (const [hostileFamily, name] of names) {
      const rows = await until(
        `an attempt at ${name} is shown`,
        async () => {
          const failed = (await deliveries(hostileFamily)).filter(({ error }) => error !== null);
          return failed.length > 0 ? failed : undefined;
        },
        TIMEOUT_MS,
        [push],
      );
      assert.ok(
        rows.every(({ status }) => status === 'failed' || status === 'exhausted'),
        name,
      );
    }
    const fast = [...names].find(([, name]) => name === 'reset')?.[0] ?? '';
    const exhausted = await untilDeliveries(fast, 'exhausted', 3, [push]);
    assert.ok(exhausted.every(({ attempt }) => attempt === 4));
    await push.stop('SIGKILL');
  });

  it('heeds 410 and Retry-After', async () => {
    const push = await startPush();
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const family = await newFamily();
    const { id } = await register(family, gone.url);
    await raise(family, 1);
    await untilDeliveries(family, 'exhausted', 1, [push]);
    const state = await until(
      'disabled',
      async () => {
        const webhook = await webhooks.find(family, id);
        return webhook?.status === 'disabled' ? webhook : undefined;
      },
      TIMEOUT_MS,
    );
    assert.match(state.disabledReason ?? '', /410/);
    await leaveWaiting(family, id, 4);
    const ended = await untilDeliveries(family, 'exhausted', 2, [push]);
    assert.ok(ended.some(({ error }) => error === 'webhook is not active'));
    assert.equal(gone.received.length, 1);
    let isBusy = true;
    const busy = await receiver((_, response) => {
      response.writeHead(isBusy ? 429 : 200, { 'Retry-After': '3' }).end();
      isBusy = false;
    });
    const other = await newFamily();
    await register(other, busy.url);
    await raise(other, 1);
    await untilDeliveries(other, 'delivered', 1, [push]);
    const [first, second] = busy.received;
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 2_900);
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
    await push.stop();
  });

  it('writes to chats and mailboxes, heeds what services answer, and keeps quiet hours over a crash', async () => {
    const answered: number[] = [];
    let isBusy = true;
    const chats = await receiver(({ url = '' }, response) => {
      if (url.includes('/services/')) {
        const status = url.includes('GONE') ? 404 : 200;
        return void response.writeHead(status).end(status === 200 ? 'ok' : 'no_service');
      }
      const status = isBusy ? 429 : 200;
      isBusy = false;
      answered.push(status);
      const parameters = { retry_after: 2 };
      response.writeHead(status).end(JSON.stringify({ ok: status === 200, parameters }));
    });
    const mails = await startMailServer();
    closing.push(() => mails.close());
    const { origin } = new URL(chats.url);
    const startInside = async () => {
      const own = connectRedis(stack.environment.REDIS_URL);
      await own.connect();
      const ending = new AbortController();
      closing.push(() => own.disconnect());
      closing.push(() => ending.abort());
      const config = pushConfigSchema.parse({
        REDIS_URL: stack.environment.REDIS_URL,
        ...PUSH_ENVIRONMENT,
        WEBHOOK_RETRY_DELAYS_S: '1,1,1',
        BASE_URL: 'https://api.test',
        MAIL_URL: mails.url,
      });
      const parts = {
        config,
        redis: own,
        connection: stack.nats,
        clickhouse: stack.clickhouse,
        logger: silentLogger,
        registry: createRegistry(),
      };
      const origins = { telegram: origin, discord: origin, slack: origin };
      const push = await createPush(parts, ending.signal, origins);
      const running = push.start(ending.signal);
      return async () => {
        ending.abort();
        await Promise.all(running);
        own.disconnect();
      };
    };
    const family = await newFamily();
    await createAlertSettingsStore(redis).update(family, () => ({ channels: { email: true } }));
    const allDay = { from: '00:00', to: '00:00', timezone: 'UTC', except_critical: true };
    const target = async (choice: Partial<NewWebhook>): Promise<string> => {
      const events = ['watchlist.alert'] as const;
      const base = { url: 'https://shown.test/***', events, description: null, filters: null };
      const made = await webhooks.create(family, { ...base, ...choice }, 10);
      assert.ok(made, 'the family may have as many');
      return made.webhook.id;
    };
    const secret = '123456789:AAEabcdefghijklmnopqrstuvwxyz0123456';
    const bot = { kind: 'telegram', secret, recipient: '-1001' } as const;
    const telegram = await target({ ...bot, quietHours: allDay });
    const gone = await target({ kind: 'slack', secret: '/services/T0/B0/GONE' });
    await target({ kind: 'email', secret: '', recipient: 'me@example.org', language: 'ru' });
    const refused = await target({ kind: 'email', secret: '', recipient: 'refused@example.org' });
    let stop = await startInside();
    const warning = (id: number) =>
      publishAlert(stack.nats, family, id, { severity: 'warning', type: 'price_drop' });
    for (const id of [1, 2, 3]) await warning(id);
    const disabled = (id: string) => async () => {
      const webhook = await webhooks.find(family, id);
      return webhook?.status === 'disabled' ? (webhook.disabledReason ?? '') : undefined;
    };
    assert.match(await until('Slack is gone', disabled(gone), TIMEOUT_MS), /404 no_service/);
    assert.match(await until('no mailbox', disabled(refused), TIMEOUT_MS), /550/);
    await until('mails', () => (mails.received.length > 0 ? true : undefined), TIMEOUT_MS);
    const { to, text } = mails.received[0] ?? { to: '', text: '' };
    assert.equal(to, 'me@example.org');
    assert.match(text, /List-Unsubscribe:\s+<https:\/\/api\.test\/dashboard\/mails\/stop\?token=/);
    assert.match(text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    assert.equal(answered.length, 0, 'quiet hours');
    await stop();
    stop = await startInside();
    await raise(family, 4);
    await until(
      'the critical alert',
      () => (answered.includes(200) ? true : undefined),
      TIMEOUT_MS,
    );
    const toBot = () => chats.received.filter(({ path }) => path === `/bot${secret}/sendMessage`);
    const [first, second] = toBot();
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 1_900, 'waits as long as it is asked to');
    const sent = (body = '{}') => JSON.parse(body) as { chat_id: string; text: string };
    assert.equal(sent(second?.body).chat_id, '-1001');
    assert.match(sent(second?.body).text, /^CRITICAL · Rug pull · Moon Pepe \(MPEPE\)\n/);
    assert.match(sent(second?.body).text, /https:\/\/api\.test\/token\/0x/);
    // Answered deliveries leave the queue a moment later.
    const waiting = async () => {
      const deliveries = await redis.zrange(`push:queue:${telegram}`, '0', '-1');
      return deliveries.length === 3 ? deliveries : undefined;
    };
    const held = await until('only the warnings wait for midnight', waiting, TIMEOUT_MS);
    // All at once: those due together form one digest.
    await redis.zadd(`push:queue:${telegram}`, ...held.flatMap((delivery) => ['1', delivery]));
    await redis.zadd('push:ready', '1', telegram);
    await until('the digest', () => toBot()[2], TIMEOUT_MS);
    await untilDeliveries(family, 'delivered', 8, []);
    await stop();
    assert.equal(toBot().length, 3);
    assert.match(
      sent(toBot()[2]?.body).text,
      /^Alerts: 3 \(critical 0, warning 3, info 0\)\n\nWARNING/,
    );
  });

  it('finds what is stored and not scheduled, as after a loss of the schedule', async () => {
    const family = await newFamily();
    const good = await receiver();
    const { id: webhookId, secret } = await register(family, good.url);
    const createdAtMs = Date.now() - 600_000;
    const delivery = {
      ...deliveryOf(family, webhookId, 5, createdAtMs),
      nextAttemptAtMs: createdAtMs,
      payload: '{"lost":true}',
    };
    await saveDeliveries(stack.clickhouse, [{ delivery, atMs: createdAtMs }]);
    for (const key of await redis.keys('push:*')) await redis.del(key);
    const push = await startPush();
    await untilDeliveries(family, 'delivered', 1, [push]);
    const [{ headers, body } = { headers: {}, body: '' }] = good.received;
    assert.deepEqual(new Verifier(secret).verify(body, headers), { lost: true });
    await push.stop();
  });

  it('stores what became of an attempt though the process that made it died before', async () => {
    const family = await newFamily();
    const good = await receiver();
    const { id: webhookId } = await register(family, good.url);
    const attemptedAtMs = Date.now() - 20_000;
    const delivery = {
      family,
      webhookId,
      id: `dl_${'1'.repeat(26)}`,
      eventId: eventId('unstored', attemptedAtMs),
      type: 'watchlist.alert',
      createdAtMs: attemptedAtMs,
    } as const;
    const planned = { ...NOT_ATTEMPTED, ...delivery, payload: '{}' };
    await saveDeliveries(stack.clickhouse, [{ delivery: planned, atMs: attemptedAtMs }]);
    const outcome = { httpStatus: 204, error: null, durationMs: 7, nextAttemptAtMs: null };
    await createDeliveryQueue(redis).record(
      { ...delivery, ...outcome, attempt: 1, status: 'delivered', atMs: attemptedAtMs + 1 },
      'quick',
    );
    const push = await startPush();
    const rows = await untilDeliveries(family, 'delivered', 1, [push]);
    assert.deepEqual([rows.length, rows[0]?.attempt, rows[0]?.http_status], [1, 1, 204]);
    assert.equal(good.received.length, 0);
    const empty = async () => (await redis.zcard('push:unstored')) === 0 || undefined;
    await until('nothing unstored', empty, TIMEOUT_MS, [push]);
    await push.stop();
  });

  it('disables a webhook that had no success for five days, not before', async () => {
    const failing = await receiver((_, response) => response.writeHead(500).end());
    /** A webhook whose attempts ended in this way, some time ago each. */
    const withPast = async (past: readonly (readonly [ReceiverState, number])[]) => {
      const family = await newFamily();
      const { id: webhookId } = await register(family, failing.url);
      for (const [i, [receiverState, agoMs]] of past.entries()) {
        const atMs = Date.now() - agoMs;
        const outcome = { ...deliveryOf(family, webhookId, i, atMs), atMs };
        await createDeliveryQueue(redis).record({ ...outcome, status: 'exhausted' }, receiverState);
      }
      return { family, webhookId };
    };
    const old = await withPast([['failed', FIVE_DAYS_MS]]);
    const young = await withPast([['failed', FIVE_DAYS_MS - 3_600_000]]);
    const recovered = await withPast([
      ['failed', FIVE_DAYS_MS],
      ['quick', FIVE_DAYS_MS - 3_600_000],
    ]);
    const push = await startPush();
    for (const { family } of [young, recovered, old]) await raise(family, 1);
    for (const { family } of [young, recovered]) {
      await untilDeliveries(family, 'exhausted', 1, [push]);
    }
    const stateOf = ({ family, webhookId }: typeof old) => webhooks.find(family, webhookId);
    const disabled = async () => {
      const webhook = await stateOf(old);
      return webhook?.status === 'disabled' ? webhook : undefined;
    };
    const { disabledReason } = await until('disabled', disabled, TIMEOUT_MS, [push]);
    assert.equal(disabledReason, 'no success for 5 days');
    for (const one of [young, recovered]) assert.equal((await stateOf(one))?.status, 'active');
    await push.stop();
  });

  it('sends nothing for a family whose tier has no webhooks any more', async () => {
    const family = await newFamily('free');
    const [good, other] = [await receiver(), await newFamily()];
    const { id: webhookId } = await register(family, good.url);
    await register(other, good.url);
    const waiting = await leaveWaiting(family, webhookId, 3);
    const push = await startPush();
    await raise(family, 1);
    await raise(other, 1);
    const rows = await untilDeliveries(family, 'exhausted', 1, [push]);
    assert.deepEqual(
      rows.map(({ event_id: event, error }) => [event, error]),
      [[waiting.eventId, 'the tier has no webhooks']],
    );
    // Events are planned in order: what is not there by now never will be.
    const [sent] = await untilDeliveries(other, 'delivered', 1, [push]);
    assert.deepEqual(await deliveries(family), rows);
    assert.deepEqual([...good.ids()], [sent?.event_id]);
    await push.stop();
  });

  it('delivers every event at least once with one id though processes are killed', async () => {
    const family = await newFamily();
    const seen = new Set<unknown>();
    // The first attempt of every seventh event fails; a second one always succeeds.
    const flaky = await receiver(({ headers }, response) => {
      const isFirst = !seen.has(headers['webhook-id']);
      seen.add(headers['webhook-id']);
      const status = isFirst && seen.size % 7 === 0 ? 500 : 200;
      setTimeout(() => response.writeHead(status).end(), 20);
    });
    await register(family, flaky.url);
    let pushes = [await startPush(), await startPush()];
    for (let id = 1; id <= 150; id += 1) {
      await raise(family, id);
      if (id % 50 === 25) {
        await pushes[0]?.stop('SIGKILL');
        pushes = [...pushes.slice(1), await startPush()];
      }
    }
    const rows = await untilDeliveries(family, 'delivered', 150, pushes);
    assert.equal(rows.length, 150);
    const sent = new Set(rows.map((row) => row.event_id));
    assert.deepEqual(flaky.ids(), sent);
    for (const push of pushes) await push.stop();
  });
});
