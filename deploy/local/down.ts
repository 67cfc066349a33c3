import { createProcesses } from './processes.ts';
import { stopSupervisor } from './supervision.ts';

/** How long a part may take to finish its work after SIGTERM. */
export const STOP_GRACE_MS = 15_000;

/** Parts that others depend on: they end last. */
const SERVERS = ['nats', 'redis', 'clickhouse', 'devnet'];
const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api'];

/** Stops the processes this stack started, roles before servers, and no others. Returns their names. */
export const takeDown = async (stateDir: string): Promise<string[]> => {
  const processes = createProcesses(stateDir);
  await stopSupervisor(stateDir, processes);
  const others = processes.known().filter((name) => !SERVERS.includes(name));
  const stopAll = async (names: string[]): Promise<string[]> => {
    const stopped = await Promise.all(
      names.map(async (name) => ((await processes.stop(name, STOP_GRACE_MS)) ? [name] : [])),
    );
    return stopped.flat();
  };
  const roles = await stopAll([...new Set([...ROLES, ...others])]);
  return [...roles, ...(await stopAll(SERVERS))];
};
