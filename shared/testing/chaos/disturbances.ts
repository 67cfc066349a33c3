import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import { type CrashStage, STAGE_ROLES } from './crashStage.ts';
import type { Dependency, Store } from './liveStack.ts';
import type { Fault } from './tcpProxy.ts';

/** All that can be killed. */
export const PARTS = [...STAGE_ROLES, 'nats', 'redis', 'clickhouse'] as const;
export type Part = (typeof PARTS)[number];

/** A part is struck at any moment of what it does. */
const AIM_MS_MAX = 700;
/** A killed server stays away for up to this long. */
const AWAY_MS_MAX = 500;

const isStore = (part: Part): part is Store =>
  part === 'nats' || part === 'redis' || part === 'clickhouse';

/** Milliseconds until every role is at work. */
const recoveryMs = async ({ stack, devnet }: CrashStage, what: string, startMs: number) => {
  await stack.untilAtWork(devnet.publicClient, what);
  return Math.round(performance.now() - startMs);
};

/**
 * Kills a part with SIGKILL while things happen and starts it again. Resolves, when everything is at work
 * again, to the milliseconds since the kill.
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
 * Takes a dependency away from all roles for `ms` while things happen. Resolves, when everything is at work
 * again, to the milliseconds since it was back.
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
