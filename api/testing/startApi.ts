import type { Tier } from '../../shared/families/tier.ts';
import { programArgs, startScript, untilHolds } from '../../shared/testing/pipelineProcess.ts';
import { freePort, type Service } from '../../shared/testing/services.ts';
import { startStores } from '../../shared/testing/stores.ts';
import { createKeyStore } from '../accounts/keyStore.ts';
import { type Answer, type RequestOptions, request } from './startApp.ts';

/** The chain of every API that a test starts. */
export const API_CHAIN_ID = 31_337;
const PEPPER = '0123456789abcdef'.repeat(2);
const WEBHOOK_KEY = 'fedcba9876543210'.repeat(2);
const UP_MS_MAX = 120_000;

/** Polls until the condition holds; fails after a time that no healthy system needs. */
export const eventually = <T>(
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = UP_MS_MAX,
): Promise<T> =>
  untilHolds(async () => {
    const value = await ask();
    if (!holds(value)) throw new Error(`still ${JSON.stringify(value)}`);
    return value;
  }, timeoutMs);

/**
 * The API as a process of its own, with its own ClickHouse, Redis and NATS and all tables.
 * @param program Node arguments, for another build than the sources.
 * @param startTables creates ClickHouse's tables, if they are not copied.
 * @param upMsMax milliseconds until it must be ready: with many tokens its index takes minutes.
 */
export const startApi = async (
  variables: Readonly<Record<string, string>> = {},
  program: readonly string[] = programArgs('api/main.ts'),
  startTables?: () => Promise<Service>,
  upMsMax = UP_MS_MAX,
) => {
  const stores = await startStores(startTables && { clickhouse: startTables });
  const { clickhouse: database, redis: cache, nats: connection } = stores;
  const port = Number(variables['PORT'] ?? (await freePort()));
  const baseUrl = `http://127.0.0.1:${port}`;
  const environment = {
    PORT: String(port),
    KEY_PEPPER: PEPPER,
    WEBHOOK_SECRET_KEY: WEBHOOK_KEY,
    ...stores.environment,
    CHAIN_ID: String(API_CHAIN_ID),
    LOG_LEVEL: 'debug',
    ...variables,
  };
  const api = startScript('api', program, environment, {
    outputCharsMax: Number.POSITIVE_INFINITY,
  });
  const statusOf = (): Promise<number> =>
    request(baseUrl, '/readyz').then(
      ({ status }) => status,
      () => 0,
    );
  await eventually(statusOf, (status) => status === 200, upMsMax);
  const keys = createKeyStore({ redis: cache, pepper: PEPPER, now: () => Date.now() });
  const call = (path: string, options?: RequestOptions): Promise<Answer> =>
    request(baseUrl, path, options);
  return {
    stores,
    database,
    connection,
    cache,
    baseUrl,
    port,
    environment,
    process: api,
    /** Everything the process has printed. */
    log: () => api.output(),
    keys,
    newKey: (tier: Tier = 'pro') => keys.create({ name: 'test', tier }),
    call,
    post: (path: string, key: string, body?: unknown, headers = {}): Promise<Answer> =>
      call(path, { method: 'POST', key, headers, ...(body === undefined ? {} : { body }) }),
    close: async (): Promise<void> => {
      await api.stop('SIGKILL');
      await stores.stop();
    },
  };
};
