import type Koa from 'koa';
import type { Context, ParameterizedContext } from 'koa';
import { zodRouter } from 'koa-zod-router';
import { tierIncludes } from '../../shared/families/tier.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import type { Caller, Gatekeeper } from '../accounts/admission.ts';
import { UpgradeResponse } from '../streams/upgrade.ts';
import { insufficientTier, invalidRequest } from './apiError.ts';
import type { Call, Endpoint, Opening, Reply } from './endpoint.ts';
import { type Authenticate, quotaExceeded } from './middleware/authenticate.ts';
import type { Concurrency } from './middleware/concurrency.ts';
import { answerOnce, type Idempotency } from './middleware/idempotency.ts';
import { readBody } from './middleware/readBody.ts';
import type { RequestState } from './middleware/requestState.ts';
import { type InvalidParts, invalidInput } from './middleware/shapeErrors.ts';

/** Dependencies of every operation. */
export interface MountOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  readonly gatekeeper: Pick<Gatekeeper, 'charge'>;
  readonly idempotency: Idempotency;
  readonly concurrency: Pick<Concurrency, 'runApi' | 'runHeavy'>;
  readonly now: () => number;
  readonly baseUrl: string;
}

/** Fixed segments sort before parameters, so that `/graph/path` is not taken for an address. */
const bySpecificity = (left: Endpoint, right: Endpoint): number => {
  const [a, b] = [left.path.replaceAll('{', '\uffff'), right.path.replaceAll('{', '\uffff')];
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const checkTier = (caller: Caller, endpoint: Endpoint, baseUrl: string): void => {
  if (tierIncludes(caller.tier, endpoint.lowestTier)) return;
  throw insufficientTier({
    message: `This operation needs tier ${endpoint.lowestTier} or higher`,
    tier: caller.tier,
    requiredTier: endpoint.lowestTier,
    upgradeUrl: `${baseUrl}/dashboard/plans`,
  });
};

/** Leaves the connection to the handler that keeps it open. */
const open = (ctx: Context, opening: Opening): void => {
  if (opening.kind === 'events') {
    ctx.type = 'text/event-stream';
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    ctx.body = opening.stream;
    return;
  }
  if (opening.kind === 'file') {
    ctx.type = opening.contentType;
    ctx.set({
      'Cache-Control': 'no-store',
      'Content-Disposition': `attachment; filename="${opening.name}"`,
    });
    ctx.body = opening.stream;
    return;
  }
  if (!(ctx.res instanceof UpgradeResponse)) throw new Error('a socket was opened without upgrade');
  ctx.res.accept = opening.accept;
  ctx.status = 101;
  ctx.respond = false;
};

/** Only fields named in the schema leave the service. A body that does not match is a bug here. */
const checkedBody = (endpoint: Endpoint, body: unknown): object => {
  const checked = endpoint.response.safeParse(body);
  if (checked.success) return checked.data as object;
  throw new Error(`${endpoint.id} answers against its schema: ${checked.error.message}`);
};

const JSON_TYPE = 'application/json; charset=utf-8';

const send = (ctx: Context, endpoint: Endpoint, reply: Reply<unknown>): void => {
  const body = 'body' in reply ? checkedBody(endpoint, reply.body) : undefined;
  ctx.status = reply.status ?? 200;
  if (reply.headers) ctx.set({ ...reply.headers });
  if (reply.version !== undefined) ctx.res.setHeader('ETag', `W/"${reply.version}"`);
  if ('json' in reply) {
    ctx.res.setHeader('Content-Type', JSON_TYPE);
    ctx.body = reply.json;
    (ctx.state as RequestState).isForAll = true;
  } else if ('opening' in reply) {
    open(ctx, reply.opening);
  } else if (reply.text) {
    ctx.type = reply.text.contentType;
    ctx.body = reply.text.text;
  } else {
    ctx.body = body;
  }
};

/** Takes further units for an admitted request: all of them, or none and 429. */
const chargeUnits = async (
  state: RequestState,
  dayUnits: number,
  { gatekeeper, baseUrl }: MountOptions,
): Promise<void> => {
  const { caller, quota } = state;
  if (dayUnits === 0 || !caller || !quota) return;
  const charge = await gatekeeper.charge(caller, dayUnits, quota);
  state.quota = charge.quota;
  if (!charge.isTaken) {
    const retryAfterS = Math.max(1, quota.dayResetS - quota.nowS);
    const limited = { kind: 'limited', policy: 'day', retryAfterS, quota: charge.quota } as const;
    throw quotaExceeded(limited, `${baseUrl}/dashboard/plans`);
  }
  state.dayUnitsTaken = (state.dayUnitsTaken ?? 0) + dayUnits;
};

const checkedCall = (ctx: Context, options: MountOptions): Call<unknown, unknown, unknown> => {
  const state = ctx.state as RequestState;
  const { caller, quota, signal } = state;
  if (!caller || !quota || !signal) throw new Error('reached without authentication');
  const { params, query, body } = ctx.request as unknown as Record<string, unknown>;
  return {
    params,
    query,
    body,
    caller,
    quota,
    nowMs: options.now(),
    isUpgrade: ctx.res instanceof UpgradeResponse,
    charge: (dayUnits) => chargeUnits(state, dayUnits, options),
    header: (name) => ctx.get(name) || undefined,
    signal,
  };
};

const respond = async (ctx: Context, endpoint: Endpoint, options: MountOptions): Promise<void> => {
  const call = checkedCall(ctx, options);
  const handle = () => endpoint.handle(call);
  const { caller } = call;
  const { isHeavy } = endpoint;
  const { concurrency } = options;
  const isWanted = (): boolean => !call.signal().aborted;
  const work = () =>
    isHeavy ? concurrency.runHeavy(handle, isWanted, endpoint.sharesQueries) : handle();
  const answer = () =>
    endpoint.isIdempotent
      ? answerOnce({
          ctx,
          idempotency: options.idempotency,
          family: caller.family,
          body: call.body,
          work,
        })
      : work();
  send(ctx, endpoint, await concurrency.runApi(caller, isHeavy, answer));
};

/** What the paths of one group of operations share: their prefix (`/tokens`, `/api/tokens`) and length. */
const groupOf = (path: string): string => {
  const parts = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  const [, first = '', second = ''] = parts;
  return first === 'api' ? `/api/${second} ${parts.length}` : `/${first} ${parts.length}`;
};

const createRouter = () => {
  const router = zodRouter({ koaRouter: { sensitive: true } });
  // Without the router's body parser: bodies are read after authentication, by readBody.
  router.stack.length = 0;
  return router;
};

/** A router for the operations of one group; known paths answer other methods with 405. */
const mountGroup = (endpoints: readonly Endpoint[], options: MountOptions): Koa.Middleware => {
  const { authenticate, baseUrl } = options;
  const router = createRouter();
  for (const endpoint of endpoints) {
    router.register({
      method: endpoint.method,
      path: routerPath(endpoint.path),
      pre: async (ctx, next) => {
        const context = ctx as unknown as ParameterizedContext<RequestState> & Context;
        context.state.operation = endpoint.id;
        const units = { day: endpoint.dayUnits ?? 1, minute: 1 };
        await authenticate(context, units, { isSocket: endpoint.isSocket });
        if (context.state.caller) checkTier(context.state.caller, endpoint, baseUrl);
        if (endpoint.body) {
          ctx.request.body = await readBody(context, endpoint.isBodyOptional);
        }
        await next();
      },
      validate: {
        params: endpoint.params,
        query: endpoint.query,
        ...(endpoint.body ? { body: endpoint.body } : {}),
        continueOnError: true,
      },
      handler: (ctx) => {
        const invalid = ctx.invalid as InvalidParts & { error: boolean };
        if (invalid.error) throw invalidInput(invalid, endpoint);
        return respond(ctx as unknown as Context, endpoint, options);
      },
    });
    const siblings = endpoints.filter(({ path }) => path === endpoint.path);
    if (siblings.at(-1) === endpoint) {
      const methods = siblings.map(({ method }) => method.toUpperCase());
      const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).join(', ');
      router.all(routerPath(endpoint.path), async (ctx) => {
        await authenticate(ctx as ParameterizedContext<RequestState>, { day: 1, minute: 1 });
        ctx.set('Allow', allow);
        throw invalidRequest(`${ctx.method} is not allowed here; use ${allow}`, { status: 405 });
      });
    }
  }
  return router.routes() as unknown as Koa.Middleware;
};

/** All operations. A router tries its routes one after the other, so each group of paths has its own. */
export const mountEndpoints = (options: MountOptions): Koa.Middleware => {
  const groups = groupBy(options.endpoints.toSorted(bySpecificity), ({ path }) => groupOf(path));
  const routers = new Map(
    [...groups].map(([group, endpoints]) => [group, mountGroup(endpoints, options)]),
  );
  return (ctx, next) => routers.get(groupOf(ctx.path))?.(ctx, next) ?? next();
};
