import type { Tier } from '../../shared/families/tier.ts';
import { isoDateTime, z } from './schema.ts';

export const ERROR_CODES = [
  'AUTH_001',
  'AUTH_002',
  'AUTH_003',
  'REQ_001',
  'REQ_002',
  'RES_001',
  'RES_002',
  'SYS_001',
  'SYS_002',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Where the errors page describes a code. */
export const errorPath = (code: ErrorCode | undefined): string =>
  `/docs/errors#${code ?? 'insufficient_tier'}`;

/** One error in a request. */
const errorDetailSchema = z.object({
  in: z.enum(['path', 'query', 'body', 'header']),
  path: z.string(),
  message: z.string(),
  id: z.number().int().optional().openapi({ description: 'the existing item, with RES_002' }),
});
export type ErrorDetail = z.infer<typeof errorDetailSchema>;

/** Superset of the coded, quota and auth error envelopes. */
export const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    code: z.enum(ERROR_CODES).optional(),
    message: z.string(),
    timestamp: isoDateTime,
    request_id: z.string(),
    details: z.array(errorDetailSchema).optional(),
  })
  .openapi('Error', { description: 'Superset of the three error envelopes' });

export const quotaErrorSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    code: z.literal('AUTH_003'),
    message: z.string(),
    tier: z.string(),
    limit: z.number().int(),
    upgrade: z.string().url(),
    policy: z.enum(['day', 'minute']),
    retry_after: z.number().int(),
    timestamp: isoDateTime,
    request_id: z.string(),
  })
  .openapi('QuotaError');

export const forbiddenErrorSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    message: z.string(),
    tier: z.string(),
    required_tier: z.string(),
    upgrade: z.string().url(),
    timestamp: isoDateTime,
    request_id: z.string(),
  })
  .openapi('ForbiddenError');

/** Details of a refusal besides its status. */
interface ApiErrorOptions {
  readonly status: number;
  /** Short title, the same for all refusals of a kind. */
  readonly error: string;
  /** One sentence for the caller, without internals. */
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional body fields, such as those of the quota envelope. */
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** A refusal, which the error-shaping middleware turns into the response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly options: ApiErrorOptions;

  constructor(options: ApiErrorOptions) {
    super(options.message);
    this.options = options;
  }
}

/** 400, or another 4xx status, for a request that can never succeed as sent. */
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

/** The same for invalid parts: the message names each part, or its location if it has no path. */
export const invalidFields = (
  details: readonly ErrorDetail[],
  options: Partial<Pick<ApiErrorOptions, 'status' | 'code'>> = {},
): ApiError => {
  const said = details.map(({ in: part, path, message }) => `${path || part}: ${message}`);
  return invalidRequest(said.join('; '), { ...options, details });
};

/** 404, also for objects of another key family. */
export const notFound = (message: string): ApiError =>
  new ApiError({ status: 404, error: 'Resource not found', code: 'RES_001', message });

/** 409. */
export const conflict = (
  message: string,
  options: Pick<ApiErrorOptions, 'details' | 'headers'> = {},
): ApiError =>
  new ApiError({
    status: 409,
    error: 'Resource already exists',
    code: 'RES_002',
    message,
    ...options,
  });

/** 503 with the seconds until a retry. */
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

/** 403: the tier does not include something; with `retryAfterS` if it may be available after that time. */
export const insufficientTier = (args: {
  message: string;
  tier: Tier;
  requiredTier: Tier;
  upgradeUrl: string;
  retryAfterS?: number;
}): ApiError =>
  new ApiError({
    status: 403,
    error: 'insufficient_tier',
    message: args.message,
    ...(args.retryAfterS && { headers: { 'Retry-After': String(args.retryAfterS) } }),
    fields: { tier: args.tier, required_tier: args.requiredTier, upgrade: args.upgradeUrl },
  });
