import { Events, type NatsConnection } from 'nats';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';

/** What listens to news. */
export interface NewsListener {
  readonly subjects: readonly string[];
  /** Every message of the subjects while the server is there; those sent meanwhile are lost. */
  onMessage(subject: string, data: Uint8Array): void;
  /** Whether messages arrive from now on; not until it is said for the first time. */
  onHearing(isHearing: boolean): void;
}

/**
 * Hears messages as they are published, sooner than a reader of the stream that keeps them and without its
 * guarantees: for caches, which forget everything when they have been deaf. Ends with the connection.
 */
export const hearNews = async (
  connection: NatsConnection,
  listener: NewsListener,
  logger: Logger,
): Promise<void> => {
  for (const subject of listener.subjects) {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) listener.onMessage(message.subject, message.data);
      },
    });
  }
  let connections = 1;
  // The answer comes after the server has taken the subscriptions, which the client makes again by itself.
  const hear = async (): Promise<void> => {
    const current = connections;
    try {
      await connection.flush();
      if (current === connections) listener.onHearing(true);
    } catch (error) {
      logger.warn(`NATS: ${errorMessage(error)}`);
    }
  };
  await hear();
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      connections += 1;
      listener.onHearing(false);
    } else if (type === Events.Reconnect) {
      await hear();
    }
  }
};
