import pLimit from 'p-limit';
import type { Caller } from '../../accounts/admission.ts';
import { ApiError, unavailable } from '../apiError.ts';

/** Requests that one process works on at the same time. */
export interface ConcurrencyLimits {
  /** API requests of all keys together; more would only slow all of them down. */
  readonly apiMax: number;
  /** Dashboard requests, counted separately so that neither side takes the other's slots. */
  readonly dashboardMax: number;
  /** Requests of one key family, excluding expensive ones. */
  readonly familyMax: number;
  /** Expensive requests of one key family, waiting or running. */
  readonly familyHeavyMax: number;
  /**
   * Expensive requests of all families: running more than the database has cores only slows all of them down.
   */
  readonly heavyRunningMax: number;
  /** Additional requests that share their queries: the more run at once, the less each costs. */
  readonly sharingRunningMax: number;
  /**
   * Expensive requests that may wait to run, counted separately for those that share their queries; further ones are
   * refused at once.
   */
  readonly heavyWaitingMax: number;
  /** Requests of one client address, from receiving their headers until the client has read the response. */
  readonly addressMax: number;
}

export const CONCURRENCY_LIMITS: ConcurrencyLimits = {
  apiMax: 500,
  dashboardMax: 100,
  familyMax: 100,
  familyHeavyMax: 16,
  heavyRunningMax: 4,
  sharingRunningMax: 8,
  heavyWaitingMax: 60,
  addressMax: 128,
};
const RETRY_AFTER_S = 1;

/** All limits on concurrent work that can refuse a client; labels of a metric. */
export type ConcurrencyLimit =
  | 'api'
  | 'dashboard'
  | 'family'
  | 'heavy'
  | 'family_heavy'
  | 'address'
  | 'connections'
  | 'address_connections';

/**
 * Takes a permit for a name. Returns a function that releases it once; undefined if all permits of the name are
 * taken.
 */
type Acquire = (name: string) => (() => void) | undefined;

/** A semaphore per name, all with the same limit. Only names with permits in use are stored. */
export const createSemaphore = (permitsMax: number): Acquire => {
  const held = new Map<string, number>();
  return (name) => {
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
  };
};

/** 429 for a client with too many requests in progress. */
export const tooMany = (
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiError =>
  new ApiError({
    status: 429,
    error: 'Rate limit exceeded',
    code: 'AUTH_003',
    message,
    headers: { 'Retry-After': String(RETRY_AFTER_S), ...headers },
  });

/** 429 for an address with too many requests in progress. */
export const tooManyFromAddress = (what: 'requests' | 'connections', max: number): ApiError =>
  tooMany(`More than ${max} ${what} at once from your address`, { Connection: 'close' });

/** Starts work once its request has arrived in full. */
export interface Concurrency {
  /**
   * Runs an API request.
   * @throws ApiError 429 if the key family has too many in progress, 503 if the service has.
   */
  runApi<T>(caller: Caller, isHeavy: boolean, work: () => Promise<T>): Promise<T>;
  /**
   * Runs an expensive request, at most `heavyRunningMax` at once, so that memory and the database's queue stay
   * bounded.
   * @param isWanted whether a client still waits for the response; otherwise the work is not started.
   * @param sharesQueries whether it shares its queries with other requests of its kind (`joinLists`): then the limit
   * is `sharingRunningMax`.
   * @throws ApiError 503 if too many are waiting already.
   */
  runHeavy<T>(work: () => Promise<T>, isWanted: () => boolean, sharesQueries?: boolean): Promise<T>;
  /** Runs a dashboard request. @throws ApiError 503 if too many are in progress. */
  runDashboard<T>(work: () => Promise<T>): Promise<T>;
}

/** One of the permits that a request needs. */
interface Need {
  readonly limit: ConcurrencyLimit;
  readonly acquire: Acquire;
  readonly name: string;
  readonly refusal: () => ApiError;
}

/** The only name of a semaphore that the whole service shares. */
const ALL = 'all';
const fullService = (): ApiError => unavailable('Too many requests at once', RETRY_AFTER_S);

const createHeavyGate = (
  { heavyRunningMax, sharingRunningMax, heavyWaitingMax }: ConcurrencyLimits,
  onRefused: (limit: ConcurrencyLimit) => void,
): Concurrency['runHeavy'] => {
  const alone = pLimit(heavyRunningMax);
  const sharing = pLimit(sharingRunningMax);
  return async (work, isWanted, sharesQueries) => {
    const queue = sharesQueries ? sharing : alone;
    if (queue.activeCount + queue.pendingCount >= queue.concurrency + heavyWaitingMax) {
      onRefused('heavy');
      throw unavailable('Too many costly requests at once', RETRY_AFTER_S);
    }
    return queue(() => {
      if (isWanted()) return work();
      throw unavailable('The answer took too long');
    });
  };
};

/**
 * Permits are taken once a request has arrived in full, so a client that sends its body slowly, or never, holds none.
 * @param onRefused is called for each refusal.
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
      for (const { limit, acquire, name, refusal } of needs) {
        const release = acquire(name);
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
    acquire: isHeavy ? familyHeavy : family,
    name: caller.family,
    refusal: () =>
      tooMany(
        isHeavy
          ? `More than ${limits.familyHeavyMax} costly requests at once with your key`
          : `More than ${limits.familyMax} requests at once with your key`,
      ),
  });
  const ofApi: Need = { limit: 'api', acquire: api, name: ALL, refusal: fullService };
  const ofDashboard: Need = {
    limit: 'dashboard',
    acquire: dashboard,
    name: ALL,
    refusal: fullService,
  };

  return {
    runApi: (caller, isHeavy, work) => run([ofFamily(caller, isHeavy), ofApi], work),
    runHeavy: createHeavyGate(limits, onRefused),
    runDashboard: (work) => run([ofDashboard], work),
  };
};
