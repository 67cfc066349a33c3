import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { RequestState } from '../server/middleware/requestState.ts';
import { type PublicFile, serveFiles } from '../server/serveFiles.ts';

const require = createRequire(import.meta.url);
const BASE = '/dashboard/assets/';
const SCRIPT = 'text/javascript';
const STYLE = 'text/css';
const PICTURE = 'image/png';

const own = (name: string, type: string): PublicFile => ({
  file: () => join(projectRoot(), 'api/dashboard/assets', name),
  type,
});
/** @param file finds a file of an npm package. */
const packaged = (file: () => string, type = SCRIPT): PublicFile => ({ file, type });

/** Files of the dashboard and of npm packages, by the name under which they are served. */
const FILES: Readonly<Record<string, PublicFile>> = {
  'style.css': own('style.css', STYLE),
  'dashboard.js': own('dashboard.js', SCRIPT),
  'charts.js': own('charts.js', SCRIPT),
  'network.js': own('network.js', SCRIPT),
  'preview-start.png': own('preview-start.png', PICTURE),
  'preview-avoid.png': own('preview-avoid.png', PICTURE),
  'preview-wait.png': own('preview-wait.png', PICTURE),
  'preview-no_finding.png': own('preview-no_finding.png', PICTURE),
  'htmx.js': packaged(() => require.resolve('htmx.org/dist/htmx.min.js')),
  'htmx-sse.js': packaged(() => require.resolve('htmx-ext-sse/sse.js')),
  'uplot.js': packaged(() => require.resolve('uplot/dist/uPlot.iife.min.js')),
  'uplot.css': packaged(() => require.resolve('uplot/dist/uPlot.min.css'), STYLE),
};

/** Crawlers may index public pages, but not those that need an account or a key. */
const ROBOTS = `User-agent: *
Allow: ${BASE}
Disallow: /dashboard
Disallow: /api/
Disallow: /search
Disallow: /network/
`;

const ICON = own('icon.svg', 'image/svg+xml');

/**
 * Scripts, styles and pictures of the pages, and the files that browsers and crawlers request by convention.
 */
export const serveAssets = (): Middleware<RequestState> =>
  serveFiles(
    new Map<string, PublicFile>([
      ...Object.entries(FILES).map(([name, file]) => [`${BASE}${name}`, file] as const),
      ['/favicon.svg', ICON],
      ['/favicon.ico', own('icon.png', 'image/png')],
      ['/robots.txt', { text: ROBOTS, type: 'text/plain' }],
    ]),
    () => ({ 'Cache-Control': 'public, max-age=300' }),
  );
