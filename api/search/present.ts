import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { Cluster } from '../clusters/queries.ts';
import { riskScoreB, tokenB } from '../tokens/present.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { SearchHit } from './schema.ts';
import type { WalletHit } from './search.ts';

type Found = Pick<SearchHit, 'relevance' | 'match'>;

/** A token that was found. */
export const tokenHit = (verdict: VerdictSummary, found: Found): SearchHit => ({
  ...tokenB(verdict),
  type: 'token',
  id: `token_${verdict.token}`,
  ...found,
});

/** A wallet or ring that was found; neither has a verdict of its own. */
const otherHit = (
  hit: Pick<SearchHit, 'type' | 'id' | 'address' | 'name'>,
  risk: number,
  found: Found,
): SearchHit => ({
  ...hit,
  symbol: null,
  is_rug: null,
  confidence: null,
  risk_score: riskScoreB(risk),
  risk_level: riskLevel(riskScoreB(risk)),
  ...found,
});

/** A wallet that was found. */
export const walletHit = ({ address, role, riskScore }: WalletHit, found: Found): SearchHit =>
  otherHit({ type: 'wallet', id: `wallet_${address}`, address, name: role }, riskScore, found);

/** A ring of wallets that was found. */
export const clusterHit = ({ id, name, riskScore }: Cluster, found: Found): SearchHit =>
  otherHit({ type: 'cluster', id, address: null, name }, riskScore, found);
