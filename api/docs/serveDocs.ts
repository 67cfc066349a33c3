import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Middleware } from 'koa';
import type { RequestState } from '../middleware/requestState.ts';

const require = createRequire(import.meta.url);
const ASSET_KEPT_S = 3_600;

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

/** `/openapi.json`, `/docs` and `/redoc`: without a key, without the network. */
export const serveDocs = (args: {
  document: unknown;
  baseUrl: string;
}): Middleware<RequestState> => {
  const texts: Readonly<Record<string, { body: string; type: string }>> = {
    '/openapi.json': { body: JSON.stringify(args.document), type: 'application/json' },
    '/docs': { body: SWAGGER_PAGE, type: 'text/html' },
    '/docs/start.js': { body: SWAGGER_START, type: 'text/javascript' },
    '/redoc': { body: REDOC_PAGE, type: 'text/html' },
  };
  const policy = contentSecurityPolicy(new URL(args.baseUrl).origin);
  const loaded = new Map<string, Buffer>();
  const load = async (file: string): Promise<Buffer> => {
    const bytes = loaded.get(file) ?? (await readFile(require.resolve(file)));
    loaded.set(file, bytes);
    return bytes;
  };
  return async (ctx, next) => {
    const text = Object.hasOwn(texts, ctx.path) ? texts[ctx.path] : undefined;
    const asset = Object.hasOwn(ASSETS, ctx.path) ? ASSETS[ctx.path] : undefined;
    if ((!text && !asset) || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    ctx.state.isPublic = true;
    ctx.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' });
    if (asset) {
      ctx.set('Cache-Control', `public, max-age=${ASSET_KEPT_S}`);
      ctx.body = await load(asset.file);
      ctx.type = asset.type;
    } else if (text) {
      ctx.body = text.body;
      ctx.type = text.type;
    }
  };
};
