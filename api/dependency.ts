import { errorMessage, RetryableError } from '../shared/runtime/errors.ts';

/**
 * A call of Redis or NATS with a time limit. Whatever goes wrong there is temporary for the caller.
 * @throws RetryableError that names the dependency.
 */
export const callDependency = async <T>(
  name: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw new RetryableError(`${name}: ${errorMessage(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

/** Milliseconds one Redis command may take. */
const REDIS_TIMEOUT_MS = 2_000;
/** Milliseconds JetStream may take to confirm a message. */
export const PUBLISH_TIMEOUT_MS = 3_000;

/** A call of Redis. @throws RetryableError while Redis is away. */
export const onRedis = <T>(work: () => Promise<T>): Promise<T> =>
  callDependency('Redis', REDIS_TIMEOUT_MS, work);
