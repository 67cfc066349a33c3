import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token every form carries: bound to a cookie of the browser, so that another site, which cannot
 * read the page, cannot make one.
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
 * Whether a request that changes something was made by a page of this service, by what the browser
 * says of it. A browser that says nothing is refused.
 * @param allowed origins of this service: as configured, and as the request names it.
 */
export const isSameOrigin = (
  headers: { origin: string; fetchSite: string },
  allowed: readonly string[],
): boolean => {
  const { origin, fetchSite } = headers;
  if (fetchSite !== '' && fetchSite !== 'same-origin') return false;
  return origin === '' ? fetchSite === 'same-origin' : allowed.includes(origin);
};
