import { tierIncludes } from '../../../shared/accounts/tier.ts';
import {
  type ApiError,
  conflict,
  type ErrorCode,
  insufficientTier,
  invalidRequest,
  notFound,
  unauthorized,
  unavailable,
} from '../apiError.ts';
import type { Endpoint, ErrorStatus } from '../endpoint.ts';
import { quotaExceeded } from '../middleware/authenticate.ts';
import { errorBody, internalError } from '../middleware/shapeErrors.ts';
import { EXAMPLE_TIME } from './examples.ts';

const EXAMPLE_REQUEST_ID = '01KAJ3Q7T4V2M9S0Z8Y6X5W4R3';

/** What is not found, by the first words of the path. */
const NOT_FOUND: readonly (readonly [RegExp, string])[] = [
  [/analyze/, 'no such analysis'],
  [/graph|network/, 'no such token in the index'],
  [/reports\/generate/, 'neither a token nor a known wallet'],
  [/reports/, 'no such report'],
  [/predict/, 'the token is gone: a reorganisation of the chain removed it'],
  [/token/, 'not analysed yet: POST /api/predict/{address}'],
  [/watchlist/, 'no such watchlist item'],
  [/wallet/, 'no such wallet in the index'],
  [/cluster/, 'no such cluster'],
  [/redeliver/, 'no such delivery'],
  [/webhooks/, 'no such webhook'],
  [/feedback/, 'no such feedback'],
  [/alerts/, 'no such alert'],
];

const quotaUsed = (plansUrl: string): ApiError =>
  quotaExceeded(
    {
      kind: 'limited',
      policy: 'minute',
      retryAfterS: 7,
      quota: {
        tier: 'free',
        dayLimit: 200,
        dayRemaining: 112,
        dayResetS: 0,
        minuteLimit: 10,
        minuteRemaining: 0,
        minuteResetS: 7,
        nowS: 0,
      },
    },
    plansUrl,
  );

const tierTooLow = (endpoint: Endpoint, plansUrl: string): ApiError => {
  const requiredTier = tierIncludes('free', endpoint.lowestTier) ? 'pro' : endpoint.lowestTier;
  const message = tierIncludes('free', endpoint.lowestTier)
    ? 'The list of this tier is full'
    : `This operation needs tier ${requiredTier} or higher`;
  return insufficientTier({ message, tier: 'free', requiredTier, upgradeUrl: plansUrl });
};

const unknownParameter = (): ApiError => {
  const message = 'is not a known parameter';
  return invalidRequest(`colour: ${message}`, {
    details: [{ in: 'query', path: 'colour', message }],
  });
};

type MakeError = (endpoint: Endpoint, plansUrl: string) => ApiError;

const ERRORS: Readonly<Record<ErrorStatus, MakeError>> = {
  400: unknownParameter,
  401: (_, plansUrl) => BY_CODE.AUTH_001(plansUrl),
  403: tierTooLow,
  404: ({ path }) => notFound(NOT_FOUND.find(([part]) => part.test(path))?.[1] ?? 'no such path'),
  409: ({ path }) =>
    path.endsWith('watchlist')
      ? conflict('already watched as item 41')
      : conflict('The first request with this Idempotency-Key is still running'),
  413: () => invalidRequest('body: must be at most 262144 bytes', { status: 413 }),
  415: () =>
    invalidRequest('header: Content-Type must be application/json in UTF-8, not compressed', {
      status: 415,
    }),
  422: () => invalidRequest('Idempotency-Key: was used with another body', { status: 422 }),
  429: (_, plansUrl) => quotaUsed(plansUrl),
  500: internalError,
  503: (_, plansUrl) => BY_CODE.SYS_002(plansUrl),
};

const BY_CODE: Readonly<Record<ErrorCode, (plansUrl: string) => ApiError>> = {
  AUTH_001: () => unauthorized('The API key is malformed, unknown or revoked', 'AUTH_001'),
  AUTH_002: () => unauthorized('The API key has expired', 'AUTH_002'),
  AUTH_003: quotaUsed,
  REQ_001: unknownParameter,
  REQ_002: () =>
    invalidRequest('address: is required', {
      code: 'REQ_002',
      details: [{ in: 'body', path: 'address', message: 'is required' }],
    }),
  RES_001: () => notFound('not analysed yet: POST /api/predict/{address}'),
  RES_002: () => conflict('already watched as item 41'),
  SYS_001: internalError,
  SYS_002: () => unavailable('A part of the service is not available; try again soon'),
};

const tierLacksOperation = (upgradeUrl: string): ApiError => {
  const message = 'This operation needs tier enterprise or higher';
  return insufficientTier({ message, tier: 'free', requiredTier: 'enterprise', upgradeUrl });
};

/** The body of an error with a code; of one without a code that of a tier that lacks something. */
export const codeExample = (
  code: ErrorCode | undefined,
  baseUrl: string,
): Record<string, unknown> => {
  const make = code === undefined ? tierLacksOperation : BY_CODE[code];
  return errorBody(
    make(`${baseUrl}/dashboard/plans`),
    EXAMPLE_REQUEST_ID,
    Date.parse(EXAMPLE_TIME),
  );
};

/** The body of an error that an operation can answer with. */
export const errorExample = (
  endpoint: Endpoint,
  status: ErrorStatus,
  baseUrl: string,
): Record<string, unknown> =>
  errorBody(
    ERRORS[status](endpoint, `${baseUrl}/dashboard/plans`),
    EXAMPLE_REQUEST_ID,
    Date.parse(EXAMPLE_TIME),
  );
