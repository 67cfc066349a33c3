import type { Middleware } from 'koa';
import type { Health } from '../../health/createHealth.ts';
import type { RequestState } from './requestState.ts';

const PROBES: ReadonlySet<string> = new Set(['/health', '/healthz', '/readyz']);

/**
 * `/healthz` (the process answers), and `/readyz` or `/health` (it can answer requests), without a key. NATS is not
 * checked because reads are answered without it. A process that is about to stop is not ready, so that load balancers
 * skip it.
 */
export const serveProbes = (
  health: Pick<Health, 'needed'>,
  draining?: AbortSignal,
): Middleware<RequestState> => {
  const answer = async (ctx: Parameters<Middleware<RequestState>>[0]): Promise<void> => {
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
    const checks = await health.needed();
    const isReady = Object.values(checks).every((state) => state === 'up');
    ctx.status = isReady ? 200 : 503;
    ctx.body = { status: isReady ? 'ready' : 'not ready', checks };
  };
  return (ctx, next) =>
    PROBES.has(ctx.path) && ['GET', 'HEAD'].includes(ctx.method) ? answer(ctx) : next();
};
