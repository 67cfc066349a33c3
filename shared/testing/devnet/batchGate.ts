/**
 * Holds back the parts of a batch after they have sent their transactions and before they ask for
 * receipts, so that the block between the two can be mined once for all.
 */
export const createBatchGate = () => {
  let arrivals = 0;
  let onArrival = (): void => undefined;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });

  const arrive = async (): Promise<void> => {
    arrivals += 1;
    onArrival();
    await opened;
  };

  /** Resolves when every part waits at the gate, or rejects as soon as one part has failed. */
  const allArrived = async (parts: readonly Promise<unknown>[]): Promise<void> => {
    const complete = new Promise<void>((resolve) => {
      onArrival = () => {
        if (arrivals >= parts.length) resolve();
      };
    });
    onArrival();
    await Promise.race([complete, failureOf(parts)]);
  };

  return { arrive, allArrived, open };
};

/** Never resolves: it only carries the first rejection. */
const failureOf = async (parts: readonly Promise<unknown>[]): Promise<never> => {
  await Promise.all(parts);
  return new Promise<never>(() => undefined);
};
