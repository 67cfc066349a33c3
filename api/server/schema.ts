import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ADDRESS_RULE, ADDRESS_TEXT } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { ALERT_TYPES } from '../../shared/messages/watchMessage.ts';

// Schemas of the API are built from this `z`, so that `.openapi()` exists before the first of them.
extendZodWithOpenApi(z);

export { z };

/** The largest offset served: beyond it a cursor is cheaper for everyone. */
export const OFFSET_MAX = 10_000;

/** A whole number in a query or path: decimal digits only, never `1e2`, `0x10` or an empty text. */
const digits = z.string().regex(/^\d{1,16}$/, 'must be a whole number');

const bounded = (min: number, max: number) =>
  digits
    .transform(Number)
    .pipe(z.number().min(min, `must be >= ${min}`).max(max, `must be <= ${max}`));

const bounds = (min: number, max: number) =>
  ({
    type: 'integer',
    minimum: min,
    ...(max < Number.MAX_SAFE_INTEGER ? { maximum: max } : {}),
  }) as const;

/** The schema's own default is the text a client would have sent; the document shows the number. */
const withDefault = (metadata: ReturnType<typeof bounds>, fallback: number): object => ({
  ...metadata,
  default: fallback,
});

/** An optional whole number of a query. */
export const queryInteger = (min: number, max: number) =>
  bounded(min, max).optional().openapi(bounds(min, max));

/** A whole number of a query with a value for its absence. */
export const queryIntegerOr = (fallback: number, min: number, max: number) =>
  bounded(min, max)
    .default(String(fallback))
    .openapi(withDefault(bounds(min, max), fallback));

/** An optional decimal of a query from 0 to 1: digits and a point only, never `1e-2`. */
export const queryFraction = z
  .string()
  .regex(/^(0(\.\d{1,32})?|1(\.0{1,32})?|\.\d{1,32})$/, 'must be a decimal from 0.0 to 1.0')
  .transform(Number)
  .optional()
  .openapi({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'digits and a point, no exponent',
  });

/** How many list entries to skip. */
export const offsetField = digits
  .transform(Number)
  .pipe(z.number().max(OFFSET_MAX, `must be <= ${OFFSET_MAX}; use cursor to go further`))
  .default('0')
  .openapi(withDefault(bounds(0, OFFSET_MAX), 0));

/** An id in a path. */
export const pathId = bounded(1, Number.MAX_SAFE_INTEGER).openapi(
  bounds(1, Number.MAX_SAFE_INTEGER),
);

/** `true` or `false`, nothing else. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
  .openapi({ type: 'string', enum: ['true', 'false'], default: 'false' });

/** An address as a client writes it, in any letter case; `transform` costs more than the rest of a request's check. */
export const addressInput = z.string().regex(ADDRESS_TEXT, ADDRESS_RULE).toLowerCase().openapi({
  type: 'string',
  pattern: ADDRESS_TEXT.source,
  description: 'EVM address, any letter case',
  example: '0x1f981f981f981f981f981f981f981f981f981f98',
}) as unknown as z.ZodType<Hex, z.ZodTypeDef, string>;

/** An address as the service writes it. */
export const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .openapi({ description: 'EVM address, always lower case in responses' });

/** ISO 8601 UTC, whole seconds. */
export const isoDateTime = z.string().datetime().openapi({ description: 'ISO 8601 UTC' });

export const percent = z.number().int().min(0).max(100);
export const fraction = z.number().min(0).max(1);
export const count = z.number().int().min(0);
export const prediction = z.enum(['SCAM', 'LEGIT']);
export const alertType = z.enum(ALERT_TYPES);

/** No parameters and no fields. */
export const nothing = z.object({}).strict();

/** The success envelope of style A. */
export const envelopeA = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ success: z.literal(true), data, timestamp: isoDateTime });

/** The success envelope of style B. */
export const envelopeB = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ data, success: z.literal(true), message: z.string().optional() });

/** Where a page of style B is in its list. */
const paginationSchema = z
  .object({
    total: count,
    limit: count,
    offset: count,
    page: z.number().int().min(1).nullable().openapi({ description: 'null in offset mode' }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .openapi('Pagination');
export type Pagination = z.infer<typeof paginationSchema>;

/** The success envelope of a list of style B. */
export const listEnvelopeB = <D extends z.ZodTypeAny>(entry: D) =>
  z.object({ data: z.array(entry), success: z.literal(true), pagination: paginationSchema });
