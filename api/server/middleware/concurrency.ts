import type { Caller } from '../../accounts/admission.ts';
import { ApiError, unavailable } from '../apiError.ts';

/** Requests worked on at the same time by one process. */
export interface ConcurrencyLimits {
  /** Of the API, all keys together; more would only make all of them slow. */
  readonly apiMax: number;
  /** Of the dashboard, apart from those of the API: neither takes the slots of the other. */
  readonly dashboardMax: number;
  /** Of one key family, costly ones apart. */
  readonly familyMax: number;
  /** Costly ones of one key family, waiting or running: see `heavyGate`. */
  readonly familyHeavyMax: number;
  /** Of one client address, from their headers until their answer is taken. */
  readonly addressMax: number;
}

export const CONCURRENCY_LIMITS: ConcurrencyLimits = {
  apiMax: 500,
  dashboardMax: 100,
  familyMax: 100,
  familyHeavyMax: 16,
  addressMax: 128,
};
const RETRY_AFTER_S = 1;

/** Everything that can refuse a client for what is under way already; labels of a metric. */
export type ConcurrencyLimit =
  | 'api'
  | 'dashboard'
  | 'family'
  | 'heavy'
  | 'family_heavy'
  | 'address'
  | 'connections'
  | 'address_connections';

/** Counts what is under way, by name, up to the same limit for each name. */
export interface Semaphore {
  /** What gives the permit back, once; undefined where the name has all its permits out. */
  acquire(name: string): (() => void) | undefined;
}

/** A semaphore for each name. It remembers those names only that have permits out. */
export const createSemaphore = (permitsMax: number): Semaphore => {
  const held = new Map<string, number>();
  return {
    acquire: (name) => {
      const count = held.get(name) ?? 0;
      if (count >= permitsMax) return undefined;
      held.set(name, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(name) ?? 1) - 1;
        if (left === 0) held.delete(name);
        else held.set(name, left);
      };
    },
  };
};

const tooMany = (message: string, headers: Readonly<Record<string, string>> = {}): ApiError =>
  new ApiError({
    status: 429,
    error: 'Rate limit exceeded',
    code: 'AUTH_003',
    message,
    headers: { 'Retry-After': String(RETRY_AFTER_S), ...headers },
  });

/** 429 for an address that has too much under way. */
export const tooManyFromAddress = (what: 'requests' | 'connections', max: number): ApiError =>
  tooMany(`More than ${max} ${what} at once from your address`, { Connection: 'close' });

/** Lets work begin once its request has arrived in full. */
export interface Concurrency {
  /**
   * Runs work of the API.
   * @throws ApiError 429 where the key family has too much under way, 503 where the service has.
   */
  runApi<T>(caller: Caller, isHeavy: boolean, work: () => Promise<T>): Promise<T>;
  /** Runs work of the dashboard. @throws ApiError 503 where too much is under way. */
  runDashboard<T>(work: () => Promise<T>): Promise<T>;
}

/** One permit that some work needs. */
interface Need {
  readonly limit: ConcurrencyLimit;
  readonly semaphore: Semaphore;
  readonly name: string;
  readonly refusal: () => ApiError;
}

/** The only name of a semaphore that the whole service shares. */
const ALL = 'all';
const fullService = (): ApiError => unavailable('Too many requests at once', RETRY_AFTER_S);

/**
 * Permits are taken once a request has arrived in full: who sends a body slowly, or never, holds none.
 * @param onRefused is told of each refusal.
 */
export const createConcurrency = (
  limits: ConcurrencyLimits,
  onRefused: (limit: ConcurrencyLimit) => void,
): Concurrency => {
  const api = createSemaphore(limits.apiMax);
  const dashboard = createSemaphore(limits.dashboardMax);
  const family = createSemaphore(limits.familyMax);
  const familyHeavy = createSemaphore(limits.familyHeavyMax);

  const run = async <T>(needs: readonly Need[], work: () => Promise<T>): Promise<T> => {
    const releases: (() => void)[] = [];
    try {
      for (const { limit, semaphore, name, refusal } of needs) {
        const release = semaphore.acquire(name);
        if (!release) {
          onRefused(limit);
          throw refusal();
        }
        releases.push(release);
      }
      return await work();
    } finally {
      for (const release of releases) release();
    }
  };
  const ofFamily = (caller: Caller, isHeavy: boolean): Need => ({
    limit: isHeavy ? 'family_heavy' : 'family',
    semaphore: isHeavy ? familyHeavy : family,
    name: caller.family,
    refusal: () =>
      tooMany(
        isHeavy
          ? `More than ${limits.familyHeavyMax} costly requests at once with your key`
          : `More than ${limits.familyMax} requests at once with your key`,
      ),
  });
  const ofApi: Need = { limit: 'api', semaphore: api, name: ALL, refusal: fullService };
  const ofDashboard: Need = {
    limit: 'dashboard',
    semaphore: dashboard,
    name: ALL,
    refusal: fullService,
  };

  return {
    runApi: (caller, isHeavy, work) => run([ofFamily(caller, isHeavy), ofApi], work),
    runDashboard: (work) => run([ofDashboard], work),
  };
};
