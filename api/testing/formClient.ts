import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch, type Response } from 'undici';
import { eventually } from './startApi.ts';

/** The password of every account created by a test. */
export const PASSWORD = 'Correct-Horse-7';

interface FormRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A dashboard client that keeps cookies and fills in forms, like a browser without scripts.
 * @param localAddress the local address from which it connects; any if absent.
 */
export const createFormClient = (baseUrl: string, localAddress?: string) => {
  const cookies = new Map<string, string>();
  // Every request uses a connection of its own.
  const dispatcher = new Agent({ pipelining: 0, ...(localAddress && { localAddress }) });
  const take = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
  };
  const send = async (path: string, init: FormRequest = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, baseUrl), {
      ...init,
      headers: { cookie, ...init.headers },
      redirect: 'manual',
      dispatcher,
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

/** Mails that a service under test wrote into a folder, oldest first. */
export const readMails = (folder: string): { to: string; subject: string; text: string }[] => {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => {
      const [head = '', ...body] = readFileSync(join(folder, name), 'utf8').split('\r\n\r\n');
      const field = (wanted: string): string =>
        new RegExp(`^${wanted}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
      return { to: field('To'), subject: field('Subject'), text: body.join('\r\n\r\n') };
    });
};

/** The link in a mail. */
export const linkIn = (text: string): string => /https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '';

/** The token in a mailed link. */
export const tokenIn = (text: string): string =>
  new URL(linkIn(text)).searchParams.get('token') ?? '';

/** Creates an account, whose mails are in the folder, and leaves the client signed in to it. */
export const signUp = async (
  client: FormClient,
  mailFolder: string,
  email: string,
): Promise<void> => {
  const mails = () => readMails(mailFolder).filter(({ to }) => to === email);
  const before = mails().length;
  await client.submit('/dashboard/sign-up', { email, password: PASSWORD });
  const found = await eventually(
    async () => mails(),
    ({ length }) => length > before,
  );
  const token = tokenIn(found.at(-1)?.text ?? '');
  const done = await client.submit(
    `/dashboard/confirm?token=${token}`,
    { token, password: PASSWORD },
    '/dashboard/confirm',
  );
  assert.equal(done.status, 303);
};
