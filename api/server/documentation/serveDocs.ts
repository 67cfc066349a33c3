import { createRequire } from 'node:module';
import type { Middleware } from 'koa';
import type { RequestState } from '../middleware/requestState.ts';
import { type PublicFile, serveFiles } from '../serveFiles.ts';
import { clientTypes } from './clientTypes.ts';
import type { Document } from './document.ts';
import { errorSections } from './errors.ts';
import { llmsText } from './introduction.ts';

const require = createRequire(import.meta.url);
const ASSET_KEPT_S = 3_600;

const asset = (name: string, type: string): PublicFile => ({
  file: () => require.resolve(name),
  type,
});

/** Files of npm packages by the path under which they are served. */
const ASSETS: Readonly<Record<string, PublicFile>> = {
  '/docs/swagger-ui.css': asset('swagger-ui-dist/swagger-ui.css', 'text/css'),
  '/docs/swagger-ui-bundle.js': asset('swagger-ui-dist/swagger-ui-bundle.js', 'text/javascript'),
  '/docs/favicon.png': asset('swagger-ui-dist/favicon-32x32.png', 'image/png'),
  '/redoc/redoc.js': {
    ...asset('redoc/bundles/redoc.standalone.js', 'text/javascript'),
    // The viewer loads one thing from elsewhere, its maker's logo. No option turns that off, but without the image it
    // hides the logo.
    replace: { text: 'https://cdn.redoc.ly/redoc/logo-mini.svg', by: 'data:,' },
  },
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
  `<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon.png">
<style>
.swagger-ui .renderedMarkdown :is(table, pre > code) { display: block; overflow-x: auto; }
.swagger-ui .renderedMarkdown pre > code { white-space: pre; }
</style>`,
  `<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`,
);
const SWAGGER_START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followTheme();
dark.addEventListener('change', followTheme);
window.ui = SwaggerUIBundle({
  url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null,
  persistAuthorization: false,
});
`;
const REDOC_PAGE = page(
  '<link rel="icon" href="docs/favicon.png">\n<style>body { margin: 0; }</style>',
  '<redoc spec-url="openapi.json"></redoc>\n<script src="redoc/redoc.js"></script>',
);

const errorsPage = (baseUrl: string): string =>
  page(
    `<link rel="icon" href="favicon.png">
<style>
:root { color-scheme: light dark; }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
pre { padding: 1rem; overflow-x: auto; border: 1px solid; border-radius: .5rem; }
</style>`,
    `<h1>Errors of the API</h1>
<p><a href="../">Start</a> · <a href="../docs">API docs</a> · <a href="../redoc">Reference</a></p>
<p>Every error is JSON with a sentence in <code>message</code> for people and a <code>code</code> for programs.</p>
${errorSections(baseUrl)}`,
  );

/** Scripts of this origin only; both viewers set inline styles. */
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

/**
 * `/openapi.json`, its types, `/docs` with the errors page, `/redoc` and `/llms.txt`: without a key, without external
 * resources.
 */
export const serveDocs = (args: {
  /** Generated on first request: generating it takes a fifth of the start-up time. */
  writeDocument: () => Document;
  baseUrl: string;
}): Middleware<RequestState> => {
  let written: Document | undefined;
  const document = (): Document => {
    written ??= args.writeDocument();
    return written;
  };
  const policy = contentSecurityPolicy(new URL(args.baseUrl).origin);
  const files = new Map<string, PublicFile>([
    ...Object.entries(ASSETS),
    ['/openapi.d.ts', { text: () => clientTypes(document()), type: 'text/plain' }],
    ['/openapi.json', { text: () => JSON.stringify(document()), type: 'application/json' }],
    ['/llms.txt', { text: llmsText(args.baseUrl), type: 'text/plain' }],
    ['/docs', { text: SWAGGER_PAGE, type: 'text/html' }],
    ['/docs/errors', { text: errorsPage(args.baseUrl), type: 'text/html' }],
    ['/docs/start.js', { text: SWAGGER_START, type: 'text/javascript' }],
    ['/redoc', { text: REDOC_PAGE, type: 'text/html' }],
  ]);
  const serve = serveFiles(files, (path) => ({
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': Object.hasOwn(ASSETS, path) ? `public, max-age=${ASSET_KEPT_S}` : 'no-cache',
  }));
  return (ctx, next) => {
    const path = ctx.path.slice(0, -1);
    if (!ctx.path.endsWith('/') || !files.has(path)) return serve(ctx, next);
    ctx.state.isPublic = true;
    // Below `/docs/`, relative addresses in the page would be wrong.
    ctx.redirect(`..${path.slice(path.lastIndexOf('/'))}`);
  };
};
