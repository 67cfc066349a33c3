/**
 * Runs tasks concurrently until `signal` aborts or one of them ends, which aborts the others. Resolves when all have
 * ended. @throws the error of the first that failed.
 */
export const runConcurrently = async (
  start: (signal: AbortSignal) => Promise<void>[],
  signal: AbortSignal,
): Promise<void> => {
  const ended = new AbortController();
  const running = start(AbortSignal.any([signal, ended.signal])).map((task) =>
    task.finally(() => ended.abort()),
  );
  try {
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
};
