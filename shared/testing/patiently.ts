import { RetryableError } from '../platform/errors.ts';

/** Repeats a call for as long as it gives up because others hold its lock: on a busy machine they take long. */
export const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RetryableError) || !error.message.endsWith('is taken')) throw error;
    }
  }
};
