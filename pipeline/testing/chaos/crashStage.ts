import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEther } from 'viem';
import { createKeyStore } from '../../../api/accounts/keyStore.ts';
import { createWatchlistStore } from '../../../shared/families/watchlistStore.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { ensureStreams } from '../../../shared/platform/nats.ts';
import { createRpc, type Rpc } from '../../../shared/platform/rpc/createRpc.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
} from '../../../shared/testing/devnet/createDevnet.ts';
import type { Role } from '../../../shared/testing/pipelineProcess.ts';
import type { Random } from '../../../shared/testing/random.ts';
import { type Service, startAnvil } from '../../../shared/testing/services.ts';
import type { Store } from '../../../shared/testing/stores.ts';
import type { Fault } from '../../../shared/testing/tcpProxy.ts';
import {
  type FamilyWebhooks,
  openFamilyWebhooks,
  PUSH_ENVIRONMENT,
} from '../../push/testing/familyWebhooks.ts';
import {
  type Dependency,
  type LiveStack,
  STACK_CHAIN_ID,
  type StackOptions,
  startLiveStack,
  TEST_PEPPER,
} from './liveStack.ts';

/** Maximum depth of a reorg: the node's finality. */
const REORG_DEPTH_MAX = 64;
/** Accounts that trade, and create one token each. */
const TRADERS = 8;
/** Tokens that are final before anything happens to them. */
const TOKENS_AT_START = 3;
/** Pays every creator before it creates its token, which forms rings of those that scam. */
const FUNDER = 9;

const TRANSFER_GAS = 21_000n;

export const createDevnetDriver = (devnet: Devnet, random: Random) => {
  const tokens: DevnetToken[] = [];
  const counts: Record<string, number> = {};

  const living = async (): Promise<DevnetToken[]> => {
    const codes = await Promise.all(
      tokens.map(({ address }) => devnet.publicClient.getCode({ address })),
    );
    return tokens.filter((_token, i) => codes[i] !== undefined);
  };
  const launch = async (): Promise<void> => {
    // One token per creator, because other tokens of a creator would influence a verdict.
    const taken = new Set((await living()).map(({ creator }) => creator));
    const free = Array.from({ length: TRADERS }, (_, i) => i).find((index) => !taken.has(index));
    if (free === undefined) return;
    const creator = free;
    const to = devnet.address(creator);
    await devnet.transact([{ from: FUNDER, to, value: parseEther('1'), gas: TRANSFER_GAS }]);
    const token = await devnet.deployToken(random.pick(['honest', 'ruggable', 'tax']), { creator });
    tokens.push(token);
    await devnet.addLiquidity(token, 5 + random.below(20));
  };
  const reorg = (depthMax: number): Promise<void> => {
    const depth = random.oneIn(5) ? 1 + random.below(depthMax) : 1 + random.below(6);
    return devnet.reorg(Math.min(depth, depthMax));
  };
  const send = (token: DevnetToken): Promise<unknown> => {
    const to = devnet.address(random.below(TRADERS));
    return devnet.transfer(token.address, token.creator, to, parseEther('3'));
  };
  const actions: Readonly<Record<string, (token: DevnetToken) => Promise<unknown>>> = {
    transfer: send,
    give: send,
    buy: (token) => devnet.buy(token.address, random.below(TRADERS), 0.1 + random.below(20) / 10),
    sell: (token) => devnet.sell(token.address, token.creator, 0.1),
    pull: (token) => devnet.removeLiquidity(token, random.pick([0.3, 0.6, 0.95])),
    pool: (token) => devnet.addLiquidity(token, 1 + random.below(20), 0.2),
    own: (token) => devnet.transferOwnership(token, devnet.address(token.creator)),
    launch,
    mine: () => devnet.mine(1 + random.below(4), 1),
  };

  return {
    /** Sets the stage: tokens with pools, below more blocks than the deepest reorg removes. */
    prepare: async (): Promise<void> => {
      await devnet.deployUniswap();
      for (let i = 0; i < TOKENS_AT_START; i += 1) await launch();
      await devnet.mine(REORG_DEPTH_MAX + 2, 1);
    },
    /**
     * Performs one action. Actions that a reorg made impossible are skipped.
     * @param depthMax maximum depth of a reorg.
     */
    act: async (depthMax: number = REORG_DEPTH_MAX): Promise<void> => {
      const name = random.pick([...Object.keys(actions), 'reorg']);
      try {
        if (name === 'reorg') await reorg(depthMax);
        else await actions[name]?.(random.pick(await living()));
        counts[name] = (counts[name] ?? 0) + 1;
      } catch {
        // A reorg removed the token, its pool or the coins.
        counts['impossible'] = (counts['impossible'] ?? 0) + 1;
      }
    },
    /** All tokens ever created, including those that a reorg removed. */
    tokens: (): readonly DevnetToken[] => tokens,
    /** Actions so far, by kind. */
    counts: (): Readonly<Record<string, number>> => counts,
  };
};
/** Random activity on a devnet: transfers, pools, trades, removals of liquidity, new tokens, reorgs. */
export type DevnetDriver = ReturnType<typeof createDevnetDriver>;

