/** How far facts were behind the present when they were stored. */
export interface Behind {
  /** Blocks that the chain is ahead of them. */
  readonly lagBlocks: number;
  /** Milliseconds since they were read from the node. */
  readonly lateMs: number;
}

/** Blocks behind the head from which the node's state of now says nothing about the facts at hand. */
const LIVE_LAG_BLOCKS_MAX = 32;
/** From this age on facts, and verdicts that nobody was told of, are of the past, milliseconds. */
export const NEWS_AGE_MS_MAX = 3_600_000;

/** Whether facts reach the head of the chain, as far as the node had shown it when they were read. */
export const isAtHead = ({ lagBlocks }: Behind): boolean => lagBlocks <= LIVE_LAG_BLOCKS_MAX;

/**
 * Whether verdicts on facts are news. Old verdicts must not alert anybody: those made while a scorer catches up with
 * the chain, or with a stream that filled while it was away, are stored and nobody is told.
 */
export const isNews = (behind: Behind): boolean =>
  isAtHead(behind) && behind.lateMs <= NEWS_AGE_MS_MAX;
