import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { errorMessage, RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
};

/**
 * Passes on every message of a subject from now on, until `signal` aborts; resolves when none can be
 * missed any more. A plain subscription: the server pushes what the API publishes. What is published
 * while the connection is down is found by loading anew after it.
 */
export const listenTo = async <S extends z.ZodTypeAny>(
  args: { connection: NatsConnection; logger: Logger; signal: AbortSignal },
  subject: string,
  schema: S,
  onMessage: (message: z.output<S>) => void,
): Promise<void> => {
  const { connection, logger, signal } = args;
  const subscription = connection.subscribe(subject);
  signal.addEventListener('abort', () => subscription.unsubscribe());
  void (async () => {
    for await (const message of subscription) {
      const read = schema.safeParse(parseJson(message.data));
      if (read.success) onMessage(read.data);
      else logger.error({ err: read.error, subject }, 'change cannot be read');
    }
  })();
  try {
    // Once this is answered the server has the subscription.
    await connection.flush();
  } catch (error) {
    throw new RetryableError(`changes of ${subject}: ${errorMessage(error)}`, { cause: error });
  }
};
