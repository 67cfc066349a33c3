import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { RequestState } from '../server/middleware/requestState.ts';

const require = createRequire(import.meta.url);
const BASE = '/dashboard/assets/';
const own = (name: string): string => join(projectRoot(), 'api/dashboard/assets', name);

/** Files of the dashboard and of npm packages, by the name they are served under. */
const FILES: Readonly<Record<string, { file: () => string; type: string }>> = {
  'style.css': { file: () => own('style.css'), type: 'text/css' },
  'dashboard.js': { file: () => own('dashboard.js'), type: 'text/javascript' },
  'charts.js': { file: () => own('charts.js'), type: 'text/javascript' },
  'network.js': { file: () => own('network.js'), type: 'text/javascript' },
  'htmx.js': { file: () => require.resolve('htmx.org/dist/htmx.min.js'), type: 'text/javascript' },
  'htmx-sse.js': { file: () => require.resolve('htmx-ext-sse/sse.js'), type: 'text/javascript' },
  'uplot.js': {
    file: () => require.resolve('uplot/dist/uPlot.iife.min.js'),
    type: 'text/javascript',
  },
  'uplot.css': { file: () => require.resolve('uplot/dist/uPlot.min.css'), type: 'text/css' },
  'graphology.js': {
    file: () => join(require.resolve('graphology'), '..', 'graphology.umd.min.js'),
    type: 'text/javascript',
  },
  'sigma.js': {
    file: () => join(require.resolve('sigma'), '..', 'sigma.min.js'),
    type: 'text/javascript',
  },
};

interface Asset {
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
  readonly etag: string;
}

const load = async (name: string): Promise<Asset | undefined> => {
  const entry = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (!entry) return undefined;
  const plain = await readFile(entry.file());
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return {
    plain,
    br: await promisify(brotliCompress)(plain),
    gzip: await promisify(gzip)(plain),
    type: entry.type,
    etag,
  };
};

/** Scripts and styles of the dashboard: read and compressed once, asked for again by their ETag. */
export const serveAssets = (): Middleware<RequestState> => {
  const loaded = new Map<string, Promise<Asset | undefined>>();
  return async (ctx, next) => {
    const name = ctx.path.startsWith(BASE) ? ctx.path.slice(BASE.length) : '';
    if (!Object.hasOwn(FILES, name) || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    const pending = loaded.get(name) ?? load(name);
    loaded.set(name, pending);
    const asset = await pending;
    if (!asset) return;
    ctx.state.isPublic = true;
    ctx.set({ 'Cache-Control': 'public, max-age=300', ETag: asset.etag });
    ctx.vary('Accept-Encoding');
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
    if (encoding === 'br' || encoding === 'gzip') {
      ctx.set('Content-Encoding', encoding);
      ctx.body = asset[encoding];
    } else {
      ctx.body = asset.plain;
    }
    ctx.type = asset.type;
  };
};
