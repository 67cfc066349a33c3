/**
 * Runs parts of one role side by side until `signal` aborts or one of them ends, which ends the others.
 * Resolves when all have ended. @throws what the first that failed threw.
 */
export const runTogether = async (
  start: (signal: AbortSignal) => Promise<void>[],
  signal: AbortSignal,
): Promise<void> => {
  const ended = new AbortController();
  const running = start(AbortSignal.any([signal, ended.signal])).map((part) =>
    part.finally(() => ended.abort()),
  );
  try {
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
};
