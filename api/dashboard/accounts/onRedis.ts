import { callDependency, REDIS_TIMEOUT_MS } from '../../dependency.ts';

/** @throws RetryableError while Redis is away. */
export const onRedis = <T>(work: () => Promise<T>): Promise<T> =>
  callDependency('Redis', REDIS_TIMEOUT_MS, work);
