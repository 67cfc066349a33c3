/*
 * Natural log-odds that a wallet is of the ring's hand. All are chosen by hand, not fitted: chosen so that the
 * first link of a kind that a bystander can hardly have reaches JOIN_MIN alone, and any other needs company.
 * CLUSTERS.md gives the reasoning line by line and the figures measured with them.
 */

/** Log-odds from which a wallet joins: 9 to 1. */
export const JOIN_MIN = 2.2;

/** First money of members: a fresh wallet works with whoever paid its first gas. */
export const FUNDED_MEMBER = 3;
export const FUNDED_BY_MEMBER = 3;
/** The same where the data itself calls the edge funding. */
export const FUNDED_BY_MEMBER_EXPLICIT = 3.5;
/** Money or liquidity the data calls proceeds, received from or sent to members. */
export const PROCEEDS = 2.7;
/** Plain transfers in which members move most of what they ever spend: one is a hint, two a pattern. */
export const SWEEP_ONE = 1;
export const SWEEPS_TWO = 2.5;
/** A wallet that sends most of what it has to a member. */
export const SWEEPS_TO_MEMBER = 1.5;
/** Bought in the block a member's token was launched in, together with a member; for each such token. */
export const SNIPED_LAUNCH = 1.2;
/** Given tokens by their creator, sold them, never bought any. */
export const HANDED_TO_SELLER = 2.5;
/** The wallet deployed a scam itself. */
export const IS_SCAMMER = 1.2;
/** Tokens of one deployer are of one hand by definition; reported as evidence, never needed to join. */
export const SAME_DEPLOYER = 5;
/** Same bytecode, first money from the same hub at about the same time in about the same amount. */
export const SAME_BYTECODE = 2.4;

/** Every further link of the same kind, up to FURTHER_LINKS_MAX of them. */
const FURTHER_LINK = 0.7;
const FURTHER_LINKS_MAX = 3;

/** What further kinds of evidence count beside the strongest. */
export const OTHER_WAYS_FACTOR = 0.6;

/** How strongly dealings with outsiders speak against: per unit of ln(1 + outsiders / √links). */
export const OUTSIDER_PENALTY = 1.5;

/** Log-odds as a probability at even prior odds. */
export const confidenceOf = (weight: number): number => 1 / (1 + Math.exp(-weight));

/** A base weight with its further links. */
export const withFurther = (base: number, links: number): number =>
  base + FURTHER_LINK * Math.min(FURTHER_LINKS_MAX, Math.max(0, links - 1));