const PAUSE_MS = 25;

interface WantedReorg {
  readonly depth: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Starts the activity, paused until it is allowed. */
const startLife = (devnet: Devnet, driver: DevnetDriver) => {
  const wanted: WantedReorg[] = [];
  let actionsLeft = 0;
  let isOver = false;
  const living = (async () => {
    while (!isOver || wanted.length > 0) {
      const next = wanted.shift();
      if (next) await devnet.reorg(next.depth).then(next.done, next.failed);
      else if (actionsLeft > 0) {
        actionsLeft -= 1;
        await driver.act();
      }
      await sleep(PAUSE_MS);
    }
  })();
  return {
    /**
     * Allows a number of actions from now on: on a slow machine the amount to compare must not grow with it.
     */
    allow: (actions: number): void => {
      actionsLeft = actions;
    },
    /** A reorg of exactly this depth between two other actions. Resolves when it has happened. */
    reorg: (depth: number): Promise<void> =>
      new Promise((done, failed) => {
        wanted.push({ depth, done, failed });
      }),
    /** Resolves when all activity has stopped. */
    stop: async (): Promise<void> => {
      isOver = true;
      await living;
    },
  };
};
/** Chain activity in the background. */
type Life = ReturnType<typeof startLife>;

/** Every role. */
const STAGE_ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api'] as const;

/** Servers and roles, on a chain with activity; watched tokens, a webhook, a client with a key. */
export interface CrashStage {
  readonly stack: LiveStack;
  readonly devnet: Devnet;
  readonly driver: DevnetDriver;
  readonly rpc: Rpc;
  readonly life: Life;
  readonly watches: readonly WatchItem[];
  readonly webhooks: FamilyWebhooks;
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

/** Starts a chain with tokens, the servers, and roles, all by default; resolves when all are working. */
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
    const { clickhouse, redis } = stack;
    const webhooks = await openFamilyWebhooks(clickhouse, redis, Object.values(FAMILIES));
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

/** Everything that can be killed. */
export const PARTS = [...STAGE_ROLES, 'nats', 'redis', 'clickhouse'] as const;
export type Part = (typeof PARTS)[number];

/** A part is killed at a random moment. */
const AIM_MS_MAX = 700;
/** A killed server stays down for up to this long. */
const AWAY_MS_MAX = 500;

const isStore = (part: Part): part is Store =>
  part === 'nats' || part === 'redis' || part === 'clickhouse';

/** Milliseconds until every role is working. */
const recoveryMs = async ({ stack, devnet }: CrashStage, what: string, startMs: number) => {
  await stack.untilAtWork(devnet.publicClient, what);
  return Math.round(performance.now() - startMs);
};

/**
 * Kills a part with SIGKILL during activity and restarts it. When everything works again, resolves to the
 * milliseconds since the kill.
 */
export const strike = async (stage: CrashStage, part: Part, random: Random): Promise<number> => {
  await sleep(random.below(AIM_MS_MAX));
  const startMs = performance.now();
  if (isStore(part)) {
    await stage.stack.servers[part].kill();
    await sleep(random.below(AWAY_MS_MAX));
    await stage.stack.servers[part].restart();
  } else await stage.stack.roles.get(part)?.kill();
  return recoveryMs(stage, `after the kill of ${part}`, startMs);
};

/**
 * Makes a dependency unavailable to all roles for `ms` during activity. When everything works again, resolves to the
 * milliseconds since it was back.
 */
export const takeAway = async (
  stage: CrashStage,
  { dependency, fault, ms }: { dependency: Dependency; fault: Fault; ms: number },
): Promise<number> => {
  const proxy = stage.stack.proxies.get(dependency);
  if (!proxy) throw new Error(`no proxy stands before ${dependency}`);
  await proxy.setFault(fault);
  await sleep(ms);
  await proxy.setFault('none');
  return recoveryMs(stage, `after ${dependency} was ${fault}`, performance.now());
};
