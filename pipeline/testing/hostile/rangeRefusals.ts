import type { ServerResponse } from 'node:http';

/** One call of a JSON-RPC request. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
/**
 * How a provider refuses `eth_getLogs` over too many blocks: writes its answer to a request that contains `call`.
 * @param others answers to the other calls of the request
 */
export type Refuse = (
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

/** States the reason, as most do. */
export const refuseWith =
  (message: string): Refuse =>
  (response, { id }, calls, others) => {
    const refusal = { jsonrpc: '2.0', id, error: { code: -32_000, message } };
    json(response, calls.length === 1 ? refusal : [...others, refusal]);
  };

/** Reported behaviour of providers, by name. */
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
