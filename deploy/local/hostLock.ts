import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 100;

const listen = (server: Server, address: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
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
  const server = createServer();
  while (!(await listen(server, `\0tsd-lock-${digest}`))) {
    if (Date.now() > deadline) {
      throw new Error(`another process holds ${name} for more than ${waitMs / 1_000} s`);
    }
    await sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
};
