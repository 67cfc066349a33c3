/** Topics of checks, in the order in which a buyer asks. */
export const TOPICS = ['selling', 'powers', 'liquidity', 'holders', 'creator', 'name'] as const;
export type Topic = (typeof TOPICS)[number];

/** The question that a check answers on pages. */
export interface CheckQuestion {
  readonly topic: Topic;
  /** The answer if the check passed. */
  readonly whenPassed: 'yes' | 'no';
  /** Whether it is about the hook of a pool, which is a contract other than the token. */
  readonly isOfHook?: true;
  /**
   * Its rank among the evidence for a token if it passed, 1 being the strongest; absent if passing means little.
   */
  readonly inFavour?: number;
  /** Whether its being unknown is a reason to wait. */
  readonly isAwaited?: true;
  /** Whether it is the reason to wait if no check failed. */
  readonly isLastReason?: true;
}
