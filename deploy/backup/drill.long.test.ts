import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGatekeeper } from '../../api/accounts/createGatekeeper.ts';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import { DEFAULT_PLANS } from '../../api/accounts/plans.ts';
import { createReadMarks } from '../../api/alerts/createAlerts.ts';
import { createTestWebhooks, grantTier } from '../../pipeline/push/testing/familyWebhooks.ts';
import { createDevnetDriver, type DevnetDriver } from '../../pipeline/testing/chaos/crashStage.ts';
import {
  type LiveStack,
  startLiveStack,
  TEST_PEPPER,
  TEST_WEBHOOK_KEY,
  untilReady,
} from '../../pipeline/testing/chaos/liveStack.ts';
import { assertAlerts, assertTokens, readTruth } from '../../pipeline/testing/chaos/outcome.ts';
import { DEVNET_BASES } from '../../pipeline/testing/chaos/storedState.ts';
import { createAlertSettingsStore } from '../../shared/families/alertSettingsStore.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { createRpc, type Rpc } from '../../shared/platform/rpc/createRpc.ts';
import { createDevnet, type Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { createRandom } from '../../shared/testing/random.ts';
import { publishAlert } from '../../shared/testing/samples.ts';
import { type Service, startAnvil } from '../../shared/testing/services.ts';
import { type Receiver, startReceiver } from '../../shared/testing/webhooks.ts';
import { createBackup } from './createBackup.ts';
import { readManifest } from './manifest.ts';
import { restoreBackup } from './restoreBackup.ts';

const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;
const TIMEOUT_MS = 120_000;
const POLL_MS = 25;
/** On a slow machine backup and restarts take long: the amount to compare must not grow with it. */
const ACTIONS_MAX = 60;
/** Shallow enough that every compared part of the chain remains. */
const DEPTH_MAX = 3;
const FAMILY = 'family';
const ITEMS_MAX = 1_000;
/** What a customer set and read. */
const SETTINGS = { dedupe_window_seconds: 60 } as const;
const READ = { id: 77, createdAtMs: 1_000 } as const;
/** Attempts go on until the receiver answers, which it does only after the restore. */
const RETRY_DELAYS_S = Array.from({ length: 32 }, () => '8').join(',');

describe('a stack that is restarted, lost and restored', () => {
  const random = createRandom(7);
  const folder = mkdtempSync(join(tmpdir(), 'tsd-backup-'));
  const watches: WatchItem[] = [];
  let anvil: Service;
  let devnet: Devnet;
  let driver: DevnetDriver;
  let rpc: Rpc;
  let first: LiveStack;
  let second: LiveStack;
  let receiver: Receiver;
  let isReceiverOpen = false;
  let apiKey = '';
  let eventName = '';
  const extra = { WEBHOOK_RETRY_DELAYS_S: RETRY_DELAYS_S };

  const watch = async (id: number, address: WatchItem['address']): Promise<void> => {
    const item: WatchItem = {
      family: FAMILY,
      id,
      type: 'token',
      address,
      alerts: ['rug_pull', 'liquidity_removed', 'ownership_change'],
      sensitivity: 'high',
      createdAtMs: 0,
    };
    watches.push(item);
    const { kind } = await createWatchlistStore(first.redis).add(item, ITEMS_MAX);
    assert.equal(kind, 'added');
  };
  const registerWebhook = async (): Promise<void> => {
    const webhooks = createTestWebhooks(first.clickhouse, first.redis, TEST_WEBHOOK_KEY);
    const choice = { events: ['watchlist.alert'], description: null, filters: null } as const;
    assert.ok(await webhooks.create('customer', { url: receiver.url, ...choice }, 10));
  };
  const admits = async ({ redis }: LiveStack): Promise<string> => {
    const gatekeeper = createGatekeeper({ redis, pepper: TEST_PEPPER, plans: DEFAULT_PLANS });
    return (await gatekeeper.admit(apiKey, { day: 1, minute: 1 })).kind;
  };
  const live = async (actions: number): Promise<void> => {
    for (let done = 0; done < actions; done += 1) await driver.act(DEPTH_MAX);
  };
  /** Chain activity continues meanwhile. */
  const whileLiving = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    let isOver = false;
    const living = (async () => {
      for (let done = 0; !isOver && done < ACTIONS_MAX; done += 1) {
        await driver.act(DEPTH_MAX);
        await sleep(POLL_MS);
      }
    })();
    try {
      return await work();
    } finally {
      isOver = true;
      await living;
    }
  };

  before(async () => {
    anvil = await startAnvil();
    receiver = await startReceiver((_, response) => {
      response.writeHead(isReceiverOpen ? 204 : 503).end();
    });
    devnet = await createDevnet({ url: anvil.url });
    driver = createDevnetDriver(devnet, random);
    await driver.prepare();
    rpc = createRpc([anvil.url], systemClock);
    first = await startLiveStack(anvil.url);
    for (const [index, { address }] of driver.tokens().entries()) await watch(index + 1, address);
    const { redis } = first;
    const keys = createKeyStore({ redis, pepper: TEST_PEPPER, now: () => Date.now() });
    apiKey = (await keys.create({ name: 'customer', tier: 'pro' })).key;
    await first.startRoles(ROLES, extra);
    await first.untilConverged(devnet.publicClient, DEVNET_BASES);
    await grantTier(redis, 'customer');
    await registerWebhook();
    await createAlertSettingsStore(redis).update('customer', () => SETTINGS);
    await createReadMarks(redis).add('customer', READ, 0);
  });
  after(async () => {
    rpc?.close();
    receiver?.close();
    await Promise.all([first, second, anvil].map((one) => one?.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  test('roles restarted in turn while the chain goes on end by themselves, lose nothing and double nothing', async (context) => {
    await whileLiving(async () => {
      for (const name of ROLES) {
        const role = first.roles.get(name);
        assert.ok(role);
        assert.equal(await role.restart(), 0, `${name}: ${role.output()}`);
        await untilReady(`${name} again`, [role]);
      }
    });
    await devnet.mine(2, 1);
    await first.untilConverged(devnet.publicClient, DEVNET_BASES);
    const logs = await first.assertFacts(devnet.publicClient);
    const exits = [...first.roles.values()].map((role) => role.ownExits());
    assert.deepEqual(
      exits,
      ROLES.map(() => 0),
      'no role ended for another reason',
    );
    context.diagnostic(`${logs} logs, ${JSON.stringify(driver.counts())}`);
  });

  test('a backup is made while everything works', async () => {
    eventName = await publishAlert(first.nats, 'customer', 1);
    const attempted = () => receiver.received.length > 0 || undefined;
    await until('the delivery has failed once', attempted, TIMEOUT_MS);
    const manifest = await whileLiving(() => createBackup(first.addresses, join(folder, 'live')));
    const rows = new Map(manifest.tables.map(({ table, rows }) => [table, rows]));
    for (const table of ['fact_transfers', 'token_verdicts', 'webhook_deliveries']) {
      assert.ok((rows.get(table) ?? 0) > 0, table);
    }
    assert.deepEqual(readManifest(join(folder, 'live')), manifest);
    await assert.rejects(createBackup(first.addresses, join(folder, 'live')), /exists/);
  });

  test('after the loss of everything the chain fills what came later: no gap, nothing double', async (context) => {
    await first.stop();
    await live(8);
    second = await startLiveStack(anvil.url, { isMigrated: false });
    await restoreBackup(second.addresses, join(folder, 'live'), { force: false });
    isReceiverOpen = true;
    const before = receiver.received.length;
    await second.startRoles(ROLES, extra);
    await live(8);
    await devnet.mine(2, 1);
    await second.untilConverged(devnet.publicClient, DEVNET_BASES);
    const logs = await second.assertFacts(devnet.publicClient);
    assert.equal(await admits(second), 'admitted');
    assert.deepEqual(await createAlertSettingsStore(second.redis).read('customer'), SETTINGS);
    assert.deepEqual(await createReadMarks(second.redis).ids('customer'), [READ.id]);

    const stage = { stack: second, devnet, driver, rpc, watches };
    const truth = await readTruth(stage);
    const tokens = await assertTokens(stage, truth);
    const alerts = await assertAlerts(stage, truth);

    const delivered = () => receiver.received.slice(before).length > 0 || undefined;
    await until('the scheduled delivery arrives', delivered, TIMEOUT_MS);
    assert.deepEqual([...receiver.ids()], [eventName]);
    context.diagnostic(`${logs} logs, ${tokens} tokens, ${alerts} alerts`);
  });
});
