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

/** Tokens one would have to see before a creator's own record outweighs the prior. */
const PRIOR_TOKENS = 2;
/** Risk of a creator nothing is known of. */
const PRIOR_SCAM_RATE = 0.5;

/**
 * The record of a token's creator. The risk score leaves the token itself out, so that a verdict
 * never feeds itself: 100 × (scams + 2 × 0.5) / (tokens + 2), a Beta prior of mean one half.
 */
export const creatorHistory = (
  creator: Hex,
  token: Hex,
  made: readonly { readonly address: Hex; readonly is_scam: number }[],
): CreatorHistory => {
  if (creator === ZERO_ADDRESS) {
    return { address: creator, risk_score: 100 * PRIOR_SCAM_RATE, tokens_created: 0, scam_rate: 0 };
  }
  const others = made.filter(({ address }) => address !== token);
  const otherScams = others.filter(({ is_scam }) => is_scam === 1).length;
  const scams = made.filter(({ is_scam }) => is_scam === 1).length;
  const risk = (otherScams + PRIOR_TOKENS * PRIOR_SCAM_RATE) / (others.length + PRIOR_TOKENS);
  return {
    address: creator,
    risk_score: Math.round(100 * risk),
    tokens_created: made.length,
    scam_rate: made.length > 0 ? scams / made.length : 0,
  };
};
