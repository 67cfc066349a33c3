import { type FetchFromOptions, fetchFrom } from './fetchFrom.ts';

/**
 * A client of the dashboard that keeps cookies and fills in forms, as a browser without scripts does.
 * @param localAddress the address of this machine that it connects from; any where absent.
 */
export const createFormClient = (baseUrl: string, localAddress?: string) => {
  const cookies = new Map<string, string>();
  const take = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
  };
  const send = async (path: string, init: FetchFromOptions = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetchFrom(localAddress, new URL(path, baseUrl), {
      ...init,
      headers: { cookie, ...init.headers },
    });
    take(response);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get('location') ?? '',
      csrf: /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '',
    };
  };
  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    send(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(baseUrl).origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
  return {
    cookies,
    get: (path: string) => send(path),
    post,
    /** Opens a page with a form and sends it, filled in. */
    submit: async (page: string, fields: Readonly<Record<string, string>>, action = page) => {
      const { csrf } = await send(page);
      return post(action, { _csrf: csrf, ...fields });
    },
  };
};
export type FormClient = ReturnType<typeof createFormClient>;
