/** Buckets for work inside the service, seconds: from a look-up in memory to a time-out. */
export const WORK_SECONDS: number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Buckets for the time from a block to what follows from it, seconds. */
export const LATENCY_SECONDS: number[] = [
  0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 15, 20, 30, 60, 120, 300, 600,
];
