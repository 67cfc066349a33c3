import { RpcError } from './rpcError.ts';

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The outcome of one call. */
export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** Maximum characters kept of a node's error text. */
const MESSAGE_CHARS_MAX = 400;

/** The body of a request: an object for one call, an array for several. */
export const encodeCalls = (calls: readonly RpcCall[], firstId: number): string => {
  const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: firstId + i, ...call }));
  return JSON.stringify(requests.length === 1 ? requests[0] : requests);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const outcomeOf = (answer: Record<string, unknown>): RpcOutcome | undefined => {
  const error = answer['error'];
  if (error !== undefined && error !== null) {
    const fields = isObject(error) ? error : { message: JSON.stringify(error) };
    const details = [fields['message'], fields['data']].filter((part) => typeof part === 'string');
    const code = Number(fields['code'] ?? 0);
    return { ok: false, code, message: details.join(' ').slice(0, MESSAGE_CHARS_MAX) };
  }
  return 'result' in answer ? { ok: true, result: answer['result'] } : undefined;
};

/** The node refuses batches, so calls are sent one by one. */
export class BatchRefused extends Error {}

const REFUSED_CODES: ReadonlySet<number> = new Set([-32600, -32700]);

const parse = (body: string, endpoint: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new RpcError('answer', endpoint, 'answer is not JSON');
  }
};

/**
 * Matches answers to calls by id, in any order.
 * @throws RpcError `answer` if it is not JSON-RPC or an id is wrong, missing or repeated; BatchRefused if the node
 * accepts no batches.
 */
export const readOutcomes = (
  body: string,
  firstId: number,
  count: number,
  endpoint: string,
): RpcOutcome[] => {
  const parsed = parse(body, endpoint);
  if (isObject(parsed) && count > 1) {
    const outcome = outcomeOf(parsed);
    if (!outcome || outcome.ok) throw new BatchRefused('one answer to a batch');
    if (/batch/i.test(outcome.message) || REFUSED_CODES.has(outcome.code)) {
      throw new BatchRefused(outcome.message);
    }
    return Array.from({ length: count }, () => outcome);
  }
  const answers: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const outcomes = Array.from({ length: count }, (): RpcOutcome | undefined => undefined);
  for (const answer of answers) {
    if (!isObject(answer)) throw new RpcError('answer', endpoint, 'answer is no JSON-RPC object');
    const outcome = outcomeOf(answer);
    const at = Number(answer['id']) - firstId;
    const anonymous = count === 1 && (answer['id'] === null || answer['id'] === undefined);
    const index = anonymous && outcome?.ok === false ? 0 : at;
    if (!outcome || !(index in outcomes) || outcomes[index]) {
      throw new RpcError('answer', endpoint, 'answer with a wrong id or without a result');
    }
    outcomes[index] = outcome;
  }
  return outcomes.map((outcome) => {
    if (!outcome) throw new RpcError('answer', endpoint, 'answer misses a call of the batch');
    return outcome;
  });
};

/** A revert carries text chosen by the contract. */
const REVERTED_CODE = 3;
const REVERTED = /revert/i;

/** Whether a call failed because the called contract reverted: that is an answer, not a failure of the node. */
export const isReverted = (outcome: Extract<RpcOutcome, { ok: false }>): boolean =>
  outcome.code === REVERTED_CODE || REVERTED.test(outcome.message);
