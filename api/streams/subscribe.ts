import { Events, type NatsConnection } from 'nats';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';

/** Receives messages as they are published. */
export interface Subscriber {
  readonly subjects: readonly string[];
  /** Every message of the subjects while the connection is up; those sent while it is down are lost. */
  onMessage(subject: string, data: Uint8Array): void;
  /** Called when messages begin and cease to arrive; none arrives before the first call. */
  onSubscribed(isSubscribed: boolean): void;
}

/**
 * Subscribes without JetStream: messages arrive sooner than to a consumer of their stream, and without its
 * guarantees. For caches, which are cleared after an interruption. Ends with the connection.
 */
export const subscribe = async (
  connection: NatsConnection,
  subscriber: Subscriber,
  logger: Logger,
): Promise<void> => {
  for (const subject of subscriber.subjects) {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) subscriber.onMessage(message.subject, message.data);
      },
    });
  }
  let connections = 1;
  // The flush returns once the server has taken the subscriptions; after a reconnect the client renews them itself.
  const confirm = async (): Promise<void> => {
    const current = connections;
    try {
      await connection.flush();
      if (current === connections) subscriber.onSubscribed(true);
    } catch (error) {
      logger.warn(`NATS: ${errorMessage(error)}`);
    }
  };
  await confirm();
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      connections += 1;
      subscriber.onSubscribed(false);
    } else if (type === Events.Reconnect) {
      await confirm();
    }
  }
};
