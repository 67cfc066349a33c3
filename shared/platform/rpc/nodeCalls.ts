import type { Hex } from '../../chain/block.ts';
import type { Endpoint } from './endpoint.ts';
import { isReverted, type RpcCall, type RpcOutcome } from './jsonRpc.ts';
import { nodeFailure } from './nodeFailure.ts';
import { RpcError } from './rpcError.ts';

/** A number as a hexadecimal quantity. */
export const hex = (value: number): Hex => `0x${value.toString(16)}`;
/** Requests a block by height or tag. */
export const blockCall = (id: number | string, full: boolean): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof id === 'number' ? hex(id) : id, full],
});
/** Requests all receipts of a block. */
export const receiptsCall = (number: number): RpcCall => ({
  method: 'eth_getBlockReceipts',
  params: [hex(number)],
});

/** The result of a call. @throws RpcError classified by the node's error. */
export const resultOf = (
  outcome: RpcOutcome | undefined,
  endpoint: Endpoint,
  isOfSeveralBlocks = false,
): unknown => {
  if (!outcome) throw new RpcError('answer', endpoint.name, 'an answer is missing');
  if (outcome.ok) return outcome.result;
  const failure = nodeFailure(outcome, endpoint.name, isOfSeveralBlocks);
  if (failure.failure === 'rateLimited') endpoint.penalize(failure);
  throw failure;
};

/**
 * For callers that treat an error as an answer: a call that was not executed says nothing about a contract.
 * @throws RpcError `rateLimited` if the node refused any call of a batch because of its rate limit.
 */
export const demandAnswers = (outcomes: RpcOutcome[], endpoint: Endpoint): RpcOutcome[] => {
  for (const outcome of outcomes) {
    if (outcome.ok || isReverted(outcome)) continue;
    const failure = nodeFailure(outcome, endpoint.name);
    if (failure.failure !== 'rateLimited') continue;
    endpoint.penalize(failure);
    throw failure;
  }
  return outcomes;
};

/** Marks a node whose answer could not be true; it is asked last for a while. */
export const penalizing = async <T>(endpoint: Endpoint, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError && error.failure === 'answer') endpoint.penalize(error);
    throw error;
  }
};

/** Records a block that a node has reported. */
export const seen = (endpoint: Endpoint, number: number): void => {
  endpoint.height = Math.max(endpoint.height, number);
};
