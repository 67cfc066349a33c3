/** What checks are about, in the order in which a buyer asks. */
export const TOPICS = ['selling', 'powers', 'liquidity', 'holders', 'creator', 'name'] as const;
export type Topic = (typeof TOPICS)[number];

/** What a check answers on pages. */
export interface CheckQuestion {
  readonly topic: Topic;
  /** The answer where the check passed. */
  readonly whenPassed: 'yes' | 'no';
  /** Whether it is about the hook of a pool, which is another contract than the token. */
  readonly isOfHook?: true;
  /** Its place among what speaks for a token where it passed, 1 being the strongest; absent where that says little. */
  readonly inFavour?: number;
  /** Whether its being unknown is a reason to wait. */
  readonly isAwaited?: true;
  /** Whether it is what one waits for where no check failed. */
  readonly isLastReason?: true;
}
