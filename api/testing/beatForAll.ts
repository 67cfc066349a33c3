import type { NatsConnection } from 'nats';
import { BEATING_ROLES } from '../../shared/messages/heartbeat.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { beat } from '../../shared/platform/heartbeat.ts';
import { silentLogger } from '../../shared/platform/logger.ts';

const EVERY_MS = 1_000;

/** Gives signs of life for roles that a test does not run. Resolves from `stop` once the last was given. */
export const beatForAll = (
  connection: NatsConnection,
  chainId: number,
): { stop: () => Promise<void> } => {
  const ending = new AbortController();
  const chain = () => {
    const nowMs = systemClock.now();
    return { head: 1, headTimeS: Math.floor(nowMs / 1_000), answeredAtMs: nowMs, next: 2 };
  };
  const common = { connection, chainId, everyMs: EVERY_MS, clock: systemClock, chain };
  const beating = BEATING_ROLES.map((role) =>
    beat({ ...common, role, logger: silentLogger }, ending.signal),
  );
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(beating);
    },
  };
};
