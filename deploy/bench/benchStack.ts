import type { Redis } from 'ioredis';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { startScript, type TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { startStores } from '../../shared/testing/stores.ts';
import { LOOPBACK } from '../local/launch.ts';
import { YOUNG_OBJECTS } from '../local/parts.ts';
import { untilAnswers } from './childProcesses.ts';

type Environment = Readonly<Record<string, string>>;

/** A role with the address of its probes and metrics. */
export interface RoleProcess extends TestProcess {
  readonly probesUrl: string;
}

/** Real servers on free ports, and the compiled roles. `stop` ends everything. */
export interface BenchStack {
  readonly clickhouse: Clickhouse;
  readonly redis: Redis;
  readonly environment: Environment;
  /** Runs `node ARGS…` beside the stack. */
  start(name: string, args: readonly string[], env?: Environment): TestProcess;
  /** Starts a role of `dist/pipeline/main.js`; `isAwaited` waits until it is ready. */
  role(name: string, env: Environment, isAwaited: boolean): Promise<RoleProcess>;
  stop(): Promise<void>;
}

/** Folder for V8 profiles of the roles; empty: none are written. */
const PROFILE_DIR = process.env['BENCH_PROFILE'] ?? '';

/** Starts NATS, Redis and ClickHouse with the schema in place. */
export const startBenchStack = async (): Promise<BenchStack> => {
  const stores = await startStores();
  const children: TestProcess[] = [];
  const environment = { ...stores.environment, LOG_LEVEL: 'warn' };
  const start: BenchStack['start'] = (name, args, env = {}) => {
    const child = startScript(name, args, { ...environment, ...env });
    children.push(child);
    return child;
  };
  return {
    clickhouse: stores.clickhouse,
    redis: stores.redis,
    environment,
    start,
    role: async (name, env, isAwaited) => {
      const healthPort = await freePort();
      const profiled = PROFILE_DIR ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE_DIR}`] : [];
      // The same as by `make up` and the image.
      const flags = [YOUNG_OBJECTS, ...profiled];
      const child = start(name, [...flags, 'dist/pipeline/main.js', name], {
        ...env,
        HEALTH_PORT: String(healthPort),
      });
      const probesUrl = `http://${LOOPBACK}:${healthPort}`;
      if (isAwaited) await untilAnswers(`${probesUrl}/readyz`, child);
      return { ...child, probesUrl };
    },
    stop: async () => {
      for (const child of children.toReversed()) await child.stop();
      await stores.stop();
    },
  };
};
