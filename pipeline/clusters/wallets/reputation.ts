import {
  creatorLabels,
  creatorRisk,
  PRIOR_TOKENS,
  scamRateText,
} from '../../../shared/rules/creatorRecord.ts';

/** A wallet's actions up to a time: the inputs of its reputation. */
export interface WalletRecord {
  readonly made: number;
  readonly scored: number;
  readonly scams: number;
  /** Tokens whose liquidity it, or its ring, withdrew within a day of their creation. */
  readonly quickRemovals: number;
  readonly stolenUsd: number;
  readonly isFundedByScammer: boolean;
  readonly ring: { readonly isMaster: boolean; readonly riskScore: number } | null;
}

export const NO_RECORD: WalletRecord = {
  made: 0,
  scored: 0,
  scams: 0,
  quickRemovals: 0,
  stolenUsd: 0,
  isFundedByScammer: false,
  ring: null,
};

/** One reason for a reputation: the contributions add up to the score minus 50. */
interface ReputationFactor {
  readonly id: string;
  readonly value: number | boolean | string | null;
  /** Signed whole points. */
  readonly contribution: number;
  readonly text: string;
}

/** A wallet's reputation. */
interface ReputationScore {
  /** 0 worst to 100 best, a whole number; 50 without any evidence. */
  readonly score: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly factors: readonly ReputationFactor[];
}

const NEUTRAL = 50;
const SCORE_MAX = 100;
/** Points for membership of a ring whose tokens are all scams. */
const RING_POINTS = 20;
const MASTER_POINTS = 5;
const QUICK_REMOVAL_POINTS = 3;
const QUICK_REMOVALS_COUNTED = 5;
const FUNDED_BY_SCAMMER_POINTS = 10;
/** Points for each factor of ten above 1,000 stolen US dollars. */
const STOLEN_POINTS = 5;
const STOLEN_UNIT_USD = 1_000;
const STOLEN_POINTS_MAX = 15;

const stolenPoints = (usd: number): number =>
  Math.min(STOLEN_POINTS_MAX, Math.round(STOLEN_POINTS * Math.log10(1 + usd / STOLEN_UNIT_USD)));

/** Every factor separately, before the score is limited to 0 to 100. */
const rawFactors = (record: WalletRecord): ReputationFactor[] => {
  const { made, scored, scams, quickRemovals, stolenUsd, ring } = record;
  const factors: ReputationFactor[] = [];
  if (made > 0) {
    factors.push({
      id: 'scam_rate',
      value: scored === 0 ? null : scams / scored,
      contribution: Math.round(NEUTRAL - creatorRisk(record)),
      text: scamRateText({ tokens: made, scored, scams }),
    });
  }
  if (quickRemovals > 0) {
    factors.push({
      id: 'liquidity_removed',
      value: quickRemovals,
      contribution: -QUICK_REMOVAL_POINTS * Math.min(quickRemovals, QUICK_REMOVALS_COUNTED),
      text: `Took the liquidity out of ${quickRemovals} ${quickRemovals === 1 ? 'token' : 'tokens'} within a day.`,
    });
  }
  if (stolenPoints(stolenUsd) > 0) {
    factors.push({
      id: 'value_stolen',
      value: Math.round(stolenUsd),
      contribution: -stolenPoints(stolenUsd),
      text: `Holders of its scams lost about ${Math.round(stolenUsd)} US dollars.`,
    });
  }
  if (record.isFundedByScammer) {
    factors.push({
      id: 'funded_by_scammer',
      value: true,
      contribution: -FUNDED_BY_SCAMMER_POINTS,
      text: 'Its first money came from a known scammer.',
    });
  }
  if (ring) {
    const ofRing = Math.round((RING_POINTS * ring.riskScore) / SCORE_MAX);
    factors.push({
      id: 'ring',
      value: ring.isMaster ? 'master' : 'member',
      contribution: -ofRing - (ring.isMaster ? MASTER_POINTS : 0),
      text: ring.isMaster ? 'Is the master of a scam ring.' : 'Belongs to a scam ring.',
    });
  }
  return factors;
};

/**
 * 50 plus the points of each factor, limited to 0 to 100. Points beyond a limit are taken from the last factors, so
 * that the contributions always add up to the score minus 50.
 */
export const reputation = (record: WalletRecord): ReputationScore => {
  let score = NEUTRAL;
  const factors = rawFactors(record).map((factor) => {
    const next = Math.min(SCORE_MAX, Math.max(0, score + factor.contribution));
    const contribution = next - score;
    score = next;
    return { ...factor, contribution };
  });
  const seen =
    record.scored + (record.ring ? PRIOR_TOKENS : 0) + (record.isFundedByScammer ? 1 : 0);
  return { score, confidence: seen / (seen + PRIOR_TOKENS), factors };
};

/** Labels of a wallet besides its score. */
export const reputationLabels = (record: WalletRecord): string[] => [
  ...creatorLabels({ tokens: record.made, scams: record.scams }),
  ...(record.ring ? [record.ring.isMaster ? 'ring_master' : 'ring_member'] : []),
  ...(record.isFundedByScammer ? ['funded_by_scammer'] : []),
];
