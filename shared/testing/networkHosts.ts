import { execFileSync, spawnSync } from 'node:child_process';
import type { NatsHost } from './services.ts';

const INSIDE = 'TSD_IN_NAMESPACE';
const PREPARE = 'mount -t tmpfs tmpfs /run && mkdir /run/netns && ip link set lo up && exec "$@"';
const PORT = 6_222;

/** Whether this process has a network of its own, made by `runInNamespace`. */
export const isInNamespace = (): boolean => process.env[INSIDE] === '1';

/** Runs a test file in a network of its own, where hosts can be made without being root. @returns its exit code and output */
export const runInNamespace = (file: string): { code: number | null; output: string } => {
  const inner = [process.execPath, '--import', 'tsx', '--test', '--test-reporter=spec', file];
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-rnm', 'sh', '-c', PREPARE, 'sh', ...inner],
    // The runner's own variables would make the inner one report to it.
    { encoding: 'utf8', env: { ...process.env, [INSIDE]: '1', NODE_TEST_CONTEXT: undefined } },
  );
  return { code: status, output: `${stdout}${stderr}` };
};

const ip = (...args: string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** A host on two networks: one that clients use, and one between the servers. */
export interface NetworkHost extends NatsHost {
  /** Cuts the host off from the other servers, or connects it again. */
  setRoutes(isUp: boolean): void;
  /** The same for clients. */
  setClients(isUp: boolean): void;
}

const NETWORKS = { clients: '10.99.2', routes: '10.99.1' } as const;
const BRIDGES = { clients: 'br-clients', routes: 'br-routes' } as const;
const KINDS = ['clients', 'routes'] as const;

/** Makes hosts in network namespaces, joined by bridges. Only inside `runInNamespace`. */
export const createNetworkHosts = (names: readonly string[]): NetworkHost[] => {
  for (const kind of KINDS) {
    ip('link', 'add', BRIDGES[kind], 'type', 'bridge');
    ip('link', 'set', BRIDGES[kind], 'up');
  }
  ip('addr', 'add', `${NETWORKS.clients}.254/24`, 'dev', BRIDGES.clients);
  return names.map((name, index) => {
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const kind of KINDS) {
      const outer = `${kind}-${name}`;
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', kind, 'netns', name);
      ip('link', 'set', outer, 'master', BRIDGES[kind], 'up');
      ip('-n', name, 'addr', 'add', `${NETWORKS[kind]}.${index + 1}/24`, 'dev', kind);
      ip('-n', name, 'link', 'set', kind, 'up');
    }
    const set = (kind: string, isUp: boolean): void =>
      ip('link', 'set', `${kind}-${name}`, isUp ? 'up' : 'down');
    return {
      name,
      address: `${NETWORKS.clients}.${index + 1}`,
      routeAddress: `${NETWORKS.routes}.${index + 1}`,
      routePort: PORT,
      run: ({ command, args, env }) => ({
        command: 'ip',
        args: ['netns', 'exec', name, command, ...args],
        env,
      }),
      setRoutes: (isUp) => set('routes', isUp),
      setClients: (isUp) => set('clients', isUp),
    };
  });
};
