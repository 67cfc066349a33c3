import assert from 'node:assert/strict';
import { createKeyStore } from '../../../api/accounts/keyStore.ts';
import type { WatchItem } from '../../messages/watchMessage.ts';
import { systemClock } from '../../platform/clock.ts';
import { ensureStreams } from '../../platform/nats.ts';
import { createRpc, type Rpc } from '../../platform/rpc/createRpc.ts';
import { createWatchlistStore } from '../../watchlist/watchlistStore.ts';
import {
  openSessionWebhooks,
  PUSH_ENVIRONMENT,
  type SessionWebhooks,
} from '../alertSession/sessionWebhooks.ts';
import { createDevnet, type Devnet } from '../devnet/createDevnet.ts';
import type { Role } from '../pipelineProcess.ts';
import { type Service, startAnvil } from '../services.ts';
import type { Random } from '../simulation/random.ts';
import { createDevnetDriver, type DevnetDriver } from './devnetDriver.ts';
import { type Life, startLife } from './life.ts';
import {
  type LiveStack,
  STACK_CHAIN_ID,
  type StackOptions,
  startLiveStack,
  TEST_PEPPER,
} from './liveStack.ts';

/** Every role that there is. */
export const STAGE_ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api'] as const;

/** Servers and roles, on a chain on which things happen; watched tokens, a webhook, a client with a key. */
export interface CrashStage {
  readonly stack: LiveStack;
  readonly devnet: Devnet;
  readonly driver: DevnetDriver;
  readonly rpc: Rpc;
  readonly life: Life;
  readonly watches: readonly WatchItem[];
  readonly webhooks: SessionWebhooks;
  readonly apiKey: string;
  stop(): Promise<void>;
}

const FAMILIES = { high: 'family', low: 'family2' } as const;
const ITEMS_MAX = 1_000;

/** Two families watch every token, with different thresholds. */
const watch = async (
  { redis }: LiveStack,
  id: number,
  address: WatchItem['address'],
  sensitivity: 'high' | 'low',
): Promise<WatchItem> => {
  const item: WatchItem = {
    family: FAMILIES[sensitivity],
    id,
    type: 'token',
    address,
    alerts: ['rug_pull', 'liquidity_removed', 'ownership_change'],
    sensitivity,
    createdAtMs: 0,
  };
  const { kind } = await createWatchlistStore(redis).add(item, ITEMS_MAX);
  assert.equal(kind, 'added');
  return item;
};

/** Starts a chain with tokens, the servers, and roles, every one unless told otherwise; resolves when all are at work. */
export const startCrashStage = async (
  random: Random,
  {
    roles = STAGE_ROLES,
    ...options
  }: Omit<StackOptions, 'isMigrated'> & { readonly roles?: readonly Role[] } = {},
): Promise<CrashStage> => {
  const closing: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const anvil: Service = await startAnvil();
    closing.push(() => anvil.stop());
    const devnet = await createDevnet({ url: anvil.url });
    const driver = createDevnetDriver(devnet, random);
    await driver.prepare();
    const rpc = createRpc([anvil.url], systemClock);
    closing.push(() => rpc.close());
    const stack = await startLiveStack(anvil.url, options);
    closing.push(() => stack.stop());
    await ensureStreams(stack.nats, [STACK_CHAIN_ID]);
    const watches: WatchItem[] = [];
    for (const { address } of driver.tokens()) {
      watches.push(await watch(stack, watches.length + 1, address, 'high'));
      watches.push(await watch(stack, watches.length + 1, address, 'low'));
    }
    const { clickhouse, nats: connection, redis } = stack;
    const servers = { clickhouse, connection };
    const webhooks = await openSessionWebhooks(
      servers,
      stack.stores.redisUrl,
      Object.values(FAMILIES),
    );
    closing.push(() => webhooks.close());
    const keys = createKeyStore({ redis, pepper: TEST_PEPPER, now: () => Date.now() });
    const { key: apiKey } = await keys.create({ name: 'customer', tier: 'pro' });
    await stack.startRoles(roles, PUSH_ENVIRONMENT);
    await stack.untilAtWork(devnet.publicClient, 'after the start');
    const life = startLife(devnet, driver);
    closing.push(() => life.stop());
    return { stack, devnet, driver, rpc, life, watches, webhooks, apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
