import type { Attempt } from '../../shared/webhooks/sendDelivery.ts';

/** Milliseconds before each retry: ten attempts in about 76 hours. */
const S = 1_000;
const MIN = 60 * S;
const HOUR = 60 * MIN;
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * S,
  5 * MIN,
  30 * MIN,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** A receiver that asks for a longer wait is retried earlier all the same. */
const RETRY_AFTER_MS_MAX = 24 * HOUR;
/** Random variation of a delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** Status of a receiver that no longer exists (RFC 9110 section 15.5.11). */
export const HTTP_GONE = 410;

/** What follows an attempt. */
export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'exhausted' }
  /** The receiver says that it no longer exists. */
  | { readonly kind: 'gone' };

/**
 * What follows attempt number `attempt` (from 1).
 * @param random evenly from 0 to 1.
 */
export const nextStep = (
  {
    isDelivered,
    httpStatus,
    retryAfterMs,
    isGone,
  }: Pick<Attempt, 'isDelivered' | 'httpStatus' | 'retryAfterMs' | 'isGone'>,
  attempt: number,
  random: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): NextStep => {
  if (isDelivered) return { kind: 'delivered' };
  if (isGone || httpStatus === HTTP_GONE) return { kind: 'gone' };
  const planned = delaysMs[attempt - 1];
  if (planned === undefined) return { kind: 'exhausted' };
  const jittered = planned * (1 + JITTER * (2 * random - 1));
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
  return { kind: 'retry', delayMs: Math.round(Math.max(jittered, asked)) };
};
