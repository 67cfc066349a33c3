import type { Hex } from '../../shared/chain/block.ts';
import {
  type CreatorRecord,
  creatorLabels,
  creatorRisk,
  PRIOR_TOKENS,
  scamRateText,
} from '../../shared/rules/creatorRecord.ts';
import type { Reputation, ReputationStep } from './wallet.ts';

const scoreOf = (record: CreatorRecord): number => Math.round(100 - creatorRisk(record));

/** The reputation derived from a wallet's tokens only. */
export const creatorReputation = (record: CreatorRecord): Reputation => {
  const { tokens, scored, scams } = record;
  const score = scoreOf(record);
  return {
    score,
    confidence: scored / (scored + PRIOR_TOKENS),
    labels: creatorLabels(record),
    factors:
      tokens === 0
        ? []
        : [
            {
              id: 'scam_rate',
              value: scored === 0 ? null : scams / scored,
              contribution: score - 50,
              text: scamRateText(record),
            },
          ],
  };
};

/** A token that a wallet created. */
export interface CreatedToken {
  readonly token: Hex;
  readonly createdAtS: number;
  readonly createdBlock: number;
  readonly createdTx: Hex;
  /** Absent without a verdict. */
  readonly verdict?: { isScam: boolean; atS: number; blockNumber: number } | undefined;
}

type Change = Omit<ReputationStep, 'score' | 'delta'> & { scored: 0 | 1; scams: 0 | 1 };

const changesOf = (made: CreatedToken): Change[] => {
  const { token, verdict } = made;
  const created = { atS: made.createdAtS, blockNumber: made.createdBlock, txHash: made.createdTx };
  const steps: Change[] = [{ ...created, event: 'token_created', token, scored: 0, scams: 0 }];
  if (verdict) {
    const { isScam, atS, blockNumber } = verdict;
    const event = isScam ? 'token_flagged' : 'cleared';
    const scams = isScam ? 1 : 0;
    steps.push({ atS, blockNumber, event, token, txHash: null, scored: 1, scams });
  }
  return steps;
};

/** The history of the reputation, oldest first: each created token, then its current verdict. */
export const creatorHistory = (made: readonly CreatedToken[]): ReputationStep[] => {
  const changes = made.flatMap(changesOf).toSorted((a, b) => a.atS - b.atS);
  let record: CreatorRecord = { tokens: 0, scored: 0, scams: 0 };
  return changes.map(({ scored, scams, ...step }) => {
    const before = scoreOf(record);
    record = {
      tokens: record.tokens + 1 - scored,
      scored: record.scored + scored,
      scams: record.scams + scams,
    };
    const score = scoreOf(record);
    return { ...step, score, delta: score - before };
  });
};
