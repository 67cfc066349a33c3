import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import { DEAD_LETTER_STREAM } from '../../shared/messages/subjects.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { createSecretBox } from '../../shared/platform/secretBox.ts';
import type { StreamStates } from '../../shared/platform/streamStates.ts';
import { createAccountStore } from '../accounts/accountStore.ts';
import { readAccountHours, readAccountUsage } from '../accounts/accountUsage.ts';
import { dayKey } from '../accounts/createGatekeeper.ts';
import { createIdentityProvider } from '../accounts/identityProvider.ts';
import { createKeyStore } from '../accounts/keyStore.ts';
import { createOneTimeStore } from '../accounts/oneTimeStore.ts';
import { createPasswords } from '../accounts/password.ts';
import { createSecondFactor } from '../accounts/secondFactor.ts';
import { createSessionStore } from '../accounts/sessionStore.ts';
import { createThrottle } from '../accounts/throttle.ts';
import { type ApiConfig, identityProviderOf } from '../server/config.ts';
import { readMarket } from '../tokens/market.ts';
import type { DashboardPorts } from './createDashboard.ts';
import { type ChainState, chainState, type Operations } from './pages/operations.ts';

const readChains = (database: Pick<Clickhouse, 'query'>): Promise<ChainState[]> =>
  database.query(
    `SELECT chain_id AS chainId, block_number AS blockNumber, head, toUnixTimestamp(timestamp) * 1000 AS blockAtMs,
       toUnixTimestamp64Milli(updated_at) AS updatedAtMs
     FROM chain_progress FINAL WHERE reader = 'scorer' ORDER BY chain_id`,
    {},
    chainState,
  );

const createOperations = (
  database: Pick<Clickhouse, 'query'>,
  streams: StreamStates,
): Operations => ({
  chains: () => readChains(database),
  readers: () => streams.readers(),
  deadLetters: () => streams.messages(DEAD_LETTER_STREAM),
});

const chainOf = (chainId: number): DashboardPorts['chain'] => {
  const profile = CHAIN_PROFILES.get(chainId);
  return { name: profile?.name ?? `Chain ${chainId}`, explorer: profile?.explorer };
};

/** Whether an address is reachable from this machine only. */
const isLocal = (baseUrl: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname);

const CALLBACK = '/dashboard/identity/callback';

const providerOf = (config: ApiConfig, baseUrl: string) => {
  const provider = identityProviderOf(config);
  return provider && createIdentityProvider({ ...provider, redirectUri: `${baseUrl}${CALLBACK}` });
};

/** Dependencies that only the dashboard has, over the API's connections. */
export const createDashboardPorts = (args: {
  config: ApiConfig;
  baseUrl: string;
  redis: Redis;
  database: Clickhouse;
  streams: StreamStates;
  clock: Clock;
}) => {
  const { config, baseUrl, redis, database, streams, clock } = args;
  const now = (): number => clock.now();
  const secret = createHmac('sha256', config.KEY_PEPPER).update('dashboard').digest('base64');
  return {
    accounts: createAccountStore({ redis, now }),
    sessions: createSessionStore({ redis, now }),
    oneTime: createOneTimeStore(redis),
    throttle: createThrottle(redis),
    passwords: createPasswords(),
    secondFactor: createSecondFactor(redis, createSecretBox(secret)),
    mailFolder: config.MAIL_URL === undefined && isLocal(baseUrl) ? config.MAIL_DIR : undefined,
    identityProvider: providerOf(config, baseUrl),
    keys: createKeyStore({ redis, pepper: config.KEY_PEPPER, now }),
    isPlanEnforced: config.PLAN_GATE,
    keyUsage: {
      read: (families, nowS) => readAccountUsage(database, families, nowS),
      hours: (families, fromS) => readAccountHours(database, families, fromS),
      unitsToday: async (family, nowS) => {
        return Number((await onRedis(() => redis.get(dayKey(family, { nowS })))) ?? 0);
      },
    },
    readMarket: (verdict, nowMs) => readMarket(database, config.CHAIN_ID, verdict, nowMs),
    chain: chainOf(config.CHAIN_ID),
    operations: createOperations(database, streams),
    operators: new Set(config.OPERATORS),
    secret,
  } satisfies Partial<DashboardPorts>;
};
