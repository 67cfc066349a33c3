import type { Clock } from '../clock.ts';
import { isReverted, type RpcCall, type RpcOutcome } from './jsonRpc.ts';
import { nodeFailure } from './nodeFailure.ts';
import { RpcError, type RpcFailure } from './rpcError.ts';

/** Receives the metrics of nodes. */
export interface NodeMeter {
  called(method: string): void;
  /** `reverted`: the called contract reverted. */
  failed(node: string, method: string, kind: RpcFailure | 'reverted'): void;
  /** One HTTP request ended, successfully or not. */
  exchanged(node: string, tookMs: number): void;
}

/** One HTTP request to a node with its answer. */
type Exchange = (calls: readonly RpcCall[], timeoutMs?: number) => Promise<RpcOutcome[]>;

const kindOf = (
  outcome: Extract<RpcOutcome, { ok: false }>,
  { method, params }: RpcCall,
  node: string,
): RpcFailure | 'reverted' => {
  if (isReverted(outcome)) return 'reverted';
  const [filter] = params as readonly { fromBlock?: string; toBlock?: string }[];
  const isOfSeveralBlocks = method === 'eth_getLogs' && filter?.fromBlock !== filter?.toBlock;
  return nodeFailure(outcome, node, isOfSeveralBlocks).failure;
};

/** Counts the calls of an exchange by outcome, without changing it. */
export const meterCalls =
  (exchange: Exchange, node: string, clock: Clock, meter: NodeMeter): Exchange =>
  async (calls, timeoutMs) => {
    const startedMs = clock.now();
    for (const { method } of calls) meter.called(method);
    try {
      const outcomes = await exchange(calls, timeoutMs);
      for (const [i, call] of calls.entries()) {
        const outcome = outcomes[i];
        if (outcome && !outcome.ok) meter.failed(node, call.method, kindOf(outcome, call, node));
      }
      return outcomes;
    } catch (error) {
      if (error instanceof RpcError) {
        for (const { method } of calls) meter.failed(node, method, error.failure);
      }
      throw error;
    } finally {
      meter.exchanged(node, clock.now() - startedMs);
    }
  };
