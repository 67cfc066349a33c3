import type { ClusterMessage } from '../../../shared/messages/clusterMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { CHAIN_ID, CREATOR, GENESIS_S, hash, TOKEN } from './chainBuilder.ts';

/** A verdict that turned to a scam. */
export const score = (changes: Partial<ScoreMessage> = {}): ScoreMessage => ({
  v: 1,
  chainId: CHAIN_ID,
  token: TOKEN,
  name: 'Moon',
  symbol: 'MOON',
  blockNumber: 2,
  blockHash: hash('block 2a'),
  prediction: 'SCAM',
  confidence: 0.9,
  riskScore: 95,
  previousPrediction: 'LEGIT',
  previousConfidence: 0.8,
  previousRiskScore: 20,
  analyzedAtMs: (GENESIS_S + 50) * 1_000,
  ...changes,
});

/** A ring that the creator joined. */
export const ringChange = (changes: Partial<ClusterMessage> = {}): ClusterMessage => ({
  v: 1,
  chainId: CHAIN_ID,
  clusterId: 'ring1',
  name: 'Ring 1',
  change: 'changed',
  otherClusterId: null,
  size: 3,
  riskScore: 80,
  joined: [CREATOR],
  joinedCount: 1,
  left: [],
  leftCount: 0,
  trigger: { kind: 'block', txHash: hash('rug'), logIndex: 0 },
  blockNumber: 2,
  blockHash: hash('block 2a'),
  timestampS: GENESIS_S + 24,
  ...changes,
});
