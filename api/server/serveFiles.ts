import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware, ParameterizedContext } from 'koa';
import type { RequestState } from './middleware/requestState.ts';

/** A higher level takes seconds per megabyte and saves a tenth. */
const BROTLI_QUALITY = 5;
const ETAG_LENGTH = 22;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** A public file: a text, or one that is generated or read from disk when first requested. */
export type PublicFile = { readonly type: string } & (
  | { readonly text: string | (() => string) }
  | {
      readonly file: () => string;
      /** Texts to replace in the file. */
      readonly replace?: { readonly text: string; readonly by: string };
    }
);

const read = async (source: PublicFile): Promise<Buffer> => {
  if ('text' in source) {
    return Buffer.from(typeof source.text === 'string' ? source.text : source.text());
  }
  const { file, replace } = source;
  if (!replace) return readFile(file());
  return Buffer.from((await readFile(file(), 'utf8')).replaceAll(replace.text, replace.by));
};

/** A file as sent, compressed once. */
interface LoadedFile {
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
  readonly etag: string;
}

const load = async (source: PublicFile): Promise<LoadedFile> => {
  const plain = await read(source);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const digest = createHash('sha256').update(plain).digest('base64url');
  return {
    plain,
    br: await brotli(plain, { params }),
    gzip: await gzipped(plain),
    type: source.type,
    etag: `"${digest.slice(0, ETAG_LENGTH)}"`,
  };
};

type Context = ParameterizedContext<RequestState>;

const send = (ctx: Context, file: LoadedFile): void => {
  ctx.state.isPublic = true;
  ctx.set('ETag', file.etag);
  ctx.vary('Accept-Encoding');
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const isCompressed = encoding === 'br' || encoding === 'gzip';
  if (isCompressed) ctx.set('Content-Encoding', encoding);
  ctx.body = isCompressed ? file[encoding] : file.plain;
  ctx.type = file.type;
};

/**
 * Serves files by path, read and compressed once. koa-static serves one folder, while these files come from several
 * packages, and it reads and compresses a file of a megabyte for each request.
 * @param headersOf additional response headers of a path.
 */
export const serveFiles = (
  files: ReadonlyMap<string, PublicFile>,
  headersOf: (path: string) => Readonly<Record<string, string>>,
): Middleware<RequestState> => {
  const loaded = new Map<string, Promise<LoadedFile>>();
  const serve = async (ctx: Context, source: PublicFile): Promise<void> => {
    const { path } = ctx;
    const loading = loaded.get(path) ?? load(source);
    loaded.set(path, loading);
    send(ctx, await loading);
    ctx.set(headersOf(path));
  };
  return (ctx, next) => {
    const source = ['GET', 'HEAD'].includes(ctx.method) ? files.get(ctx.path) : undefined;
    return source ? serve(ctx, source) : next();
  };
};
