import type { IncomingMessage } from 'node:http';
import { type ApiError, invalidRequest } from '../apiError.ts';

/**
 * Headers that say who sends a request, to whom and where a message ends: with two of them, a proxy and this service may
 * each believe another one (RFC 9110 section 5.3).
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-api-key',
  'idempotency-key',
  'content-type',
  'content-length',
  'transfer-encoding',
]);
/** `uri-host [":" port]` (RFC 9110 section 7.2), not empty: what is asked for here always has an authority. */
const HOST =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d{0,5})?$/;

const refusal = (name: string, message: string): ApiError =>
  invalidRequest(`header: ${name} ${message}`, {
    details: [{ in: 'header', path: name, message }],
  });

/** The refusal of headers that leave open whom they are for or from; undefined for good ones. */
export const headerRefusal = ({
  rawHeaders,
  headers,
  httpVersion,
}: IncomingMessage): ApiError | undefined => {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!SINGLE_HEADERS.has(lower)) continue;
    if (seen.has(lower)) return refusal(name, 'must be sent once');
    seen.add(lower);
  }
  const { host } = headers;
  if (host === undefined) {
    return httpVersion === '1.1' ? refusal('Host', 'is required') : undefined;
  }
  return HOST.test(host)
    ? undefined
    : refusal('Host', 'must be a host name with or without a port');
};
