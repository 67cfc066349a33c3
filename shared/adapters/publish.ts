import type { NatsConnection } from 'nats';
import { errorMessage, RetryableError } from '../runtime/errors.ts';
import { JETSTREAM_TIMEOUT_MS } from './nats.ts';

/**
 * Sends a message as JSON; resolves when the server has it on disk. A repetition under the same id within
 * ten minutes changes nothing. @throws RetryableError
 */
export type Publish = (subject: string, message: unknown, id?: string) => Promise<void>;

/** Publishes to whichever stream holds the subject. */
export const createPublish = (connection: NatsConnection): Publish => {
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  return async (subject, message, id) => {
    try {
      const options = id === undefined ? {} : { msgID: id };
      await jetstream.publish(subject, JSON.stringify(message), options);
    } catch (error) {
      throw new RetryableError(`${subject} not sent: ${errorMessage(error)}`, { cause: error });
    }
  };
};
