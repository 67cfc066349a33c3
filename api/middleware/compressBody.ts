import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import type { RequestState } from './requestState.ts';

const BYTES_MIN = 1024;
const BROTLI_QUALITY = 4;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses texts of at least a kibibyte as the client prefers: br, then gzip. */
export const compressBody: Middleware<RequestState> = async (ctx, next) => {
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
  if (Buffer.byteLength(content) < BYTES_MIN || !ctx.headers['accept-encoding']) return;
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding !== 'br' && encoding !== 'gzip') return;
  const bytes = Buffer.from(content);
  ctx.body =
    encoding === 'br'
      ? await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : await gzipped(bytes);
  ctx.set('Content-Encoding', encoding);
};
