import type { Tier } from '../shared/accounts/tier.ts';
import type { ErrorCode, ErrorDetail } from './schema/errors.ts';

/** What a refusal carries besides its status. */
export interface ApiErrorOptions {
  readonly status: number;
  /** Short title, the same for all refusals of a kind. */
  readonly error: string;
  /** One sentence for the caller; never internals. */
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body, such as those of the quota envelope. */
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** A refusal: the error-shaping middleware turns it into the answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly options: ApiErrorOptions;

  constructor(options: ApiErrorOptions) {
    super(options.message);
    this.options = options;
  }
}

/** 400, or another status of the same family, for a request that can never succeed as sent. */
export const invalidRequest = (
  message: string,
  options: Partial<Pick<ApiErrorOptions, 'status' | 'details' | 'code' | 'headers'>> = {},
): ApiError =>
  new ApiError({
    status: options.status ?? 400,
    error: options.code === 'REQ_002' ? 'Missing required parameter' : 'Invalid request parameters',
    code: options.code ?? 'REQ_001',
    message,
    ...(options.details ? { details: options.details } : {}),
    ...(options.headers ? { headers: options.headers } : {}),
  });

/** 404, also for objects of another key family. */
export const notFound = (message: string): ApiError =>
  new ApiError({ status: 404, error: 'Resource not found', code: 'RES_001', message });

/** 409. */
export const conflict = (message: string, details?: ErrorDetail[]): ApiError =>
  new ApiError({
    status: 409,
    error: 'Resource already exists',
    code: 'RES_002',
    message,
    ...(details ? { details } : {}),
  });

/** 503 with the seconds after which to try again. */
export const unavailable = (message: string, retryAfterS = 5): ApiError =>
  new ApiError({
    status: 503,
    error: 'Service unavailable',
    code: 'SYS_002',
    message,
    headers: { 'Retry-After': String(retryAfterS) },
  });

/** 401. */
export const unauthorized = (message: string, code: 'AUTH_001' | 'AUTH_002'): ApiError =>
  new ApiError({
    status: 401,
    error: code === 'AUTH_002' ? 'API key expired' : 'Invalid API key',
    code,
    message,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });

/** 403: the tier lacks something. */
export const insufficientTier = (args: {
  message: string;
  tier: Tier;
  requiredTier: Tier;
  upgradeUrl: string;
}): ApiError =>
  new ApiError({
    status: 403,
    error: 'insufficient_tier',
    message: args.message,
    fields: { tier: args.tier, required_tier: args.requiredTier, upgrade: args.upgradeUrl },
  });
