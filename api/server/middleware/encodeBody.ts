import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware, ParameterizedContext } from 'koa';
import { LRUCache } from 'lru-cache';
import type { RequestState } from './requestState.ts';

const BYTES_MIN = 1024;
const BROTLI_QUALITY = 4;
/** Bytes of texts whose compressed form is cached, counting two per character. */
const KEPT_BYTES_MAX = 4 * 1_048_576;
const BYTES_PER_CHARACTER = 2;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

type Context = ParameterizedContext<RequestState>;
type Encoding = 'br' | 'gzip';

const compress = (content: string | Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : gzipped(content);

/**
 * Compresses a text once for all clients that request it within a moment: responses contain the time in seconds.
 * koa-compress is not used: it compresses each response again, as a stream without a length.
 */
const createCompressOnce = () => {
  const kept = new LRUCache<string, Promise<Buffer>>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (_bytes, key) => key.length * BYTES_PER_CHARACTER,
  });
  return (text: string, encoding: Encoding): Promise<Buffer> => {
    const key = `${encoding} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const compressed = compress(text, encoding);
    kept.set(key, compressed);
    compressed.catch(() => kept.delete(key));
    return compressed;
  };
};

type CompressOnce = ReturnType<typeof createCompressOnce>;

/** Compresses texts of at least a kibibyte in the client's preferred encoding: br, then gzip. */
const compressBody = async (ctx: Context, compressOnce: CompressOnce): Promise<void> => {
  const { body } = ctx;
  if (body === null || body === undefined || ctx.method === 'HEAD') return;
  // Streams have no known end.
  if (body instanceof Readable) return;
  // Koa's own getters copy all headers each time.
  const type = String(ctx.res.getHeader('Content-Type') ?? '');
  if (!/^(text\/|application\/json)/.test(type) || ctx.res.hasHeader('Content-Encoding')) return;
  ctx.vary('Accept-Encoding');
  // A text is sent in one piece together with its headers.
  const content = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
  if (content !== body) ctx.body = content;
  if (!ctx.headers['accept-encoding'] || Buffer.byteLength(content) < BYTES_MIN) return;
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding !== 'br' && encoding !== 'gzip') return;
  ctx.body =
    ctx.state.isForAll && typeof body === 'string'
      ? await compressOnce(body, encoding)
      : await compress(content, encoding);
  ctx.set('Content-Encoding', encoding);
};

const withoutWeakness = (etag: string): string => etag.trim().replace(/^W\//, '');

/** RFC 9110 section 13.1.2: weak comparison with each entity tag of the list. */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((candidate) => withoutWeakness(candidate) === withoutWeakness(etag));

/**
 * Whether the client already has this version. The request's Cache-Control is ignored: it is meant for caches, and
 * fetch() sends `no-cache` with every If-None-Match. koa-conditional-get would answer those requests in full.
 */
const isNotModified = (ctx: Context): boolean => {
  const ifNoneMatch = ctx.headers['if-none-match'];
  if (!ifNoneMatch || ctx.status !== 200) return false;
  const etag = ctx.response.get('ETag');
  return etag !== '' && matches(ifNoneMatch, etag);
};

/** Sends as little as the client needs: 304 without a body for a version it has, else the compressed body. */
export const encodeBody = (): Middleware<RequestState> => {
  const compressOnce = createCompressOnce();
  return async (ctx, next) => {
    await next();
    if (isNotModified(ctx)) {
      ctx.status = 304;
      ctx.body = null;
      return;
    }
    // Public files are compressed once, where they are served.
    if (!ctx.state.isPublic || ctx.state.isForAll) await compressBody(ctx, compressOnce);
  };
};
