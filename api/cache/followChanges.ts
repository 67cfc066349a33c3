import { Events, type NatsConnection } from 'nats';
import { clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { clusterSubjects, scoreSubjects } from '../../shared/messages/subjects.ts';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { VerdictCache } from './verdictCache.ts';

type Forgetting = Omit<VerdictCache, 'find' | 'findRecent'>;

/** A subject `score.<chain>.<token>` tells all there is to know. */
const forgetScored = (cache: Forgetting, subject: string): void => {
  const token = addressSchema.safeParse(subject.split('.').at(-1));
  if (token.success) cache.forget(token.data);
  else cache.forgetAll();
};

/** A verdict names the ring of its token's creator. */
const forgetRing = (cache: Forgetting, json: () => unknown): void => {
  const { joined, joinedCount, left, leftCount } = clusterMessageSchema.parse(json());
  if (joinedCount + leftCount > joined.length + left.length) cache.forgetAll();
  else if (joinedCount + leftCount > 0) cache.forgetMadeBy([...joined, ...left]);
};

/**
 * Tells a cache what changes, for as long as the connection lives. While the server is away the cache hears
 * of nothing, and is told so.
 */
export const followChanges = async (
  connection: NatsConnection,
  { chainId, cache, logger }: { chainId: number; cache: Forgetting; logger: Logger },
): Promise<void> => {
  connection.subscribe(scoreSubjects(chainId), {
    callback: (_error, { subject }) => forgetScored(cache, subject),
  });
  connection.subscribe(clusterSubjects(chainId), {
    callback: (_error, message) => {
      try {
        forgetRing(cache, () => message.json());
      } catch (error) {
        logger.error(`change of a ring cannot be read: ${errorMessage(error)}`);
        cache.forgetAll();
      }
    },
  });
  let connections = 1;
  // The server answers after it has taken the subscriptions, which the client makes again by itself.
  const hearAgain = async (): Promise<void> => {
    const current = connections;
    await connection.flush();
    if (current === connections) cache.setHearing(true);
  };
  await hearAgain();
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      connections += 1;
      cache.setHearing(false);
    } else if (type === Events.Reconnect) {
      hearAgain().catch((error) => logger.warn(`NATS: ${errorMessage(error)}`));
    }
  }
};
