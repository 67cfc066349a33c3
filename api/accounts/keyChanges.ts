import type { Redis } from 'ioredis';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Redis channel on which the id of every key is published whose record changed for the worse. */
export const KEY_CHANGES = 'key-changes';

/**
 * Calls `onChange` with the id of every key that is revoked, rotated or otherwise changed from now on,
 * and `onGap` whenever changes may have been missed. Ends with the returned function.
 */
export const watchKeyChanges = async (args: {
  redis: Redis;
  onChange: (keyId: string) => void;
  onGap: () => void;
  logger: Logger;
}): Promise<() => void> => {
  // A connection that listens can do nothing else.
  const listener = args.redis.duplicate({ lazyConnect: true, autoResubscribe: false });
  listener.on('error', (error) => args.logger.debug({ err: error }, 'redis connection'));
  listener.on('message', (_channel, keyId) => args.onChange(keyId));
  listener.on('ready', () => {
    listener.subscribe(KEY_CHANGES).then(
      () => args.onGap(),
      (error) => args.logger.warn({ err: error }, 'changes of keys are not heard'),
    );
  });
  await listener.connect().catch(() => undefined);
  return () => listener.disconnect();
};
