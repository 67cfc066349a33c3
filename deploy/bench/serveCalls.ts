import type { ServerResponse } from 'node:http';
import { tokenAnswers } from '../../shared/testing/evmData.ts';

/** A call of JSON-RPC. */
export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const answerOf = (call: RpcCall, result: Buffer | undefined): Buffer[] => {
  const start = `{"jsonrpc":"2.0","id":${call.id},`;
  if (result) return [Buffer.from(`${start}"result":`), result, Buffer.from('}')];
  const error = { code: -32601, message: `the method ${call.method} does not exist` };
  return [Buffer.from(`${start}"error":${JSON.stringify(error)}}`)];
};

/** Answers one call or a batch with prepared texts. @param resultOf undefined for an unsupported method */
export const serveCalls = (
  response: ServerResponse,
  calls: RpcCall | readonly RpcCall[],
  resultOf: (call: RpcCall) => Buffer | undefined,
): void => {
  const isBatch = Array.isArray(calls);
  const parts = [calls]
    .flat()
    .flatMap((call, i) => [Buffer.from(i === 0 ? '' : ','), ...answerOf(call, resultOf(call))]);
  const whole = isBatch ? [Buffer.from('['), ...parts, Buffer.from(']')] : parts;
  const length = whole.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.cork();
  for (const part of whole) response.write(part);
  response.uncork();
  response.end();
};

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const ANSWERS = tokenAnswers('Synthetic', 'SYN', 2 ** 52);
/** Code with the selectors of an ERC-20, as long as that of a small token. */
const TOKEN_CODE = json(`0x60806040a9059cbb70a08231095ea7b3${'5b'.repeat(2_000)}`);

/** Answers of a node that knows only plain tokens, at every address: their code, and their results. */
export const resultOfToken = ({ method, params: [asked] }: RpcCall): Buffer | undefined => {
  if (method === 'eth_getCode') return TOKEN_CODE;
  if (method !== 'eth_call') return undefined;
  return json(ANSWERS[String((asked as { data?: string }).data)] ?? '0x');
};
