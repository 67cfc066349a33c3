import { parentPort } from 'node:worker_threads';
import { type OpenIndex, openIndex } from './openIndex.ts';

/** A call of the index in its thread. */
export interface IndexCall {
  readonly id: number;
  readonly method: keyof OpenIndex;
  readonly argument: unknown;
}

/** What a call came to. An error ends the thread instead. */
export interface IndexAnswer {
  readonly id: number;
  readonly result: unknown;
}

const index = openIndex() as Record<keyof OpenIndex, (argument: unknown) => unknown>;

parentPort?.on('message', ({ id, method, argument }: IndexCall) => {
  parentPort?.postMessage({ id, result: index[method](argument) } satisfies IndexAnswer);
});
