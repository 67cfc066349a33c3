import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import type { RequestState } from './requestState.ts';

const BYTES_MIN = 1024;
const BROTLI_QUALITY = 4;
/** Bytes of texts whose compressed form is kept, reckoned at two for each character. */
const KEPT_BYTES_MAX = 4 * 1_048_576;
const BYTES_PER_CHARACTER = 2;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

type Encoding = 'br' | 'gzip';

const compress = (content: string | Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : gzipped(content);

/** Compresses the same text once for those who ask for it within a moment: an answer tells its second. */
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

/** Compresses texts of at least a kibibyte as the client prefers: br, then gzip. */
export const compressBody = (): Middleware<RequestState> => {
  const compressOnce = createCompressOnce();
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    // Public files are compressed once, where they are served.
    if (ctx.state.isPublic) return;
    if (body === null || body === undefined || ctx.method === 'HEAD' || ctx.status === 304) return;
    // Streams have no end to wait for.
    if (body instanceof Readable) return;
    // Koa's own getters copy all headers each time.
    const type = String(ctx.res.getHeader('Content-Type') ?? '');
    if (!/^(text\/|application\/json)/.test(type) || ctx.res.hasHeader('Content-Encoding')) return;
    ctx.vary('Accept-Encoding');
    // A text leaves in one piece with its headers.
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
};

const withoutWeakness = (etag: string): string => etag.trim().replace(/^W\//, '');

/** RFC 9110 13.1.2: weak comparison with each entity tag of the list. */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((candidate) => withoutWeakness(candidate) === withoutWeakness(etag));

const compare: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const ifNoneMatch = ctx.get('If-None-Match');
  if (ctx.status !== 200 || !ifNoneMatch) return;
  const etag = ctx.response.get('ETag');
  if (!etag || !matches(ifNoneMatch, etag)) return;
  ctx.status = 304;
  ctx.body = null;
};

/**
 * 304 without a body where the client already has this version. The request's Cache-Control does
 * not matter: it speaks to caches, and fetch() sends `no-cache` beside every If-None-Match.
 */
export const answerNotModified: Middleware<RequestState> = (ctx, next) =>
  ctx.headers['if-none-match'] ? compare(ctx, next) : next();
