import pLimit from 'p-limit';
import type { Caller } from '../../accounts/admission.ts';
import { ApiError, unavailable } from '../apiError.ts';

/** Requests worked on at the same time by one process. */
export interface ConcurrencyLimits {
  /** Of the API, all keys together; more would only make all of them slow. */
  readonly apiMax: number;
  /** Of the dashboard, apart from those of the API: neither takes the slots of the other. */
  readonly dashboardMax: number;
  /** Of one key family, expensive ones apart. */
  readonly familyMax: number;
  /** Expensive ones of one key family, waiting or running. */
  readonly familyHeavyMax: number;
  /** Expensive ones of all: more than the database has cores for only makes all of them slow. */
  readonly heavyRunningMax: number;
  /** Beside them those that share their queries: the more at once, the less each costs. */
  readonly sharingRunningMax: number;
  /** Expensive ones that may wait to run, those that share their queries apart; those beyond are refused at once. */
  readonly heavyWaitingMax: number;
  /** Of one client address, from their headers until their answer is taken. */
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

/** Takes a permit of a name. What gives it back, once; undefined where the name has all its permits out. */
type Acquire = (name: string) => (() => void) | undefined;

/** A semaphore for each name, of the same limit. It remembers those names only that have permits out. */
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

/** 429 for a client that has too much under way. */
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
  /**
   * Runs expensive work, at most `heavyRunningMax` at once, so that memory and the database's queue stay bounded.
   * @param isWanted whether a client still waits for the answer; work without one is not begun.
   * @param sharesQueries whether its queries are those of others of its kind too (`joinLists`): then at most `sharingRunningMax`.
   * @throws ApiError 503 where too much waits already.
   */
  runHeavy<T>(work: () => Promise<T>, isWanted: () => boolean, sharesQueries?: boolean): Promise<T>;
  /** Runs work of the dashboard. @throws ApiError 503 where too much is under way. */
  runDashboard<T>(work: () => Promise<T>): Promise<T>;
}

/** One permit that some work needs. */
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
 * Permits are taken once a request has arrived in full: a client that sends its body slowly, or never, holds none.
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
