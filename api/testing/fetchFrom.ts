import { request } from 'node:http';

/** What a request of `fetchFrom` differs in from a plain GET. */
export interface FetchFromOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const ANSWER_MS_MAX = 60_000;

/** One request over a connection of its own from an address of this machine, such as 127.0.0.2; follows nothing. */
export const fetchFrom = (
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
