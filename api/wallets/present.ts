import { isoTime } from '../../shared/rules/isoTime.ts';
import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { WalletAnalysis, WalletB, WalletEntry, WalletReputation } from './schema.ts';
import { type ReputationStep, type ScamEntry, scamShareOf, type Wallet } from './wallet.ts';

/** A wallet with the fields that both styles share. */
export const walletEntry = (wallet: Wallet): WalletEntry => ({
  address: wallet.address,
  risk_score: Math.round(wallet.riskScore),
  role: wallet.role,
  tokens_created: wallet.tokensCreated,
  scam_rate: scamShareOf(wallet),
  total_value_stolen: wallet.stolenUsd,
  victims: wallet.victims,
  first_seen: isoTime(wallet.firstSeenS * 1000),
  last_activity: isoTime(wallet.lastActivityS * 1000),
  cluster_id: wallet.clusterId,
  is_known_scammer: wallet.isKnownScammer,
});

/** A token in its creator's list. */
export const walletTokenA = (verdict: VerdictSummary) => ({
  address: verdict.token,
  name: verdict.name,
  symbol: verdict.symbol,
  prediction: verdict.prediction,
  confidence: Math.round(verdict.confidence * 100),
  created_at: isoTime(verdict.createdAtS * 1000),
});

const LEVELS_FROM = [
  [70, 'TRUSTED'],
  [40, 'NEUTRAL'],
  [20, 'SUSPICIOUS'],
] as const;

/** The reputation of a wallet, without its history. */
const reputation = (wallet: Wallet): Omit<WalletReputation, 'history'> => {
  const { score, confidence, labels, factors } = wallet.reputation;
  const riskScore = Math.round(wallet.riskScore);
  return {
    address: wallet.address,
    reputation_score: score,
    level: LEVELS_FROM.find(([from]) => score >= from)?.[1] ?? 'MALICIOUS',
    risk_score: riskScore,
    risk_level: riskLevel(riskScore),
    confidence,
    is_known_scammer: wallet.isKnownScammer,
    labels: [...labels],
    factors: factors.map((factor) => ({ ...factor })),
    first_seen: isoTime(wallet.firstSeenS * 1000),
    last_activity: isoTime(wallet.lastActivityS * 1000),
    updated_at: isoTime(wallet.updatedAtMs),
  };
};

/** The reputation of a wallet with its history. */
export const walletReputation = (
  wallet: Wallet,
  steps: readonly ReputationStep[],
): WalletReputation => ({
  ...reputation(wallet),
  history: steps.map((step) => ({
    at: isoTime(step.atS * 1000),
    block_number: step.blockNumber,
    score: step.score,
    delta: step.delta,
    event: step.event,
    token: step.token,
    tx_hash: step.txHash,
  })),
});

/** A wallet with reputation, scams and connections. */
export const walletB = (
  wallet: Wallet,
  scams: readonly ScamEntry[],
  connections: WalletB['connections'],
): WalletB => {
  const entry = walletEntry(wallet);
  return {
    ...entry,
    risk_level: riskLevel(entry.risk_score),
    reputation: reputation(wallet),
    scam_history: scams.map((scam) => ({
      token: { ...scam.token },
      role: scam.role,
      outcome: scam.outcome,
      at: isoTime(scam.atS * 1000),
      value_stolen_usd: scam.stolenUsd,
      victims: scam.victims,
      tx_hash: scam.txHash,
    })),
    connections,
  };
};

/** A wallet with its behaviour. */
export const walletAnalysis = (wallet: Wallet): WalletAnalysis => {
  const entry = walletEntry(wallet);
  const { funding, behaviours, reputation: known } = wallet;
  return {
    ...entry,
    risk_level: riskLevel(entry.risk_score),
    analysis: {
      funding_source: funding && {
        address: funding.address,
        kind: funding.kind,
        tx_hash: funding.txHash,
      },
      behaviours: behaviours.map((behaviour) => ({ ...behaviour })),
      factors: known.factors.map((factor) => ({ ...factor })),
      median_token_lifetime_hours: wallet.medianTokenLifetimeH,
      counterparties: wallet.counterparties,
    },
  };
};

/** Version of a wallet for its ETag: every change of the response changes one of these. */
export const walletVersion = (wallet: Wallet): string =>
  [
    wallet.address,
    wallet.updatedAtMs,
    wallet.tokensCreated,
    wallet.scams,
    wallet.counterparties,
    wallet.clusterId ?? '',
  ].join('-');
