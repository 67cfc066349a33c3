import { count, isoTime } from './fields.ts';
import { z } from './zod.ts';

/** The success envelope of style A. */
export const envelopeA = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ success: z.literal(true), data, timestamp: isoTime });

/** The success envelope of style B. */
export const envelopeB = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ data, success: z.literal(true), message: z.string().optional() });

/** Where a page of style B stands in its list. */
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
