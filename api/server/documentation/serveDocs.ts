import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Middleware } from 'koa';
import type { RequestState } from '../middleware/requestState.ts';
import { clientTypes } from './clientTypes.ts';

const require = createRequire(import.meta.url);
const ASSET_KEPT_S = 3_600;
const BROTLI_QUALITY = 5;
const brotli = promisify(brotliCompress);

/** A file as it is sent, compressed once. */
interface ServedFile {
  readonly bytes: Buffer;
  readonly brotli: Buffer;
  readonly type: string;
  readonly cacheControl: string;
}

const compressed = async (
  bytes: Buffer,
  type: string,
  cacheControl: string,
): Promise<ServedFile> => ({
  bytes,
  brotli: await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  type,
  cacheControl,
});

/** Files of npm packages by the path they are served under. */
const ASSETS: Readonly<Record<string, { file: string; type: string }>> = {
  '/docs/swagger-ui.css': { file: 'swagger-ui-dist/swagger-ui.css', type: 'text/css' },
  '/docs/swagger-ui-bundle.js': {
    file: 'swagger-ui-dist/swagger-ui-bundle.js',
    type: 'text/javascript',
  },
  '/docs/favicon.png': { file: 'swagger-ui-dist/favicon-32x32.png', type: 'image/png' },
  '/redoc/redoc.js': { file: 'redoc/bundles/redoc.standalone.js', type: 'text/javascript' },
};

const page = (head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Token Scam Detection Service</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;

const SWAGGER_PAGE = page(
  '<link rel="stylesheet" href="docs/swagger-ui.css">\n<link rel="icon" href="docs/favicon.png">',
  `<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`,
);
const SWAGGER_START = `window.ui = SwaggerUIBundle({
  url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null,
  persistAuthorization: false,
});
`;
const REDOC_PAGE = page(
  '<link rel="icon" href="docs/favicon.png">',
  '<redoc spec-url="openapi.json"></redoc>\n<script src="redoc/redoc.js"></script>',
);

/** Scripts of this origin only; both viewers set styles on elements. */
const contentSecurityPolicy = (apiOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src 'self' ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** `/openapi.json`, its types, `/docs` and `/redoc`: without a key, without the network. */
export const serveDocs = (args: {
  document: Parameters<typeof clientTypes>[0];
  baseUrl: string;
}): Middleware<RequestState> => {
  const texts: Readonly<Record<string, { body: string; type: string }>> = {
    '/openapi.d.ts': { body: clientTypes(args.document), type: 'text/plain' },
    '/openapi.json': { body: JSON.stringify(args.document), type: 'application/json' },
    '/docs': { body: SWAGGER_PAGE, type: 'text/html' },
    '/docs/start.js': { body: SWAGGER_START, type: 'text/javascript' },
    '/redoc': { body: REDOC_PAGE, type: 'text/html' },
  };
  const policy = contentSecurityPolicy(new URL(args.baseUrl).origin);
  const loaded = new Map<string, Promise<ServedFile>>();
  const load = (path: string): Promise<ServedFile> | undefined => {
    const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
    const asset = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined;
    if (!text && !asset) return undefined;
    const known = loaded.get(path);
    if (known) return known;
    const file = text
      ? compressed(Buffer.from(text.body), text.type, 'no-cache')
      : readFile(require.resolve(asset?.file ?? '')).then((bytes) =>
          compressed(bytes, asset?.type ?? '', `public, max-age=${ASSET_KEPT_S}`),
        );
    loaded.set(path, file);
    return file;
  };
  const answer = async (
    ctx: Parameters<Middleware<RequestState>>[0],
    loading: Promise<ServedFile>,
  ): Promise<void> => {
    const file = await loading;
    ctx.state.isPublic = true;
    ctx.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': file.cacheControl,
    });
    ctx.vary('Accept-Encoding');
    const isCompressed = ctx.acceptsEncodings('br', 'identity') === 'br';
    if (isCompressed) ctx.set('Content-Encoding', 'br');
    ctx.body = isCompressed ? file.brotli : file.bytes;
    ctx.type = file.type;
  };
  return (ctx, next) => {
    const loading = ['GET', 'HEAD'].includes(ctx.method) ? load(ctx.path) : undefined;
    return loading ? answer(ctx, loading) : next();
  };
};
