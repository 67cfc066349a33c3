/** The value below which a share of the samples lies, nearest rank. Samples must not be empty. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

/** `p50 / p95 / p99 / max` of milliseconds. */
export const summary = (samples: readonly number[]): string =>
  [0.5, 0.95, 0.99, 1].map((share) => percentile(samples, share).toFixed(0).padStart(5)).join(' /');
