import type { NewsListener } from '../../shared/adapters/hearNews.ts';
import { clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { clusterSubjects, scoreSubjects } from '../../shared/messages/subjects.ts';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { VerdictCache } from './verdictCache.ts';

type Forgetting = Omit<VerdictCache, 'find' | 'findRecent'>;

/** A subject `score.<chain>.<token>` tells all there is to know. */
const forgetScored = (cache: Forgetting, subject: string): void => {
  cache.forget(addressSchema.parse(subject.split('.').at(-1)));
};

/** A verdict names the ring of its token's creator. */
const forgetRing = (cache: Forgetting, data: Uint8Array): void => {
  const message = clusterMessageSchema.parse(JSON.parse(Buffer.from(data).toString()));
  const wallets = [...message.joined, ...message.left];
  if (message.joinedCount + message.leftCount > wallets.length) cache.forgetAll();
  else if (wallets.length > 0) cache.forgetMadeBy(wallets);
};

/** Tells a cache what the other roles change on a chain. */
export const followChanges = (
  chainId: number,
  { cache, logger }: { cache: Forgetting; logger: Logger },
): NewsListener => ({
  subjects: [scoreSubjects(chainId), clusterSubjects(chainId)],
  onMessage: (subject, data) => {
    try {
      if (subject.startsWith('score.')) forgetScored(cache, subject);
      else forgetRing(cache, data);
    } catch (error) {
      logger.error({ subject }, `change cannot be read: ${errorMessage(error)}`);
      cache.forgetAll();
    }
  },
  onHearing: (isHearing) => cache.setHearing(isHearing),
});
