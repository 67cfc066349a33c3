import type { Hex } from '../../shared/chain/block.ts';
import type { Reputation, ReputationStep } from './wallet.ts';

/** Tokens one would have to see before a wallet's own record outweighs the prior. */
const PRIOR_TOKENS = 2;
const PRIOR_SCAM_RATE = 0.5;
/** Tokens from which a creator makes a habit of it. */
const SERIAL_TOKENS_MIN = 5;
/** Scams from which a wallet is a known scammer, if they are at least half of what it made. */
const KNOWN_SCAMS_MIN = 2;
const KNOWN_SCAM_RATE_MIN = 0.5;

/** What a wallet made, by the verdicts in force. */
export interface CreatorRecord {
  readonly tokens: number;
  /** Tokens that have a verdict. */
  readonly judged: number;
  readonly scams: number;
}

/**
 * 0 to 100: 100 × (scams + 2 × 0.5) / (judged + 2), a Beta prior of mean one half, as in the
 * creator's record on a token's page; 50 for a wallet that made nothing.
 */
export const creatorRisk = ({ judged, scams }: CreatorRecord): number =>
  (100 * (scams + PRIOR_TOKENS * PRIOR_SCAM_RATE)) / (judged + PRIOR_TOKENS);

/** Two scams or more, and at least half of the tokens made. */
export const isKnownScammer = ({ tokens, scams }: CreatorRecord): boolean =>
  scams >= KNOWN_SCAMS_MIN && scams >= KNOWN_SCAM_RATE_MIN * tokens;

const scoreOf = (record: CreatorRecord): number => Math.round(100 - creatorRisk(record));

const sentence = ({ tokens, judged, scams }: CreatorRecord): string => {
  if (judged === 0) return `None of ${tokens} tokens created has a verdict.`;
  return `${scams} of ${judged} judged tokens created ${scams === 1 ? 'is a scam' : 'are scams'}.`;
};

/** The reputation that follows from what a wallet made alone. */
export const creatorReputation = (record: CreatorRecord): Reputation => {
  const { tokens, judged, scams } = record;
  const score = scoreOf(record);
  return {
    score,
    confidence: judged / (judged + PRIOR_TOKENS),
    labels: [
      ...(tokens >= SERIAL_TOKENS_MIN ? ['serial_deployer'] : []),
      ...(isKnownScammer(record) ? ['known_scammer'] : []),
    ],
    factors:
      tokens === 0
        ? []
        : [
            {
              id: 'scam_rate',
              value: judged === 0 ? null : scams / judged,
              contribution: score - 50,
              text: sentence(record),
            },
          ],
  };
};

/** A token a wallet made. */
export interface CreatedToken {
  readonly token: Hex;
  readonly createdAtS: number;
  readonly createdBlock: number;
  readonly createdTx: Hex;
  /** Absent without a verdict. */
  readonly verdict?: { isScam: boolean; atS: number; blockNumber: number } | undefined;
}

type Change = Omit<ReputationStep, 'score' | 'delta'> & { judged: 0 | 1; scams: 0 | 1 };

const changesOf = (made: CreatedToken): Change[] => {
  const { token, verdict } = made;
  const created = { atS: made.createdAtS, blockNumber: made.createdBlock, txHash: made.createdTx };
  const steps: Change[] = [{ ...created, event: 'token_created', token, judged: 0, scams: 0 }];
  if (verdict) {
    const { isScam, atS, blockNumber } = verdict;
    const event = isScam ? 'token_flagged' : 'cleared';
    const scams = isScam ? 1 : 0;
    steps.push({ atS, blockNumber, event, token, txHash: null, judged: 1, scams });
  }
  return steps;
};

/** How the reputation came about, oldest first: each token made, then its verdict in force. */
export const creatorHistory = (made: readonly CreatedToken[]): ReputationStep[] => {
  const changes = made.flatMap(changesOf).toSorted((a, b) => a.atS - b.atS);
  let record: CreatorRecord = { tokens: 0, judged: 0, scams: 0 };
  return changes.map(({ judged, scams, ...step }) => {
    const before = scoreOf(record);
    record = {
      tokens: record.tokens + 1 - judged,
      judged: record.judged + judged,
      scams: record.scams + scams,
    };
    const score = scoreOf(record);
    return { ...step, score, delta: score - before };
  });
};
