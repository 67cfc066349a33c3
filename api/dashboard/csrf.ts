import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token in every form: bound to a cookie of the browser, so that another site, which cannot read the page, cannot
 * forge one.
 */
export const csrfToken = (secret: string, cookie: string): string =>
  createHmac('sha256', secret).update(`csrf:${cookie}`).digest('base64url');

/** Whether a form came from a page of this service. */
export const isCsrfTokenRight = (secret: string, cookie: string, given: string): boolean => {
  const expected = Buffer.from(csrfToken(secret, cookie));
  const presented = Buffer.from(given);
  return expected.length === presented.length && timingSafeEqual(expected, presented);
};

/**
 * Whether a page of this service made a changing request, judged by the headers the browser sends. A browser that
 * sends none is refused.
 * @param allowed origins of this service: the configured one, and the one that the request names.
 */
export const isSameOrigin = (
  headers: { origin: string; fetchSite: string },
  allowed: readonly string[],
): boolean => {
  const { origin, fetchSite } = headers;
  if (fetchSite !== '' && fetchSite !== 'same-origin') return false;
  return origin === '' ? fetchSite === 'same-origin' : allowed.includes(origin);
};
