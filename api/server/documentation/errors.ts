import {
  type ApiError,
  conflict,
  ERROR_CODES,
  type ErrorCode,
  errorPath,
  insufficientTier,
  invalidRequest,
  notFound,
  unauthorized,
  unavailable,
} from '../apiError.ts';
import type { ErrorStatus } from '../endpoint.ts';
import { quotaExceeded } from '../middleware/authenticate.ts';
import { errorBody, internalError } from '../middleware/shapeErrors.ts';
import { EXAMPLE_TIME } from './examples.ts';

const EXAMPLE_REQUEST_ID = '01KAJ3Q7T4V2M9S0Z8Y6X5W4R3';

const isMissing = { in: 'body', path: 'address', message: 'is required' } as const;
const isUnknown = {
  in: 'query',
  path: 'colour',
  message: 'is not a known parameter; known here: limit, offset',
} as const;

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

/** The cause of an error with this status and code, what the caller should do, and an example. */
interface KnownError {
  readonly status: ErrorStatus;
  /** None for 403, which states in fields of its own what is required. */
  readonly code: ErrorCode | undefined;
  readonly cause: string;
  readonly remedy: string;
  readonly example: (plansUrl: string) => ApiError;
}

const KNOWN_ERRORS: readonly KnownError[] = [
  {
    status: 400,
    code: 'REQ_001',
    cause: 'a field is invalid; `details` names each with what is allowed',
    remedy: 'correct the request',
    example: () => invalidRequest(`colour: ${isUnknown.message}`, { details: [isUnknown] }),
  },
  {
    status: 400,
    code: 'REQ_002',
    cause: 'a field is missing',
    remedy: 'add it',
    example: () =>
      invalidRequest('address: is required', { code: 'REQ_002', details: [isMissing] }),
  },
  {
    status: 401,
    code: 'AUTH_001',
    cause: 'the key is missing, unknown or revoked',
    remedy: 'send a valid key',
    example: () => unauthorized('The API key is malformed, unknown or revoked', 'AUTH_001'),
  },
  {
    status: 401,
    code: 'AUTH_002',
    cause: 'the key has expired',
    remedy: 'create a new key',
    example: () => unauthorized('The API key has expired', 'AUTH_002'),
  },
  {
    status: 403,
    code: undefined,
    cause: 'the tier does not include this, or a list is full',
    remedy: 'see `required_tier` and `upgrade`',
    example: (upgradeUrl) =>
      insufficientTier({
        message: 'This operation needs tier pro or higher',
        tier: 'free',
        requiredTier: 'pro',
        upgradeUrl,
      }),
  },
  {
    status: 404,
    code: 'RES_001',
    cause: 'it does not exist, or is not yours',
    remedy: 'for a token: analyse it first',
    example: () => notFound('not analysed yet: POST /api/predict/{address}'),
  },
  {
    status: 409,
    code: 'RES_002',
    cause: 'it exists already, or the first request with this Idempotency-Key is still running',
    remedy: 'read it, or try again after `Retry-After` seconds, if there is one',
    example: () => conflict('already watched as item 41'),
  },
  {
    status: 413,
    code: 'REQ_001',
    cause: 'the body is larger than 256 KiB',
    remedy: 'send less',
    example: () => invalidRequest('body: must be at most 262144 bytes', { status: 413 }),
  },
  {
    status: 415,
    code: 'REQ_001',
    cause: 'the body is not JSON',
    remedy: 'send `Content-Type: application/json`',
    example: () =>
      invalidRequest('header: Content-Type must be application/json in UTF-8, not compressed', {
        status: 415,
      }),
  },
  {
    status: 422,
    code: 'REQ_001',
    cause: 'the Idempotency-Key was used with another body',
    remedy: 'use another key',
    example: () => invalidRequest('Idempotency-Key: was used with another body', { status: 422 }),
  },
  {
    status: 429,
    code: 'AUTH_003',
    cause: 'a quota is used up, or too many requests run at once',
    remedy: 'wait `Retry-After` seconds',
    example: quotaUsed,
  },
  {
    status: 500,
    code: 'SYS_001',
    cause: 'an error in the service',
    remedy: 'report `request_id`',
    example: internalError,
  },
  {
    status: 503,
    code: 'SYS_002',
    cause: 'a part of the service is unavailable or busy',
    remedy: 'try again after `Retry-After` seconds',
    example: () => unavailable('A part of the service is not available; try again soon'),
  },
];

const exampleBody = (error: KnownError, baseUrl: string): Record<string, unknown> =>
  errorBody(
    error.example(`${baseUrl}/dashboard/plans`),
    EXAMPLE_REQUEST_ID,
    Date.parse(EXAMPLE_TIME),
  );

/** Meaning of an error status, and its body. */
export const errorWith = (
  status: ErrorStatus,
  baseUrl: string,
): { description: string; example: Record<string, unknown> } => {
  const known = KNOWN_ERRORS.filter((error) => error.status === status);
  const [first] = known;
  if (!first) throw new Error(`no error has status ${status}`);
  return {
    description: known.map(({ code, cause }) => (code ? `${code}: ${cause}` : cause)).join('. '),
    example: exampleBody(first, baseUrl),
  };
};

/** The errors of the API as a Markdown table; each code links to its section on the errors page. */
export const errorTable = (baseUrl: string): string =>
  [
    '| status | code | what happened | what to do |',
    '| --- | --- | --- | --- |',
    ...KNOWN_ERRORS.map(({ status, code, cause, remedy }) => {
      const name = code === undefined ? '' : `[\`${code}\`](${baseUrl}${errorPath(code)})`;
      return `| ${status} | ${name} | ${cause} | ${remedy} |`;
    }),
  ].join('\n');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const marked = (text: string): string =>
  escaped(text).replace(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`);
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const section = (code: ErrorCode | undefined, baseUrl: string): string => {
  const rows = KNOWN_ERRORS.filter((error) => error.code === code);
  const name = code ?? 'insufficient_tier';
  const example = rows[0] ? exampleBody(rows[0], baseUrl) : {};
  return [
    `<section id="${name}"><h2><a href="#${name}"><code>${name}</code></a> ${escaped(String(example['error']))}</h2>`,
    '<ul>',
    ...rows.map(
      ({ status, cause, remedy }) =>
        `<li><strong>HTTP ${status}.</strong> ${marked(sentence(cause))} <em>What to do:</em> ${marked(remedy)}.</li>`,
    ),
    '</ul>',
    `<pre>${escaped(JSON.stringify(example, undefined, 2))}</pre></section>`,
  ].join('\n');
};

/** The errors page: for each code its causes, what to do, and an example. */
export const errorSections = (baseUrl: string): string =>
  [...ERROR_CODES, undefined].map((code) => section(code, baseUrl)).join('\n');
