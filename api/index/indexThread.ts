import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IndexAnswer, IndexCall } from './indexWorker.ts';
import type { OpenIndex } from './openIndex.ts';

type Method = keyof OpenIndex;
type Argument<M extends Method> = Parameters<OpenIndex[M]>[0];
type Result<M extends Method> = ReturnType<OpenIndex[M]>;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An index in a thread of its own, so that no search delays other requests. */
export interface IndexThread {
  /** Rejects when the thread has ended or cannot read. */
  call<M extends Method>(method: M, argument: Argument<M>): Promise<Result<M>>;
  hasEnded(): boolean;
  close(): Promise<void>;
}

const EXTENSION = extname(import.meta.url);
const PROGRAM = new URL(`./indexWorker${EXTENSION}`, import.meta.url);

/**
 * MiB for young objects, of which the thread creates few; it would inherit several times as much from the process.
 */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

/**
 * The worker runs in the same way as this file: compiled, or through tsx, which threads of Node 20 do not inherit.
 */
const startWorker = (): Worker =>
  EXTENSION === '.js'
    ? new Worker(PROGRAM, { resourceLimits: LIMITS })
    : new Worker(
        `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => {
           register();
           return import('${PROGRAM.href}');
         });`,
        { eval: true, resourceLimits: LIMITS },
      );

/** Starts an empty index. */
export const startIndexThread = async (): Promise<IndexThread> => {
  const worker = startWorker();
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on('message', ({ id, result, error }: IndexAnswer) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => end(new Error(`the thread of the index ended with ${code}`)));
  await once(worker, 'online');
  return {
    call: <M extends Method>(method: M, argument: Argument<M>) =>
      new Promise<Result<M>>((resolve, reject) => {
        if (ended) {
          reject(ended);
          return;
        }
        calls += 1;
        waiting.set(calls, { resolve: (result) => resolve(result as Result<M>), reject });
        worker.postMessage({ id: calls, method, argument } satisfies IndexCall);
      }),
    hasEnded: () => ended !== undefined,
    close: async () => {
      await worker.terminate();
    },
  };
};
