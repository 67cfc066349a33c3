import type { RpcOutcome } from './jsonRpc.ts';
import { readRangeHint } from './rangeHint.ts';
import { RpcError } from './rpcError.ts';

const RATE_LIMIT =
  /rate.?limit|too many requests|request limit|requests? per|compute units|throttl|capacity exceeded|429/i;
const METHOD_MISSING =
  /method.{0,60}(?:not found|not exist|not supported|not available|unsupported|not whitelisted|disabled)|unsupported method|unknown method/i;
const METHOD_NOT_FOUND_CODE = -32601;
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32029, -32097]);

/**
 * Classifies an error a node answered.
 * @param blocksAsked size of the range for `eth_getLogs` over a range, else undefined.
 */
export const nodeFailure = (
  outcome: Extract<RpcOutcome, { ok: false }>,
  endpoint: string,
  blocksAsked?: number,
): RpcError => {
  const detail = `error ${outcome.code}: ${outcome.message}`;
  if (RATE_LIMIT_CODES.has(outcome.code) || RATE_LIMIT.test(outcome.message)) {
    return new RpcError('rateLimited', endpoint, detail);
  }
  if (blocksAsked !== undefined) {
    const hint = readRangeHint(outcome.message, blocksAsked);
    if (hint) return new RpcError('rangeTooLarge', endpoint, detail, hint);
  }
  if (outcome.code === METHOD_NOT_FOUND_CODE || METHOD_MISSING.test(outcome.message)) {
    return new RpcError('methodMissing', endpoint, detail);
  }
  return new RpcError('node', endpoint, detail);
};
