import { type AppPorts, createApp } from '../server/app.ts';
import { listen } from '../server/listen.ts';

/** Differences of a test's request from a plain GET. */
export interface RequestOptions {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

/** An answer, its JSON parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
  readonly text: string;
}

/** One request to a server at `baseUrl`. */
export const request = async (
  baseUrl: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> => {
  const { method = 'GET', key, headers = {}, body } = options;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  // A stream has no end to wait for.
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : undefined,
    text,
  };
};

/** An application on a free port. */
export const startApp = async (ports: AppPorts) => {
  const listening = await listen(createApp(ports), { host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${listening.port}`;
  return {
    baseUrl,
    port: listening.port,
    call: (path: string, options?: RequestOptions) => request(baseUrl, path, options),
    close: () => {
      listening.server.closeAllConnections();
      return listening.close();
    },
  };
};
