import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../shared/platform/errors.ts';
import { INDEX_READS, type OpenIndex, openIndex } from './openIndex.ts';

/** A call of the index in its thread. */
export interface IndexCall {
  readonly id: number;
  readonly method: keyof OpenIndex;
  readonly argument: unknown;
}

/**
 * Result of a call. An error in a writing call ends the thread instead, because the state it leaves is unknown.
 */
export interface IndexAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

const READS: ReadonlySet<keyof OpenIndex> = new Set(INDEX_READS);
const index = openIndex() as Record<keyof OpenIndex, (argument: unknown) => unknown>;

const answerOf = ({ id, method, argument }: IndexCall): IndexAnswer => {
  try {
    return { id, result: index[method](argument) };
  } catch (error) {
    if (!READS.has(method)) throw error;
    return { id, error: errorMessage(error) };
  }
};

parentPort?.on('message', (call: IndexCall) => {
  parentPort?.postMessage(answerOf(call));
});
