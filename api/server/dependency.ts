import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';

/**
 * A call of NATS with a time limit. Whatever goes wrong there is temporary for the caller.
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

/** Milliseconds JetStream may take to confirm a message. */
export const PUBLISH_TIMEOUT_MS = 3_000;
