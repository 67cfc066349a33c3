import type { ZodError, ZodIssue } from 'zod';
import { withoutSecrets } from '../../shared/runtime/withoutSecrets.ts';
import { type ApiError, invalidRequest } from '../apiError.ts';
import type { ErrorDetail } from '../schema/errors.ts';

/** Details of one answer; a body of thousands of wrong fields is not repeated in full. */
const DETAILS_MAX = 20;
const NAME_LENGTH_MAX = 64;

/** What the router found wrong, by part of the request. */
export interface InvalidParts {
  readonly params?: ZodError | undefined;
  readonly query?: ZodError | undefined;
  readonly body?: ZodError | undefined;
}

const shorten = (name: string): string => withoutSecrets(name.slice(0, NAME_LENGTH_MAX));

const isMissing = (issue: ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.received === 'undefined';

const messageOf = (issue: ZodIssue): string => {
  if (isMissing(issue)) return 'is required';
  if (issue.code === 'invalid_enum_value') return `must be one of ${issue.options.join(', ')}`;
  if (issue.code === 'invalid_union') {
    const issues = issue.unionErrors.flatMap(({ issues: [first] }) => first ?? []);
    return [...new Set(issues.map(messageOf))].join(', or ');
  }
  if (issue.code !== 'invalid_type') return issue.message.replace(/^String /, '');
  return issue.received === 'array' && issue.expected === 'string'
    ? 'must be given once'
    : `must be ${issue.expected}, not ${issue.received}`;
};

const detailsOf = (issue: ZodIssue, part: ErrorDetail['in']): ErrorDetail[] => {
  const path = issue.path.map(String).map(shorten);
  if (issue.code !== 'unrecognized_keys') {
    return [{ in: part, path: path.join('.'), message: messageOf(issue) }];
  }
  const noun = part === 'body' ? 'field' : 'parameter';
  return issue.keys.slice(0, DETAILS_MAX).map((key) => ({
    in: part,
    path: [...path, shorten(key)].join('.'),
    message: `is not a known ${noun}`,
  }));
};

/** The refusal of a request whose parts do not match their schemas: names every part. */
export const invalidInput = (invalid: InvalidParts): ApiError => {
  const parts = [
    ['path', invalid.params],
    ['query', invalid.query],
    ['body', invalid.body],
  ] as const;
  const found = parts.flatMap(([part, error]) =>
    (error?.issues ?? []).map((issue) => ({ part, issue })),
  );
  const details = found.flatMap(({ part, issue }) => detailsOf(issue, part)).slice(0, DETAILS_MAX);
  const onlyMissing = found.every(({ issue }) => isMissing(issue));
  const message = details.map(({ path, message: text, in: part }) => `${path || part}: ${text}`);
  return invalidRequest(message.join('; '), {
    details,
    code: onlyMissing ? 'REQ_002' : 'REQ_001',
  });
};
