import { setTimeout as delay } from 'node:timers/promises';

/** What a poll ended with. `lastSeen` says what was there when the time was over. */
export type Polled<T> =
  | { kind: 'found'; value: T; atMs: number }
  | { kind: 'missing'; lastSeen: string };

/** What one look at the API shows: the value waited for, or what is there instead. */
export type Look<T> = { value: T } | { instead: string };

/** Fine steps while an answer is due, coarse ones after: an API key may ask 1,000 times a minute. */
const FINE_STEP_MS = 25;
const FINE_FOR_MS = 1_000;
const COARSE_STEP_MS = 250;

/**
 * Looks until the value is there or the time is over, and says when it was seen (milliseconds
 * since 1970). A look that throws counts as one that shows the error.
 */
export const pollUntil = async <T>(
  look: () => Promise<Look<T>>,
  timeoutMs: number,
): Promise<Polled<T>> => {
  const startMs = Date.now();
  for (;;) {
    const seen = await look().catch((error: unknown) => ({ instead: messageOf(error) }));
    const nowMs = Date.now();
    if ('value' in seen) return { kind: 'found', value: seen.value, atMs: nowMs };
    if (nowMs - startMs >= timeoutMs) return { kind: 'missing', lastSeen: seen.instead };
    await delay(nowMs - startMs < FINE_FOR_MS ? FINE_STEP_MS : COARSE_STEP_MS);
  }
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
