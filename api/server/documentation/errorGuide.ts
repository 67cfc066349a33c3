import { ERROR_CODES, type ErrorCode, errorPath } from '../apiError.ts';
import { codeExample } from './errorExamples.ts';

/** What happened where an error has this status and code, and what a caller does about it. */
interface ErrorAdvice {
  readonly status: number;
  /** None for 403, which says what is needed in fields of its own. */
  readonly code: ErrorCode | undefined;
  readonly cause: string;
  readonly remedy: string;
}

const ADVICE: readonly (readonly [number, ErrorCode | undefined, string, string])[] = [
  [
    400,
    'REQ_001',
    'a field is invalid; `details` names each with what is allowed',
    'correct the request',
  ],
  [400, 'REQ_002', 'a field is missing', 'add it'],
  [401, 'AUTH_001', 'the key is missing, unknown or revoked', 'send a valid key'],
  [401, 'AUTH_002', 'the key has expired', 'create a new key'],
  [
    403,
    undefined,
    'the tier does not include this, or a list is full',
    'see `required_tier` and `upgrade`',
  ],
  [404, 'RES_001', 'it does not exist, or is not yours', 'for a token: analyse it first'],
  [
    409,
    'RES_002',
    'it exists already, or the first request with this Idempotency-Key is still running',
    'read it, or wait',
  ],
  [413, 'REQ_001', 'the body is larger than 256 KiB', 'send less'],
  [415, 'REQ_001', 'the body is not JSON', 'send `Content-Type: application/json`'],
  [422, 'REQ_001', 'the Idempotency-Key was used with another body', 'use another key'],
  [
    429,
    'AUTH_003',
    'a quota is used up, or too many requests run at once',
    'wait `Retry-After` seconds',
  ],
  [500, 'SYS_001', 'an error in the service', 'report `request_id`'],
  [
    503,
    'SYS_002',
    'a part of the service is unavailable or busy',
    'try again after `Retry-After` seconds',
  ],
];

const ERROR_ADVICE: readonly ErrorAdvice[] = ADVICE.map(([status, code, cause, remedy]) => ({
  status,
  code,
  cause,
  remedy,
}));

/** The errors of the API as a table in Markdown; each code leads to its place on the page of errors. */
export const errorTable = (baseUrl: string): string =>
  [
    '| status | code | what happened | what to do |',
    '| --- | --- | --- | --- |',
    ...ERROR_ADVICE.map(({ status, code, cause, remedy }) => {
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
  const rows = ERROR_ADVICE.filter((advice) => advice.code === code);
  const name = code ?? 'insufficient_tier';
  const example = codeExample(code, baseUrl);
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

/** What the page of errors shows: for each code its causes, what to do, and an example. */
export const errorSections = (baseUrl: string): string =>
  [...ERROR_CODES, undefined].map((code) => section(code, baseUrl)).join('\n');
