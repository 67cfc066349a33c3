import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One call of a JSON-RPC request. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
/**
 * How a provider refuses `eth_getLogs` over too many blocks: writes its answer to a request that holds `call`.
 * @param others answers to the other calls of the request
 */
type Refuse = (
  response: ServerResponse,
  call: Call,
  calls: readonly Call[],
  others: readonly object[],
) => void;

const write = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { 'content-type': type }).end(body);
};
const json = (response: ServerResponse, body: unknown, status = 200): void =>
  write(response, status, 'application/json', JSON.stringify(body));

const HTML = '<html><body>Request entity too large</body></html>';
const rangeOf = ({ params: [filter] }: Call): { fromBlock: string; toBlock: string } =>
  filter as { fromBlock: string; toBlock: string };

/** What providers were reported to do, by what it is called. */
export const REFUSALS: Readonly<Record<string, Refuse>> = {
  'an unknown error': (response, _call, calls) => {
    const error = { code: -32001, message: 'resource not found' };
    const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
    json(response, calls.length === 1 ? answers[0] : answers);
  },
  'answers null': (response, { id }, _calls, others) =>
    json(response, [...others, { jsonrpc: '2.0', id, result: null }]),
  'an error without id': (response) =>
    json(response, { jsonrpc: '2.0', error: { code: -32005, message: 'failed' } }),
  'HTTP 413 with JSON': (response) => json(response, { error: 'payload too large' }, 413),
  'HTML with HTTP 200': (response) => write(response, 200, 'text/html', HTML),
  'cut off inside the answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
    response.write('[{"jsonrpc":"2.0","id":1,"result":[{"address":"0x', () => response.destroy());
  },
  'an answer that ends too early': (response) =>
    write(response, 200, 'application/json', '[{"jsonrpc":"2.0","id":1,"result":[{"addr'),
  'no answer': () => undefined,
};

const HEADERS = { 'content-type': 'application/json' };

/** A node that refuses wide ranges. */
export interface RangeProxy {
  readonly url: string;
  /** Requests that asked for logs of a range so far, by what became of them. */
  readonly requests: { passed: number; refused: number };
  close(): void;
}

/** Starts a proxy in front of a node that refuses `eth_getLogs` over more than `blocksMax` blocks in its own way. */
export const startRangeProxy = async (
  target: string,
  refuse: Refuse,
  blocksMax: number,
): Promise<RangeProxy> => {
  const requests = { passed: 0, refused: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const logs = calls.find(({ method, params: [filter] }) => {
      return method === 'eth_getLogs' && (filter as { fromBlock?: string }).fromBlock !== undefined;
    });
    if (logs) {
      const { fromBlock, toBlock } = rangeOf(logs);
      const isRefused = Number(toBlock) - Number(fromBlock) + 1 > blocksMax;
      requests[isRefused ? 'refused' : 'passed'] += 1;
      if (isRefused) {
        const rest = JSON.stringify(calls.filter((call) => call !== logs));
        const others = await fetch(target, { method: 'POST', headers: HEADERS, body: rest });
        refuse(response, logs, calls, (await others.json()) as object[]);
        return;
      }
    }
    const answered = await fetch(target, { method: 'POST', headers: HEADERS, body });
    write(response, answered.status, 'application/json', await answered.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
