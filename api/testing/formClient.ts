import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

/** What a request of `fetchFrom` differs in from a plain GET. */
interface FetchFromOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const ANSWER_MS_MAX = 60_000;

/** One request over a connection of its own from an address of this machine, such as 127.0.0.2; follows nothing. */
const fetchFrom = (
  localAddress: string | undefined,
  url: URL,
  { method = 'GET', headers = {}, body }: FetchFromOptions = {},
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers,
      ...(localAddress === undefined ? {} : { localAddress }),
      agent: false,
    });
    sent.setTimeout(ANSWER_MS_MAX, () => sent.destroy(new Error('no answer in time')));
    sent.once('error', reject);
    sent.once('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        const text = chunks.length > 0 ? Buffer.concat(chunks) : null;
        resolve(new Response(text, { status: answer.statusCode ?? 0, headers: received }));
      });
    });
    sent.end(body);
  });

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

/** Mails a service under test wrote into a folder, oldest first. */
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
