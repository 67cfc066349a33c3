import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ADDRESS_RULE, ADDRESS_TEXT } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';

// API schemas are built from this `z`, so that `.openapi()` exists before the first of them.
extendZodWithOpenApi(z);

export { z };

/** The largest offset served: beyond it a cursor is cheaper for both sides. */
export const OFFSET_MAX = 10_000;

const EMAIL_LENGTH_MAX = 254;

/** An e-mail address, in lower case: no mail service distinguishes addresses by case. */
export const emailField = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, `must have at most ${EMAIL_LENGTH_MAX} characters`)
  .email('must be an e-mail address')
  .transform((text) => text.toLowerCase());

/** A whole number in a query or path: decimal digits only, never `1e2`, `0x10` or an empty text. */
const digits = (min: number, max: number) =>
  z.string().regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`);

const bounded = (min: number, max: number) =>
  digits(min, max)
    .transform(Number)
    .pipe(z.number().min(min, `must be >= ${min}`).max(max, `must be <= ${max}`));

const bounds = (min: number, max: number) =>
  ({ type: 'integer', minimum: min, maximum: max }) as const;

/** The schema's own default is the text that a client would have sent; the document shows the number. */
const withDefault = (metadata: ReturnType<typeof bounds>, fallback: number): object => ({
  ...metadata,
  default: fallback,
});

/** An optional whole number in a query. */
export const queryInteger = (min: number, max: number) =>
  bounded(min, max).optional().openapi(bounds(min, max));

/** A whole number in a query, with a default. */
export const queryIntegerOr = (fallback: number, min: number, max: number) =>
  bounded(min, max)
    .default(String(fallback))
    .openapi(withDefault(bounds(min, max), fallback));

/** An optional decimal from 0 to 1 in a query: digits and a point only, never `1e-2`. */
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

/** A rule for `superRefine`: if both ends of a range are given, the lower must not exceed the upper. */
export const ordered =
  <Lower extends string, Upper extends string>(lower: Lower, upper: Upper) =>
  (
    ends: { readonly [End in Lower | Upper]?: number | undefined },
    context: z.RefinementCtx,
  ): void => {
    const { [lower]: from, [upper]: to } = ends;
    if (from === undefined || to === undefined || from <= to) return;
    context.addIssue({ code: 'custom', path: [lower], message: `must be <= ${upper}` });
  };

/** How many list entries to skip. */
export const offsetField = digits(0, OFFSET_MAX)
  .transform(Number)
  .pipe(z.number().max(OFFSET_MAX, `must be <= ${OFFSET_MAX}; use cursor to go further`))
  .default('0')
  .openapi(withDefault(bounds(0, OFFSET_MAX), 0));

/** An id in a path. */
export const pathId = bounded(1, Number.MAX_SAFE_INTEGER).openapi(
  bounds(1, Number.MAX_SAFE_INTEGER),
);

/** Only `true` or `false`. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
  .openapi({ type: 'string', enum: ['true', 'false'], default: 'false' });

/**
 * The same as `addressInput` with another message; `transform` costs more than all other validation of a request.
 */
const addressOr = (rule: string) =>
  z.string().regex(ADDRESS_TEXT, rule).toLowerCase().openapi({
    type: 'string',
    pattern: ADDRESS_TEXT.source,
    description: 'EVM address, any letter case',
    example: '0x1f981f981f981f981f981f981f981f981f981f98',
  }) as unknown as z.ZodType<Hex, z.ZodTypeDef, string>;
/** An address in any letter case, as clients write it. */
export const addressInput = addressOr(ADDRESS_RULE);

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
/** What alerts can be muted by. A text that is neither gets the error message of the first. */
export const addressOrAlertType = z.union([
  addressOr(`${ADDRESS_RULE}, or one of ${ALERT_TYPES.join(', ')}`),
  alertType,
]);

/** No parameters and no fields. */
export const nothing = z.object({}).strict();

/** The success envelope of style A. */
export const envelopeA = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ success: z.literal(true), data, timestamp: isoDateTime });

/** The success envelope of style B. */
export const envelopeB = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ data, success: z.literal(true), message: z.string().optional() });

/** The position of a page in a style B list. */
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

/** The success envelope of a style B list. */
export const listEnvelopeB = <D extends z.ZodTypeAny>(entry: D) =>
  z.object({ data: z.array(entry), success: z.literal(true), pagination: paginationSchema });

/** A day from 1970 to 2105. */
const DAY =
  '(?:19[7-9]\\d|20\\d\\d|210[0-5])-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-9]))';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const ISO_TIME = new RegExp(
  `^${DAY}(?:T${CLOCK}(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]${CLOCK})?)?$`,
);

/** Unix milliseconds of an ISO 8601 date or time; UTC if it has no zone. Not before 1970, whatever the zone. */
const parseTime = (text: string): number => {
  const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text.slice(10));
  return Math.max(0, Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text));
};

/**
 * A time in ISO 8601; parsed to Unix milliseconds. The 29th of February counts as the 1st of March in other years.
 */
export const moment = z
  .string()
  .regex(ISO_TIME, 'must be an ISO 8601 date or time between 1970 and 2105')
  .transform(parseTime)
  .openapi({
    type: 'string',
    pattern: ISO_TIME.source,
    description:
      'ISO 8601 date or time from 1970 to 2105, UTC unless a zone is given; a date alone is its first moment',
    example: '2026-11-21T05:30:00Z',
  });

/** An optional time in a query. */
export const queryTime = moment.optional();

/** A time in the form that links repeat. */
export const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
