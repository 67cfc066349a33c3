import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';

/** What a wallet made, as the token's page shows it. */
export interface CreatorHistory {
  readonly address: Hex;
  /** 0 to 100. */
  readonly risk_score: number;
  readonly tokens_created: number;
  /** Share of its tokens judged a scam, 0 to 1. */
  readonly scam_rate: number;
}

/** What had become of a creator's earlier pools when the token's pool was born. */
export interface EarlierPools {
  /** NaN where nothing is known of the creator. */
  readonly pools: number;
  readonly drained: number;
}

/** Pools one would have to see before a creator's own record outweighs the prior. */
const PRIOR_POOLS = 2;
/** Risk of a creator nothing is known of. */
const PRIOR_DRAINED_RATE = 0.5;

/**
 * Risk from the record before the token's birth: 100 × (drained + 2 × 0.5) / (pools + 2), a Beta
 * prior of mean one half. From facts, not from verdicts: so it never feeds itself, and the order in
 * which tokens are scored does not change it.
 */
const riskOf = ({ pools, drained }: EarlierPools): number => {
  const [seen, lost] = Number.isFinite(pools) ? [pools, drained] : [0, 0];
  return Math.round((100 * (lost + PRIOR_POOLS * PRIOR_DRAINED_RATE)) / (seen + PRIOR_POOLS));
};

/** The record of a token's creator. Counts and scam rate are as judged at this moment. */
export const creatorHistory = (
  creator: Hex,
  made: readonly { readonly is_scam: number }[],
  earlier: EarlierPools,
): CreatorHistory => {
  const own = creator === ZERO_ADDRESS ? [] : made;
  const scams = own.filter(({ is_scam }) => is_scam === 1).length;
  return {
    address: creator,
    risk_score: riskOf(earlier),
    tokens_created: own.length,
    scam_rate: own.length > 0 ? scams / own.length : 0,
  };
};
