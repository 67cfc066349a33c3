import { isoTime } from './fields.ts';
import { z } from './zod.ts';

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

/** One thing that is wrong with a request. */
export const errorDetailSchema = z.object({
  in: z.enum(['path', 'query', 'body', 'header']),
  path: z.string(),
  message: z.string(),
  id: z.number().int().optional().openapi({ description: 'the existing item, with RES_002' }),
});
export type ErrorDetail = z.infer<typeof errorDetailSchema>;

/** Superset of the coded, quota and auth envelopes. */
export const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    code: z.enum(ERROR_CODES).optional(),
    message: z.string(),
    timestamp: isoTime,
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
    timestamp: isoTime,
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
    timestamp: isoTime,
    request_id: z.string(),
  })
  .openapi('ForbiddenError');
