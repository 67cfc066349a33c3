import type { Middleware } from 'koa';
import type { Health } from '../ports.ts';
import type { RequestState } from './requestState.ts';

/**
 * `/healthz` (the process answers) and `/readyz` (what it needs answers too), without a key. A process that is
 * to end is not ready, so that balancers pass it over.
 */
export const serveProbes =
  (health: Pick<Health, 'checks'>, draining?: AbortSignal): Middleware<RequestState> =>
  async (ctx, next) => {
    if (!['/healthz', '/readyz'].includes(ctx.path) || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    ctx.state.isPublic = true;
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' };
      return;
    }
    if (draining?.aborted) {
      ctx.status = 503;
      ctx.body = { status: 'draining' };
      return;
    }
    const checks = await health.checks();
    const isReady = Object.values(checks).every((state) => state === 'up');
    ctx.status = isReady ? 200 : 503;
    ctx.body = { status: isReady ? 'ready' : 'not ready', checks };
  };
