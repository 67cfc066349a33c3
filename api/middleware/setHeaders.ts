import type { ServerResponse } from 'node:http';

/**
 * Sets headers of an answer that has not begun. Koa's own `set` goes through three functions for each header,
 * which is felt with the dozen that every answer carries.
 */
export const setHeaders = (
  { res }: { readonly res: ServerResponse },
  headers: Readonly<Record<string, string>>,
): void => {
  if (res.headersSent) return;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
};
