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

/** A wallet that was found. */
export const walletHit = (wallet: WalletHit, found: Found): SearchHit => ({
  type: 'wallet',
  id: `wallet_${wallet.address}`,
  address: wallet.address,
  name: wallet.role,
  symbol: null,
  is_rug: null,
  confidence: null,
  risk_score: riskScoreB(wallet.riskScore),
  risk_level: riskLevel(riskScoreB(wallet.riskScore)),
  ...found,
});

/** A ring of wallets that was found. */
export const clusterHit = (cluster: Cluster, found: Found): SearchHit => ({
  type: 'cluster',
  id: cluster.id,
  address: null,
  name: cluster.name,
  symbol: null,
  is_rug: null,
  confidence: null,
  risk_score: riskScoreB(cluster.riskScore),
  risk_level: riskLevel(riskScoreB(cluster.riskScore)),
  ...found,
});
