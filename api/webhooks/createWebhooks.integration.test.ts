import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createTestWebhooks } from '../../pipeline/push/testing/familyWebhooks.ts';
import { webhooksChangedSchema } from '../../shared/messages/settingsMessage.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import type { Mail } from '../../shared/platform/mailer.ts';
import { createSecretBox } from '../../shared/platform/secretBox.ts';
import { startCache } from '../../shared/testing/stores.ts';
import { clickhouse as database, emptyTables } from '../../shared/testing/tables.ts';
import { type Receiver, startReceiver } from '../../shared/testing/webhooks.ts';
import { stopLink } from '../../shared/webhooks/stopLink.ts';
import { createWebhookStore } from '../../shared/webhooks/webhookStore.ts';
import { createOneTimeStore } from '../accounts/oneTimeStore.ts';
import { createThrottle } from '../accounts/throttle.ts';
import { createMailConfirmations } from './mailConfirmations.ts';

const BOX_KEY = '0123456789abcdef'.repeat(2);

const { redis, stop } = await startCache();
after(stop);

describe('webhooks on ClickHouse and Redis', () => {
  before(emptyTables);
  let receiver: Receiver;
  let url: string;
  let status = 200;
  before(async () => {
    receiver = await startReceiver((_, response) => {
      response.writeHead(status).end();
    });
    url = receiver.url;
  });
  after(async () => {
    receiver.close();
  });

  const setup = () => {
    receiver.received.length = 0;
    status = 200;
    const webhooks = createTestWebhooks(database, redis, BOX_KEY);
    const choice = {
      url,
      events: ['watchlist.alert', 'token.scam_detected'] as const,
      description: 'Tökén "1"',
      filters: { min_severity: 'warning', addresses: ['0xab'], min_confidence: 0.5 } as const,
    };
    return { webhooks, choice };
  };
  const verify = (secret: string, index: number): unknown => {
    const { headers, body } = receiver.received[index] ?? { headers: {}, body: '' };
    return new Verifier(secret).verify(body, headers);
  };

  beforeEach(() => redis.flushall());

  it('keeps what was chosen, the secret only sealed, and announces every change', async () => {
    const { webhooks, choice } = setup();
    const created = await webhooks.create('fam_1', choice, 1);
    assert.ok(created);
    const { id } = created.webhook;
    assert.deepEqual(await webhooks.find('fam_1', id), created.webhook);
    assert.ok(!JSON.stringify(created.webhook).includes(created.secret));
    assert.equal(await webhooks.create('fam_1', choice, 1), undefined);
    const changed = await webhooks.change('fam_1', id, {
      status: 'paused',
      filters: null,
      description: null,
    });
    assert.deepEqual(
      [changed?.status, changed?.filters, changed?.description, changed?.url],
      ['paused', null, null, url],
    );
    assert.deepEqual(await webhooks.list('fam_1'), [changed]);
    for (const outcome of [
      await webhooks.find('fam_2', id),
      await webhooks.change('fam_2', id, { status: 'active' }),
      await webhooks.rotateSecret('fam_2', id),
      await webhooks.test('fam_2', id),
    ]) {
      assert.equal(outcome, undefined);
    }
    assert.equal(await webhooks.remove('fam_2', id), false);
    assert.equal(await webhooks.remove('fam_1', id), true);
    assert.equal(await webhooks.remove('fam_1', id), false);
    assert.deepEqual(await webhooks.list('fam_1'), []);
    const changes = await redis.xrange('changes', '-', '+');
    assert.deepEqual(
      changes.map(([, [, message = '']]) => webhooksChangedSchema.parse(JSON.parse(message))),
      Array(3).fill({ v: 1, family: 'fam_1', webhookId: id }),
    );
  });

  it('never exceeds the cap, also when many ask together', async () => {
    const { webhooks, choice } = setup();
    const all = await Promise.all(
      Array.from({ length: 6 }, () => webhooks.create('fam_3', choice, 2)),
    );
    assert.equal(all.filter((created) => created !== undefined).length, 2);
    assert.equal((await webhooks.list('fam_3')).length, 2);
  });

  it('sends tests signed by the old secret too after a rotation, and logs them', async () => {
    const { webhooks, choice } = setup();
    const created = await webhooks.create('fam_4', choice, 1);
    assert.ok(created);
    const { id } = created.webhook;
    const first = await webhooks.test('fam_4', id);
    assert.deepEqual([first?.status, first?.httpStatus, first?.attempt], ['delivered', 200, 1]);
    const payload = verify(created.secret, 0) as { type: string; alert_type: string };
    assert.deepEqual([payload.type, payload.alert_type], ['webhook.test', 'test']);
    const rotated = await webhooks.rotateSecret('fam_4', id);
    assert.ok(rotated);
    assert.notEqual(rotated.secret, created.secret);
    status = 503;
    const second = await webhooks.redeliver('fam_4', id, first?.id ?? '');
    assert.deepEqual(
      [second?.eventId, second?.status, second?.httpStatus, second?.error],
      [first?.eventId, 'failed', 503, 'non-2xx'],
    );
    assert.deepEqual(verify(created.secret, 1), payload);
    assert.deepEqual(verify(rotated.secret, 1), payload);
    const third = await webhooks.test('fam_4', id);
    const state = await webhooks.find('fam_4', id);
    assert.equal(state?.failureCount, 2);
    assert.ok((state?.lastDeliveryAtMs ?? 0) >= (third?.createdAtMs ?? Infinity));
    const page = { family: 'fam_4', webhookId: id, limit: 2 };
    const log = await webhooks.deliveries(page);
    assert.equal(log.total, 3);
    assert.deepEqual(log.deliveries, [third, second]);
    const older = await webhooks.deliveries({ ...page, beforeId: second?.id });
    assert.deepEqual(older.deliveries, [first]);
    const failed = await webhooks.deliveries({ ...page, status: 'delivered' });
    assert.deepEqual([failed.total, failed.deliveries[0]?.id], [1, first?.id]);
    assert.equal(await webhooks.redeliver('fam_4', id, 'dl_unknown'), undefined);
    status = 200;
    await webhooks.test('fam_4', id);
    assert.equal((await webhooks.find('fam_4', id))?.failureCount, 0);
  });

  it('sends mails only to who agreed, until they have it stopped', async () => {
    const { webhooks, choice } = setup();
    const box = createSecretBox(BOX_KEY);
    const sent: Mail[] = [];
    const confirmations = createMailConfirmations({
      webhooks: createWebhookStore(redis, systemClock),
      oneTime: createOneTimeStore(redis),
      throttle: createThrottle(redis),
      mailer: { send: (mail) => void sent.push(mail) },
      box,
      baseUrl: 'https://api.test',
    });
    const target = { kind: 'email', url: 'mailto:a@example.org', secret: '' } as const;
    const mailbox = { ...choice, ...target, recipient: 'a@example.org', isConfirmed: false };
    const created = await webhooks.create('fam_7', mailbox, 1);
    assert.ok(created, 'there is room');
    const { webhook } = created;
    assert.deepEqual([webhook.status, webhook.isConfirmed], ['disabled', false]);
    const tested = await webhooks.test('fam_7', webhook.id);
    assert.equal(tested?.error, 'the address is not confirmed');
    assert.equal(await webhooks.rotateSecret('fam_7', webhook.id), undefined);
    for (let n = 0; n < 5; n += 1)
      assert.equal(await confirmations.waitS('fam_7', 'a@x.example'), 0);
    assert.ok((await confirmations.waitS('fam_7', 'a@x.example')) > 0, 'no sixth within an hour');
    await confirmations.ask(webhook);
    const [mail] = sent;
    assert.equal(mail?.to, 'a@example.org');
    const tokenIn = (text = ''): string =>
      decodeURIComponent(/\?token=([^&\s]+)/.exec(text)?.[1] ?? '');
    assert.equal(await confirmations.confirm('no token'), false);
    assert.equal(await confirmations.confirm(tokenIn(mail?.text)), true);
    assert.equal(await confirmations.confirm(tokenIn(mail?.text)), false);
    assert.equal((await webhooks.find('fam_7', webhook.id))?.status, 'active');
    const link = stopLink(webhook, box, 'https://api.test');
    assert.equal(await confirmations.stop(tokenIn(link).slice(0, -4)), false);
    assert.equal(await confirmations.stop(tokenIn(link)), true);
    const stopped = await webhooks.find('fam_7', webhook.id);
    assert.deepEqual([stopped?.status, stopped?.isConfirmed], ['disabled', false]);
    await webhooks.remove('fam_7', webhook.id);
    assert.equal(await confirmations.stop(tokenIn(link)), false);
  });
});
