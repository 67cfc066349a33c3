import Router from '@koa/router';
import type { Context } from 'koa';
import { tierIncludes } from '../shared/accounts/tier.ts';
import type { Caller, Gatekeeper } from './accounts/admission.ts';
import { insufficientTier, invalidRequest } from './apiError.ts';
import type { Endpoint, Opening, Reply } from './endpoint.ts';
import { answerOnce } from './middleware/answerOnce.ts';
import { type Authenticate, quotaExceeded } from './middleware/authenticate.ts';
import type { Idempotency } from './middleware/idempotency.ts';
import { invalidInput } from './middleware/invalidInput.ts';
import { readBody } from './middleware/readBody.ts';
import type { RequestState } from './middleware/requestState.ts';
import { UpgradeResponse } from './streams/upgrade.ts';

/** What every operation needs around it. */
export interface MountOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  readonly gatekeeper: Pick<Gatekeeper, 'charge'>;
  readonly idempotency: Idempotency;
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

/** Leaves the connection to who keeps it open. */
const open = (ctx: Context, opening: Opening): void => {
  if (opening.kind === 'events') {
    ctx.type = 'text/event-stream';
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    ctx.body = opening.stream;
    return;
  }
  if (!(ctx.res instanceof UpgradeResponse)) throw new Error('a socket was opened without upgrade');
  ctx.res.accept = opening.accept;
  ctx.status = 101;
  ctx.respond = false;
};

/** Only what the schema names leaves the service. A body that does not match it is a bug here. */
const checkedBody = (endpoint: Endpoint, body: unknown): object => {
  const checked = endpoint.response.safeParse(body);
  if (checked.success) return checked.data as object;
  throw new Error(`${endpoint.id} answers against its schema: ${checked.error.message}`);
};

const send = (ctx: Context, endpoint: Endpoint, reply: Reply<unknown>): void => {
  const body = 'json' in reply ? undefined : checkedBody(endpoint, reply.body);
  ctx.status = reply.status ?? 200;
  if (reply.headers) ctx.set({ ...reply.headers });
  if (reply.version !== undefined) ctx.set('ETag', `W/"${reply.version}"`);
  if ('json' in reply) {
    ctx.type = 'json';
    ctx.body = reply.json;
  } else if (reply.opening) {
    open(ctx, reply.opening);
  } else if (reply.text) {
    ctx.type = reply.text.contentType;
    ctx.body = reply.text.text;
  } else {
    ctx.body = body;
  }
};

/** Units of one request beyond those it was admitted with: all of them, or 429 and none. */
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

/** The parts of a request as the operation knows them. @throws ApiError 400 that names what is wrong in any. */
const checkedInput = (ctx: Context, endpoint: Endpoint, given: unknown) => {
  const params = endpoint.params.safeParse(ctx['params']);
  const query = endpoint.query.safeParse(ctx.query);
  const body = endpoint.body?.safeParse(given);
  if (params.success && query.success && body?.success !== false) {
    return { params: params.data, query: query.data, body: body ? body.data : {} };
  }
  throw invalidInput({ params: params.error, query: query.error, body: body?.error });
};

/** Authenticates before anything of the request is read, then answers. */
const respond = async (ctx: Context, endpoint: Endpoint, options: MountOptions): Promise<void> => {
  const state = ctx.state as RequestState;
  state.operation = endpoint.id;
  const units = { day: endpoint.dayUnits ?? 1, minute: 1 };
  await options.authenticate(ctx, units, { isSocket: endpoint.isSocket });
  const { caller, quota, signal } = state;
  if (!caller || !quota || !signal)
    throw new Error(`${endpoint.id} was reached without authentication`);
  checkTier(caller, endpoint, options.baseUrl);
  const given = endpoint.body ? await readBody(ctx, endpoint.isBodyOptional) : undefined;
  const input = checkedInput(ctx, endpoint, given);
  const work = () =>
    endpoint.handle({
      params: input.params,
      query: input.query,
      body: input.body,
      caller,
      quota,
      get signal() {
        return signal();
      },
      charge: (dayUnits) => chargeUnits(state, dayUnits, options),
      nowMs: options.now(),
      header: (name) => ctx.get(name) || undefined,
      isUpgrade: ctx.res instanceof UpgradeResponse,
    });
  const { idempotency } = options;
  const reply = endpoint.isIdempotent
    ? await answerOnce({ ctx, idempotency, family: caller.family, body: input.body, work })
    : await work();
  send(ctx, endpoint, reply);
};

/** A router of all operations; known paths answer other methods with 405. */
export const mountEndpoints = (options: MountOptions): Router<RequestState> => {
  const router = new Router<RequestState>({ sensitive: true });
  const sorted = options.endpoints.toSorted(bySpecificity);
  for (const endpoint of sorted) {
    const path = routerPath(endpoint.path);
    router.register(path, [endpoint.method], (ctx) => respond(ctx, endpoint, options));
    const siblings = sorted.filter((other) => other.path === endpoint.path);
    if (siblings.at(-1) === endpoint) {
      const methods = siblings.map(({ method }) => method.toUpperCase());
      const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).join(', ');
      router.all(path, async (ctx) => {
        await options.authenticate(ctx, { day: 1, minute: 1 });
        ctx.set('Allow', allow);
        throw invalidRequest(`${ctx.method} is not allowed here; use ${allow}`, { status: 405 });
      });
    }
  }
  return router;
};
