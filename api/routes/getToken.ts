import { notFound } from '../apiError.ts';
import { VERDICT_KEPT_MS_MAX } from '../cache/verdictCache.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Tokens } from '../ports.ts';
import { isoTime } from '../present/isoTime.ts';
import { renderOnce } from '../present/renderOnce.ts';
import { tokenDetailA } from '../present/styleA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { addressInput, nothing } from '../schema/fields.ts';
import { tokenDetailSchema } from '../schema/token.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_TIME, exampleDetail } from './examples.ts';
import { verdictVersion } from './verdictVersion.ts';

/** A verdict older than this carries its age in a header. */
const VERDICT_OLD_S = 24 * 3_600;

const detailText = renderOnce(tokenDetailSchema, tokenDetailA);

/** GET /tokens/{address} */
export const getToken = ({ tokens }: { tokens: Tokens }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/tokens/{address}',
    id: 'getToken',
    tag: 'Tokens',
    style: 'A',
    summary: 'Token detail',
    description: `Never starts an analysis. An answer may be ${VERDICT_KEPT_MS_MAX / 1000} seconds older than what is stored. X-Verdict-Age (seconds) is sent with a verdict older than 24 hours.`,
    lowestTier: 'free',
    params: z.object({ address: addressInput }).strict(),
    query: nothing,
    response: envelopeA(tokenDetailSchema),
    successes: { 200: 'The token' },
    errors: [400, 401, 404, 429, 500, 503],
    example: { success: true, data: exampleDetail, timestamp: EXAMPLE_TIME },
    handle: async ({ params, nowMs }) => {
      const verdict = await tokens.findRecent(params.address);
      if (!verdict) throw notFound('not analysed yet: POST /tokens/analyze');
      const ageS = Math.floor((nowMs - verdict.analyzedAtMs) / 1000);
      return {
        json: `{"success":true,"data":${detailText(verdict)},"timestamp":"${isoTime(nowMs)}"}`,
        version: `${verdictVersion(verdict)}.${verdict.clusterId ?? ''}`,
        ...(ageS > VERDICT_OLD_S ? { headers: { 'X-Verdict-Age': String(ageS) } } : {}),
      };
    },
  });
