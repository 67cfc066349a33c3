import { EXPORT_KINDS, isDay } from '../../shared/rules/dayExport.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { z } from '../server/schema.ts';
import { EXPORT_ROWS_MAX, EXPORT_S_MAX, type Exports } from './createExports.ts';

const PARQUET = 'application/vnd.apache.parquet';

/** GET /api/export */
export const exportDay = ({ exports }: { exports: Exports }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/export',
    id: 'exportDay',
    tag: 'Export',
    summary: 'A day as a Parquet file',
    description: `Verdicts in force by the time of their analysis, tokens by their creation, or trades by their block, of one day (UTC), with the columns of the views for analysts: addresses as text, amounts that do not fit 64 bits as decimal text. A day without rows gives a file without rows. At most ${EXPORT_ROWS_MAX.toLocaleString('en')} rows, ${EXPORT_S_MAX} seconds of preparation and ten minutes of download; one file at a time for the keys of a family (429 with \`Retry-After\` for a second one). Past days change only if a verdict is computed again.`,
    lowestTier: 'enterprise',
    isHeavy: true,
    isStream: true,
    query: z
      .object({
        what: z.enum(EXPORT_KINDS).openapi({ description: 'Which rows' }),
        day: z
          .string()
          .refine(isDay, 'must be a day such as 2026-01-31')
          .openapi({ description: 'Day in UTC', example: '2026-01-31' }),
      })
      .strict(),
    response: z.string(),
    successes: { 200: 'The file' },
    otherTypes: { [PARQUET]: 'The rows as Apache Parquet' },
    handle: async ({ caller, query, signal }) => {
      const stream = await exports.open({ ...query, family: caller.family, signal: signal() });
      const name = `${query.what}-${query.day}.parquet`;
      return { opening: { kind: 'file', stream, contentType: PARQUET, name } };
    },
  });
