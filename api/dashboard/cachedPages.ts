import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Throttle } from '../accounts/throttle.ts';
import { ApiError } from '../server/apiError.ts';
import { addressGroup } from '../server/middleware/clientAddress.ts';
import type { RequestState } from '../server/middleware/requestState.ts';

/** Milliseconds for which a cached page is shown again. */
const CACHED_MS = 5_000;
/** Characters of all cached pages together. */
const CACHED_CHARACTERS_MAX = 16 * 1_048_576;
/** A page whose address and query are longer than this is not cached. */
const URL_LENGTH_MAX = 200;

/** A page with no account data in it. */
export interface PublicPage {
  readonly type: 'text/html' | 'application/json';
  readonly body: string;
}

export const createPageCache = () => {
  const pages = new LRUCache<string, PublicPage>({
    maxSize: CACHED_CHARACTERS_MAX,
    sizeCalculation: ({ body }, url) => body.length + url.length,
    ttl: CACHED_MS,
  });
  return {
    find: (url: string): PublicPage | undefined => pages.get(url),
    store: (url: string, page: PublicPage): void => {
      if (url.length <= URL_LENGTH_MAX) pages.set(url, page);
    },
  };
};
/** A short-lived cache of public pages. */
export type PageCache = ReturnType<typeof createPageCache>;

/** Sends such a page: shared caches may store it, browsers with a session request their own. */
export const sendCached = (ctx: Context, { type, body }: PublicPage): void => {
  ctx.type = type;
  ctx.body = body;
  ctx.set('Cache-Control', `public, max-age=${CACHED_MS / 1_000}`);
  ctx.vary('Cookie');
  (ctx.state as RequestState).isForAll = true;
};

/** All visitors without an account count as this one. */
const VISITORS = 'visitors';

/**
 * Lets a visitor without an account continue.
 * @throws ApiError 429 if the client address has made too many requests.
 */
export const admitVisitor = async (
  throttle: Pick<Throttle, 'waitS'>,
  attempt: 'look-up' | 'analysis',
  address: string,
): Promise<void> => {
  const from = addressGroup(address);
  const waitS = await throttle.waitS(attempt, { account: VISITORS, from });
  if (waitS === 0) return;
  throw new ApiError({
    status: 429,
    error: 'Rate limit exceeded',
    code: 'AUTH_003',
    message: `Too many requests from your address. Try again in ${waitS} s; with an account there is no such wait.`,
    headers: { 'Retry-After': String(waitS) },
  });
};
