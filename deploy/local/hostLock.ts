import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 100;

/** Takes the address, or returns undefined when somebody has it. */
const listen = (address: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });

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
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  const deadline = Date.now() + waitMs;
  let server: Server | undefined;
  while ((server = await listen(`\0tsd-lock-${digest}`)) === undefined) {
    if (Date.now() > deadline) {
      throw new Error(`another process holds ${name} for more than ${waitMs / 1_000} s`);
    }
    await sleep(RETRY_MS);
  }
  const held = server;
  try {
    return await work();
  } finally {
    await new Promise((resolve) => held.close(resolve));
  }
};
