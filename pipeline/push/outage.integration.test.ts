import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { EVENTS_STREAM } from '../../shared/messages/subjects.ts';
import { ensureStreams } from '../../shared/platform/nats.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { publishAlert } from '../../shared/testing/samples.ts';
import { type Stores, startStores } from '../../shared/testing/stores.ts';
import { type SupervisedRole, supervise, untilReady } from '../testing/chaos/liveStack.ts';
import {
  type FamilyWebhooks,
  openFamilyWebhooks,
  PUSH_ENVIRONMENT,
} from './testing/familyWebhooks.ts';

const CHAIN_ID = 1;
const FAMILY = 'fam';
const TIMEOUT_MS = 180_000;
const ALERTS_BEFORE = 20;
const ALERTS_MEANWHILE = 20;

describe('push while a server is away', () => {
  let stores: Stores;
  let webhooks: FamilyWebhooks;
  let push: SupervisedRole;
  let raised = 0;
  const events: string[] = [];

  before(async () => {
    stores = await startStores();
    await ensureStreams(stores.nats, [CHAIN_ID]);
    webhooks = await openFamilyWebhooks(stores.clickhouse, stores.redis, [FAMILY]);
    const environment = { ...PUSH_ENVIRONMENT, ...stores.environment, CHAIN_ID: String(CHAIN_ID) };
    push = await supervise('push', environment);
    await untilReady('push', [push]);
  });
  after(async () => {
    await push?.stop();
    webhooks?.close();
    await stores?.stop();
  });

  const takesMessages = async (): Promise<true | undefined> => {
    try {
      await (await stores.nats.jetstreamManager()).streams.info(EVENTS_STREAM);
      return true;
    } catch {
      return undefined;
    }
  };
  const raise = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      raised += 1;
      events.push(await publishAlert(stores.nats, FAMILY, raised));
    }
  };
  const untilReceived = (): Promise<true> =>
    until(
      'all received',
      () => {
        const received = webhooks.received();
        return events.every((id) => received.has(id)) || undefined;
      },
      TIMEOUT_MS,
    ).catch((error) => {
      throw new Error(push.output(), { cause: error });
    });
  const rowSchema = z.object({ id: z.string(), status: z.string(), bytes: z.number() });
  const untilStored = () =>
    until(
      'all stored',
      async () => {
        const rows = await stores.clickhouse.query(
          `SELECT event_id AS id, toString(status) AS status, length(payload) AS bytes
           FROM webhook_deliveries FINAL WHERE family = {family:String}`,
          { family: FAMILY },
          rowSchema,
        );
        const isDone = rows.length === events.length;
        return isDone && rows.every(({ status }) => status === 'delivered') ? rows : undefined;
      },
      TIMEOUT_MS,
    );

  for (const server of ['redis', 'clickhouse', 'nats'] as const) {
    it(`loses nothing and doubles no id when ${server} goes away and comes back`, async () => {
      await raise(ALERTS_BEFORE);
      await stores.servers[server].kill();
      if (server !== 'nats') await raise(ALERTS_MEANWHILE);
      await stores.servers[server].restart();
      if (server === 'nats') {
        await until('NATS', takesMessages, TIMEOUT_MS);
        await raise(ALERTS_MEANWHILE);
      }
      await untilReceived();
      const received = webhooks.received();
      assert.deepEqual([...received.keys()].toSorted(), events.toSorted());
      for (const arrivals of received.values()) {
        assert.equal(new Set(arrivals.map(({ body }) => body)).size, 1);
      }
      const rows = await untilStored();
      assert.ok(rows.every(({ bytes }) => bytes > 0));
    });
  }
});
