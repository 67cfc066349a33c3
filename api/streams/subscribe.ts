import { Events, type NatsConnection } from 'nats';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';

/** What receives messages while connected. */
export interface Subscriber {
  readonly subjects: readonly string[];
  /** Every message of the subjects while the connection is up; those sent while it is down are lost. */
  onMessage(subject: string, data: Uint8Array): void;
  /** Whether messages arrive from now on; none do before the first call. */
  onConnected(isConnected: boolean): void;
}

/**
 * Delivers messages as they are published, sooner than a reader of the stream that keeps them and without its
 * guarantees: for caches, which are cleared when messages may have been missed. Ends with the connection.
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
  // The answer comes after the server has taken the subscriptions, which the client makes again by itself.
  const confirm = async (): Promise<void> => {
    const current = connections;
    try {
      await connection.flush();
      if (current === connections) subscriber.onConnected(true);
    } catch (error) {
      logger.warn(`NATS: ${errorMessage(error)}`);
    }
  };
  await confirm();
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      connections += 1;
      subscriber.onConnected(false);
    } else if (type === Events.Reconnect) {
      await confirm();
    }
  }
};
