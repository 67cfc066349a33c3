import type { RpcOutcome } from './jsonRpc.ts';
import { RpcError } from './rpcError.ts';

/** What providers say when a range of `eth_getLogs` holds too many blocks or too many logs. */
const TOO_LARGE: readonly RegExp[] = [
  /block range/i,
  /range (?:is )?(?:too|limit|exceed)/i,
  /exceed\w* (?:the )?(?:max\w*|limit|range|allowed)/i,
  /too many (?:blocks|logs|results)/i,
  /more than [\d,]+ (?:results|logs|blocks)/i,
  /(?:response|result|body|payload|log\w*)[^.]{0,30}(?:size|too large|too big)/i,
  /(?:limited to|up to|maximum|at most)[^.]{0,20}\d[\d,]*k? ?blocks?/i,
  /query (?:timeout|timed out|exceed)/i,
  /logs? (?:are|is) limited/i,
  /limited to [^.]{0,20}range/i,
  /narrow (?:down )?(?:your|the) (?:filter|range|query)/i,
];

const SUGGESTED = /\[\s*(0x[0-9a-f]+|\d+)\s*(?:,|-)\s*(0x[0-9a-f]+|\d+)\s*\]/i;
const SUGGESTED_BARE = /range (?:of )?(\d+) ?- ?(\d+)/i;
const ALLOWED: readonly RegExp[] = [
  /(?:0 ?- ?)([\d,]+)(k?) ?blocks?/i,
  /up to (?:a )?([\d,]+)(k?) ?-?blocks?/i,
  /(?:limited to|at most|maximum(?: of| is set to| allowed is| is)?|max(?:imum)? is|less than|under|within)(?: a)? ?:?\s*([\d,]+)(k?)/i,
  /(?:max(?:imum)?(?: allowed)? (?:block )?range|range limit|block range limit|limit)(?: is| of| exceeded)?[^\d]{0,12}([\d,]+)(k?)/i,
  /(?:exceeds?|more than|greater than|over|larger than)[^\d]{0,30}([\d,]+)(k?)(?: ?blocks?| max)/i,
  /([\d,]+)(k?)[ -]?blocks? (?:range|limit|max)/i,
];

const numberIn = (text: string): number => Number(text.replaceAll(',', ''));

/** Blocks a provider's error allows; undefined where it names none. */
const allowedBlocks = (message: string): number | undefined => {
  const suggested = SUGGESTED.exec(message) ?? SUGGESTED_BARE.exec(message);
  if (suggested?.[1] && suggested[2]) {
    const blocks = Number(suggested[2]) - Number(suggested[1]) + 1;
    if (blocks > 0) return blocks;
  }
  // A number in a text about results only is a number of logs.
  if (/results|logs/i.test(message) && !/block|range/i.test(message)) return undefined;
  for (const pattern of ALLOWED) {
    const found = pattern.exec(message);
    if (found?.[1]) {
      const blocks = numberIn(found[1]) * (found[2] ? 1000 : 1);
      if (blocks > 0) return blocks;
    }
  }
  return undefined;
};

/**
 * Reads a node's error to `eth_getLogs`. Undefined: it is not about the size of the range.
 * @param blocksAsked size of the refused range: an allowance not below it is no help and left out.
 */
export const readRangeHint = (
  message: string,
  blocksAsked: number,
): { blocksMax: number | undefined } | undefined => {
  if (!TOO_LARGE.some((pattern) => pattern.test(message))) return undefined;
  const allowed = allowedBlocks(message);
  return { blocksMax: allowed !== undefined && allowed < blocksAsked ? allowed : undefined };
};

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
