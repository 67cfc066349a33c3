import type { RpcOutcome } from './jsonRpc.ts';
import { RpcError, type RpcFailure } from './rpcError.ts';

const RATE_LIMIT =
  /rate.?limit|too many requests|request limit|requests? per|compute units|throttl|capacity exceeded|429/i;
const METHOD_MISSING =
  /method.{0,60}(?:not found|not exist|not supported|not available|unsupported|not whitelisted|disabled)|unsupported method|unknown method/i;
const METHOD_NOT_FOUND_CODE = -32601;
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32029, -32097]);

/**
 * Classifies an error from a node. Providers refuse overly wide ranges in countless wordings, so any error for
 * several blocks means that fewer are requested.
 * @param isOfSeveralBlocks whether the request was `eth_getLogs` over several blocks
 */
export const nodeFailure = (
  { code, message }: Extract<RpcOutcome, { ok: false }>,
  endpoint: string,
  isOfSeveralBlocks = false,
): RpcError => {
  const failed = (failure: RpcFailure): RpcError =>
    new RpcError(failure, endpoint, `error ${code}: ${message}`);
  if (RATE_LIMIT_CODES.has(code) || RATE_LIMIT.test(message)) return failed('rateLimited');
  if (code === METHOD_NOT_FOUND_CODE) return failed('methodMissing');
  if (isOfSeveralBlocks) return failed('rangeTooLarge');
  return failed(METHOD_MISSING.test(message) ? 'methodMissing' : 'node');
};
