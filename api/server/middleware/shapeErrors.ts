import type { Middleware } from 'koa';
import type { ZodError, ZodIssue, ZodParsedType, ZodTypeAny } from 'zod';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { redactSecrets } from '../../../shared/platform/redactSecrets.ts';
import { isoTime } from '../../../shared/rules/isoTime.ts';
import {
  ApiError,
  type ErrorDetail,
  errorPath,
  invalidFields,
  invalidRequest,
  unavailable,
} from '../apiError.ts';
import { knownNames } from './knownNames.ts';
import type { RequestState } from './requestState.ts';

/** 500. */
export const internalError = (): ApiError =>
  new ApiError({
    status: 500,
    error: 'Internal server error',
    code: 'SYS_001',
    message: 'Something went wrong here; quote request_id when reporting it',
  });

/** Errors thrown by Koa and the router have a `status` that says whose fault they are. */
const isClientFault = (error: unknown): error is Error & { status: number } =>
  error instanceof Error &&
  'status' in error &&
  typeof error.status === 'number' &&
  error.status >= 400 &&
  error.status < 500;

/** The response for an error. Internals go to the log, never to the client. */
const refusalOf = (error: unknown, logger: Logger, requestId: string): ApiError => {
  if (error instanceof ApiError) return error;
  if (error instanceof RetryableError) {
    logger.warn({ requestId, err: error }, 'dependency away');
    return unavailable('A part of the service is not available; try again soon');
  }
  if (isClientFault(error)) {
    return invalidRequest('The request cannot be read', { status: error.status });
  }
  logger.error({ requestId, err: error }, 'request failed by a bug');
  return internalError();
};

/** The body of a refusal: one shape for all envelopes of the specification. */
export const errorBody = (
  { options }: ApiError,
  requestId: string,
  nowMs: number,
): Record<string, unknown> => ({
  success: false,
  error: options.error,
  ...(options.code ? { code: options.code } : {}),
  message: options.message,
  ...options.fields,
  ...(options.details ? { details: options.details } : {}),
  timestamp: isoTime(nowMs),
  request_id: requestId,
});

/** Turns any thrown value into the error envelope. */
export const shapeErrors =
  ({ logger, now }: { logger: Logger; now: () => number }): Middleware<RequestState> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalOf(error, logger, ctx.state.requestId);
      ctx.status = refusal.options.status;
      ctx.remove('ETag');
      ctx.set({ ...refusal.options.headers });
      ctx.append('Link', `<${errorPath(refusal.options.code)}>; rel="help"`);
      ctx.body = errorBody(refusal, ctx.state.requestId, now());
    }
  };

/** Maximum details of one response; a body with thousands of wrong fields is not repeated in full. */
const DETAILS_MAX = 20;
const NAME_LENGTH_MAX = 64;

/** Of each part of a request. */
type Parts<T> = { readonly [Part in 'params' | 'query' | 'body']?: T | undefined };

/** Errors found by the router, by part of the request. */
export type InvalidParts = Parts<ZodError>;

const shorten = (name: string): string => redactSecrets(name.slice(0, NAME_LENGTH_MAX));

const isMissing = (issue: ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.received === 'undefined';

/** The name of a JSON type in plain English. */
const withArticle = (type: ZodParsedType): string => {
  if (type === 'null' || type === 'nan') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
};

/** What is wrong with a value, in the words of this API. */
const messageOf = (issue: ZodIssue): string => {
  if (isMissing(issue)) return 'is required';
  if (issue.code === 'invalid_enum_value' || issue.code === 'invalid_union_discriminator') {
    return `must be one of ${issue.options.join(', ')}`;
  }
  if (issue.code === 'invalid_union') {
    const issues = issue.unionErrors.flatMap(({ issues: [first] }) => first ?? []);
    return [...new Set(issues.map(messageOf))].join(', or ');
  }
  if (issue.code === 'invalid_type') {
    return `must be ${withArticle(issue.expected)}, not ${withArticle(issue.received)}`;
  }
  return issue.message
    .replace(/^(String|Number|Array) /, '')
    .replace(
      /(\d+) (\w+)\(s\)/,
      (_, n: string, noun: string) => `${n} ${noun}${n === '1' ? '' : 's'}`,
    )
    .replace('less than or equal to', '<=')
    .replace('greater than or equal to', '>=');
};

/** A parameter given twice is parsed as an array; no parameter takes one. */
const isRepeated = (issue: ZodIssue, part: ErrorDetail['in']): boolean =>
  part === 'query' && issue.code === 'invalid_type' && issue.received === 'array';

/** The message for a name that the schema does not have; lists the names it has. */
const unknownName = (
  part: ErrorDetail['in'],
  schema: ZodTypeAny | undefined,
  path: readonly (string | number)[],
): string => {
  const noun = part === 'body' ? 'field' : 'parameter';
  const known = schema && knownNames(schema, path);
  if (!known) return `is not a known ${noun}`;
  if (known.length === 0) return `is not a known ${noun}: there are none here`;
  return `is not a known ${noun}; known here: ${known.join(', ')}`;
};

const detailsOf = (
  issue: ZodIssue,
  part: ErrorDetail['in'],
  schema: ZodTypeAny | undefined,
): ErrorDetail[] => {
  // The caller wrote a parameter's list as one text, so its items have no name.
  const path = (part === 'query' ? issue.path.slice(0, 1) : issue.path).map(String).map(shorten);
  if (issue.code !== 'unrecognized_keys') {
    return [
      {
        in: part,
        path: path.join('.'),
        message: isRepeated(issue, part) ? 'must be given once' : messageOf(issue),
      },
    ];
  }
  return issue.keys.slice(0, DETAILS_MAX).map((key) => ({
    in: part,
    path: [...path, shorten(key)].join('.'),
    message: unknownName(part, schema, issue.path),
  }));
};

/**
 * The refusal for a request whose parts do not match their schemas: names every part.
 * @param schemas of the parts, where names are to be listed when one is unknown
 */
export const invalidInput = (invalid: InvalidParts, schemas: Parts<ZodTypeAny> = {}): ApiError => {
  const parts = [
    ['path', invalid.params, schemas.params],
    ['query', invalid.query, schemas.query],
    ['body', invalid.body, schemas.body],
  ] as const;
  const found = parts.flatMap(([part, error, schema]) =>
    (error?.issues ?? []).map((issue) => ({ part, issue, schema })),
  );
  const details = found
    .flatMap(({ part, issue, schema }) => detailsOf(issue, part, schema))
    .slice(0, DETAILS_MAX);
  const onlyMissing = found.every(({ issue }) => isMissing(issue));
  return invalidFields(details, { code: onlyMissing ? 'REQ_002' : 'REQ_001' });
};
