import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventId } from '../../shared/events/pushEvent.ts';
import type { AlertMessage } from '../../shared/messages/alertMessage.ts';
import { alertSubject } from '../../shared/messages/subjects.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { sampleAlert, sampleWebhook } from '../../shared/testing/samples.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';
import { createPlan, type ReceivedMessage } from './planner.ts';
import { newCounts } from './pushMetrics.ts';

const FAMILY = 'fam';

const messageOf = (id: number): ReceivedMessage => {
  const message: AlertMessage = {
    v: 1,
    eventId: eventId(`${id}`, 1_700_000_000_000),
    state: 'raised',
    alert: sampleAlert({ family: FAMILY, id, createdAtMs: 1_700_000_000_000 }),
  };
  const data = Buffer.from(JSON.stringify(message));
  return {
    subject: alertSubject(FAMILY),
    data,
    messageId: message.eventId,
    seq: id,
    isAgain: false,
  };
};
const webhook = (n: number): Webhook => sampleWebhook({ family: FAMILY, id: `wh_${n}` });

/** A plan for a number of webhooks of one family; `save` is the store's. */
const setup = (
  webhooks: number,
  isRefused: boolean,
  save: (delivery: Delivery) => Promise<void> = async () => undefined,
) => {
  const [added, scheduled]: [Delivery[][], Delivery[][]] = [[], []];
  const targets = Array.from({ length: webhooks }, (_, n) => webhook(n));
  const counts = newCounts();
  const plan = createPlan({
    index: { targets: () => targets },
    entitled: async (families) => new Set(families),
    store: {
      add: async (deliveries) => void added.push([...deliveries]),
      attempted: async () => new Set(),
      save,
    },
    queue: {
      add: async (deliveries) => {
        scheduled.push([...deliveries]);
        return isRefused ? deliveries.map(({ id }) => id) : [];
      },
    },
    caughtUp: async () => undefined,
    remember: () => undefined,
    wake: () => undefined,
    deadLetter: async () => undefined,
    now: () => 0,
    logger: silentLogger,
    counts,
  });
  return { plan, added, scheduled, counts };
};

describe('plan', () => {
  it('stores what is refused together: a flood for one webhook delays no other', async () => {
    const flood = 200;
    const saved: Delivery[] = [];
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Each save ends only when all have begun: sequential saves would wait forever.
    const { plan, counts } = setup(1, true, async (delivery) => {
      saved.push(delivery);
      if (saved.length === flood) release();
      await all;
    });
    await plan(Array.from({ length: flood }, (_, id) => messageOf(id)));
    assert.deepEqual([saved.length, counts.dropped, counts.planned], [flood, flood, 0]);
    assert.ok(saved.every(({ status }) => status === 'exhausted'));
  });

  it('takes many webhooks in parts of bounded size, each delivery once', async () => {
    const { plan, added, scheduled, counts } = setup(1_500, false);
    await plan([1, 2, 3].map(messageOf));
    assert.deepEqual(
      added.map(({ length }) => length),
      [2_000, 2_000, 500],
    );
    assert.deepEqual(scheduled, added);
    assert.equal(new Set(added.flat().map(({ id }) => id)).size, 4_500);
    assert.deepEqual([counts.events, counts.planned], [3, 4_500]);
  });
});
