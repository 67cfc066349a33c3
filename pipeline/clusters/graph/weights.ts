/*
 * Natural log-odds that a wallet belongs to the ring's party. All are chosen by hand, not fitted: the first link of a
 * kind that a bystander can hardly have reaches JOIN_MIN alone, and any other needs further evidence. CLUSTERS.md
 * gives the reasoning line by line and the figures measured with them.
 */

/** Log-odds from which a wallet joins: 9 to 1. */
export const JOIN_MIN = 2.2;

/** Initial funding of members: a fresh wallet belongs to the party that paid its first gas. */
export const FUNDED_MEMBER = 3;
export const FUNDED_BY_MEMBER = 3;
/** The same if the data itself labels the edge as funding. */
export const FUNDED_BY_MEMBER_EXPLICIT = 3.5;
/** Money or liquidity labelled as proceeds, received from or sent to members. */
export const PROCEEDS = 2.7;
/** Plain transfers in which members move most of what they ever spend: one is a hint, two a pattern. */
export const SWEEP_ONE = 1;
export const SWEEPS_TWO = 2.5;
/** A wallet that sends most of what it has to a member. */
export const SWEEPS_TO_MEMBER = 1.5;
/** Bought in the launch block of a member's token, together with a member; for each such token. */
export const SNIPED_LAUNCH = 1.2;
/** Received tokens from their creator, sold them, never bought any. */
export const HANDED_TO_SELLER = 2.5;
/** The wallet deployed a scam itself. */
export const IS_SCAMMER = 1.2;
/**
 * Tokens of one deployer belong to the same party by definition; reported as evidence, never needed to join.
 */
export const SAME_DEPLOYER = 5;
/** Same bytecode, and initial funding from the same hub at about the same time in about the same amount. */
export const SAME_BYTECODE = 2.4;

/** Every further link of the same kind, up to FURTHER_LINKS_MAX of them. */
const FURTHER_LINK = 0.7;
const FURTHER_LINKS_MAX = 3;

/** Factor for further kinds of evidence besides the strongest. */
export const OTHER_WAYS_FACTOR = 0.6;

/** Weight of transactions with outsiders against membership: per unit of ln(1 + outsiders / √links). */
export const OUTSIDER_PENALTY = 1.5;

/** Log-odds as a probability at even prior odds. */
export const confidenceOf = (weight: number): number => 1 / (1 + Math.exp(-weight));

/** A base weight with its further links. */
export const withFurther = (base: number, links: number): number =>
  base + FURTHER_LINK * Math.min(FURTHER_LINKS_MAX, Math.max(0, links - 1));
