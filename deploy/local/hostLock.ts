import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 100;

/** Binds the address; undefined when it is taken. */
const listen = (address: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });

/** Name of the lock that commands hold while they change the stack in this folder. */
export const stackLock = (stateDir: string): string => `stack ${stateDir}`;

const addressOf = (name: string): string =>
  `\0tsd-lock-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;

const release = (held: Server): Promise<unknown> => new Promise((resolve) => held.close(resolve));

/** Runs `work` unless another process is running work under the same name. */
export const ifHostLockFree = async (name: string, work: () => Promise<void>): Promise<void> => {
  const held = await listen(addressOf(name));
  if (held === undefined) return;
  try {
    await work();
  } finally {
    await release(held);
  }
};

/**
 * Runs `work` while no other process of this machine runs work under the same name. The lock is an
 * abstract socket: the kernel frees it when its holder dies, so there is never a stale one.
 * Throws when it is not free after `waitMs`.
 */
export const withHostLock = async <Result>(
  name: string,
  waitMs: number,
  work: () => Promise<Result>,
): Promise<Result> => {
  const deadline = Date.now() + waitMs;
  let server: Server | undefined;
  while ((server = await listen(addressOf(name))) === undefined) {
    if (Date.now() > deadline) {
      throw new Error(`another process holds ${name} for more than ${waitMs / 1_000} s`);
    }
    await sleep(RETRY_MS);
  }
  const held = server;
  try {
    return await work();
  } finally {
    await release(held);
  }
};
