import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const POLL_MS = 2;
const MS_MAX = 30_000;
/** A connection on which a read of the stream waits for the next entry: whoever waits has taken over all before it. */
const WAITING = /flags=\S*b\S* .*cmd=xread/;

/** Resolves once so many processes have taken over every change that was stored so far. */
export const untilChangesFollowed = async (redis: Redis, followers: number): Promise<void> => {
  const deadline = Date.now() + MS_MAX;
  for (;;) {
    const clients = String(await redis.client('LIST')).split('\n');
    if (clients.filter((line) => WAITING.test(line)).length >= followers) return;
    if (Date.now() > deadline) throw new Error(`changes not followed within ${MS_MAX} ms`);
    await sleep(POLL_MS);
  }
};
