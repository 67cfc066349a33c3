import type { Middleware } from 'koa';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { DAY_S, type Gatekeeper, type QuotaState } from '../accounts/admission.ts';
import { UNLIMITED } from '../accounts/plans.ts';
import type { RequestState } from './requestState.ts';

const HTTP_NOT_MODIFIED = 304;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_SERVER_ERROR = 500;

/** Answers that cost nothing of the day: nothing new was served, it was too much, or the fault was ours. */
const isFree = (status: number): boolean =>
  status === HTTP_NOT_MODIFIED || status === HTTP_TOO_MANY_REQUESTS || status >= HTTP_SERVER_ERROR;

/** The three headers of the specification speak of the day; the draft's two of day and minute. */
const quotaHeaders = (quota: QuotaState): Record<string, string> => {
  const isUnlimited = quota.dayLimit >= UNLIMITED;
  const remaining = isUnlimited ? UNLIMITED : quota.dayRemaining;
  const { dayLimit, minuteLimit, minuteRemaining, minuteResetS } = quota;
  const dayLeftS = quota.dayResetS - quota.nowS;
  return {
    'X-RateLimit-Limit': String(dayLimit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(quota.dayResetS),
    'RateLimit-Policy': `"day";q=${dayLimit};w=${DAY_S}, "minute";q=${minuteLimit};w=60`,
    RateLimit: `"day";r=${remaining};t=${dayLeftS}, "minute";r=${minuteRemaining};t=${minuteResetS}`,
  };
};

const noQuotaHeaders = (nowMs: number): Record<string, string> => ({
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': String((Math.floor(nowMs / 1000 / DAY_S) + 1) * DAY_S),
});

/** Gives free requests their unit back and tells every caller what is left. */
export const settleQuota =
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
      ctx.set(quotaHeaders(quota));
      return;
    }
    ctx.set(quotaHeaders({ ...quota, dayRemaining: quota.dayRemaining + dayUnitsTaken }));
    try {
      await args.gatekeeper.refund(caller.family, dayUnitsTaken, quota);
    } catch (error) {
      args.logger.warn({ keyId: caller.keyId }, `unit not given back: ${errorMessage(error)}`);
    }
  };
