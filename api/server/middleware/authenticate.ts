import type { Middleware, ParameterizedContext } from 'koa';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { errorMessage } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import {
  type Admission,
  type Gatekeeper,
  type QuotaState,
  type Units,
} from '../../accounts/admission.ts';
import { UNLIMITED } from '../../accounts/plans.ts';
import { ApiError, unauthorized } from '../apiError.ts';
import type { RequestState } from './requestState.ts';

type Context = ParameterizedContext<RequestState>;

/** The key of a request: header, then bearer token, then query; the first one present decides. */
const presentedKey = (ctx: Context): { key: string; isInQuery: boolean } | undefined => {
  const header = ctx.headers['x-api-key'];
  if (header !== undefined) return { key: String(header), isInQuery: false };
  const bearer = /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1];
  if (bearer !== undefined) return { key: bearer, isInQuery: false };
  const query = ctx.query['api_key'];
  return query === undefined ? undefined : { key: String(query), isInQuery: true };
};

/**
 * Credentials that a browser can send for a WebSocket: a protocol `key.<API_KEY>`, or a ticket in the query.
 */
const presentedForSocket = (ctx: Context): { key: string } | { ticket: string } | undefined => {
  const protocols = ctx.get('Sec-WebSocket-Protocol').split(',');
  const key = protocols.map((one) => /^key\.(\S+)$/.exec(one.trim())?.[1]).find(Boolean);
  if (key !== undefined) return { key };
  const { ticket } = ctx.query;
  return ticket === undefined ? undefined : { ticket: String(ticket) };
};

/** 429 with the quota error envelope. */
export const quotaExceeded = (
  admission: Extract<Admission, { kind: 'limited' }>,
  upgradeUrl: string,
): ApiError => {
  const { policy, retryAfterS, quota } = admission;
  const limit = policy === 'day' ? quota.dayLimit : quota.minuteLimit;
  return new ApiError({
    status: 429,
    error: 'Rate limit exceeded',
    code: 'AUTH_003',
    message:
      policy === 'day'
        ? `Daily quota of ${limit} requests used`
        : `${limit} requests per minute exceeded`,
    fields: { tier: quota.tier, limit, upgrade: upgradeUrl, policy, retry_after: retryAfterS },
    headers: { 'Retry-After': String(retryAfterS) },
  });
};

/** Admits requests with a valid key and remaining quota. */
export type Authenticate = (
  ctx: Context,
  units: Units,
  options?: { isSocket?: boolean | undefined },
) => Promise<void>;

/**
 * Checks the key of a request and takes its units.
 * @throws ApiError 401 without a valid key, 429 without quota.
 */
export const createAuthenticate =
  ({ gatekeeper, baseUrl }: { gatekeeper: Gatekeeper; baseUrl: string }): Authenticate =>
  async (ctx, units, { isSocket = false } = {}) => {
    const forSocket = isSocket ? presentedForSocket(ctx) : undefined;
    const presented = presentedKey(ctx) ?? forSocket;
    // The key is not a parameter of any operation, and operations refuse unknown parameters.
    if ('api_key' in ctx.query) delete ctx.query['api_key'];
    if (!presented) throw unauthorized('An API key is required', 'AUTH_001');
    if ('isInQuery' in presented && presented.isInQuery) ctx.set('Cache-Control', 'no-store');
    const admission =
      'ticket' in presented
        ? await gatekeeper.admitTicket(presented.ticket, units)
        : await gatekeeper.admit(presented.key, units);
    if (admission.kind === 'unknown') {
      const message =
        'ticket' in presented
          ? 'The ticket is unknown, used or older than a minute'
          : 'The API key is malformed, unknown or revoked';
      throw unauthorized(message, 'AUTH_001');
    }
    if (admission.kind === 'expired') throw unauthorized('The API key has expired', 'AUTH_002');
    ctx.state.quota = admission.quota;
    if (admission.kind === 'limited') {
      throw quotaExceeded(admission, `${baseUrl}/dashboard/plans`);
    }
    ctx.state.caller = admission.caller;
    ctx.state.dayUnitsTaken = units.day;
  };

const HTTP_NOT_MODIFIED = 304;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_SERVER_ERROR = 500;

/** Responses that cost no day unit: nothing new was served (304), the service was overloaded, or it failed. */
const isFree = (status: number): boolean =>
  status === HTTP_NOT_MODIFIED || status === HTTP_TOO_MANY_REQUESTS || status >= HTTP_SERVER_ERROR;

/**
 * The three headers of the specification describe the day quota; the two of the IETF draft describe day and minute.
 */
const setQuotaHeaders = ({ res }: Context, quota: QuotaState): void => {
  const isUnlimited = quota.dayLimit >= UNLIMITED;
  const remaining = isUnlimited ? UNLIMITED : quota.dayRemaining;
  const { dayLimit, minuteLimit, minuteRemaining, minuteResetS } = quota;
  const dayLeftS = quota.dayResetS - quota.nowS;
  const policy = `"day";q=${dayLimit};w=${DAY_S}, "minute";q=${minuteLimit};w=60`;
  const left = `"day";r=${remaining};t=${dayLeftS}, "minute";r=${minuteRemaining};t=${minuteResetS}`;
  res.setHeader('X-RateLimit-Limit', String(dayLimit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  res.setHeader('X-RateLimit-Reset', String(quota.dayResetS));
  res.setHeader('RateLimit-Policy', policy);
  res.setHeader('RateLimit', left);
};

const noQuotaHeaders = (nowMs: number): Record<string, string> => ({
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': String((Math.floor(nowMs / 1000 / DAY_S) + 1) * DAY_S),
});

/** Refunds the unit of free requests, and reports the remaining quota in headers. */
export const reportQuota =
  (args: { gatekeeper: Gatekeeper; now: () => number; logger: Logger }): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    const { caller, quota, dayUnitsTaken = 0, isPublic } = ctx.state;
    if (isPublic) return;
    if (!quota) {
      ctx.set(noQuotaHeaders(args.now()));
      return;
    }
    if (!caller || dayUnitsTaken === 0 || !isFree(ctx.status)) {
      setQuotaHeaders(ctx, quota);
      return;
    }
    setQuotaHeaders(ctx, { ...quota, dayRemaining: quota.dayRemaining + dayUnitsTaken });
    try {
      await args.gatekeeper.refund(caller.family, dayUnitsTaken, quota);
    } catch (error) {
      args.logger.warn({ keyId: caller.keyId }, `unit not refunded: ${errorMessage(error)}`);
    }
  };
