import { setTimeout as sleep } from 'node:timers/promises';
import { type Role, startRole, type TestProcess } from '../pipelineProcess.ts';
import { freePort } from '../services.ts';

/** Keeps one role running as an init system does: whatever ends it, it is started again. */
export interface SupervisedRole {
  readonly role: Role;
  /** SIGKILL, and started again. */
  kill(): Promise<void>;
  /** SIGTERM, waited for, and started again. Resolves to the exit code. */
  restart(): Promise<number | null>;
  isReady(): Promise<boolean>;
  /** Where it answers probes, and the API its clients. */
  readonly url: string;
  /** How often it ended by itself. */
  ownExits(): number;
  output(): string;
  stop(): Promise<void>;
}

const WATCH_MS = 50;
/** Pause before a role that ended by itself is started again. */
const RESTART_MS = 250;
const READY_TIMEOUT_MS = 5_000;

/** The API answers probes where it answers its clients. */
const portVariable = (role: Role): string => (role === 'api' ? 'PORT' : 'HEALTH_PORT');

/** Starts a role and watches over it. */
export const supervise = async (
  role: Role,
  environment: Readonly<Record<string, string>>,
): Promise<SupervisedRole> => {
  const port = await freePort();
  const start = (): TestProcess =>
    startRole(role, {
      ...environment,
      [portVariable(role)]: String(port),
      // A failure has to show which blocks the watcher took.
      LOG_LEVEL: role === 'watcher' ? 'info' : 'warn',
    });
  let child = start();
  let isStopped = false;
  let isKilling = false;
  let ownExits = 0;
  let outputs = '';
  const restart = (): void => {
    outputs = (outputs + child.output()).slice(-20_000);
    child = start();
  };
  const watching = (async () => {
    while (!isStopped) {
      await sleep(WATCH_MS);
      const ended = child;
      if (isStopped || isKilling || !ended.hasEnded()) continue;
      ownExits += 1;
      await sleep(RESTART_MS);
      // A kill meanwhile has started another one already.
      if (!isStopped && !isKilling && child === ended) restart();
    }
  })();
  const url = `http://127.0.0.1:${port}`;
  return {
    role,
    url,
    kill: async () => {
      isKilling = true;
      await child.stop('SIGKILL');
      restart();
      isKilling = false;
    },
    restart: async () => {
      isKilling = true;
      const code = await child.stop('SIGTERM');
      restart();
      isKilling = false;
      return code;
    },
    isReady: async () => {
      try {
        const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
        return (await fetch(`${url}/readyz`, { signal })).ok;
      } catch {
        return false;
      }
    },
    ownExits: () => ownExits,
    output: () => outputs + child.output(),
    stop: async () => {
      isStopped = true;
      await watching;
      await child.stop('SIGKILL');
    },
  };
};
