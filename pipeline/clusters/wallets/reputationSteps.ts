import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { type ScamOutcome, scamOutcome } from '../../../shared/rules/scamOutcome.ts';
import { NO_RECORD, reputation, type WalletRecord } from './reputation.ts';
import type { MadeToken, WalletFacts } from './walletFacts.ts';

const DAY_S = 24 * 3_600;

type ReputationEvent =
  | 'token_created'
  | 'token_flagged'
  | 'liquidity_removed'
  | 'funded_by_scammer'
  | 'cluster_joined'
  | 'cleared';

/** A change of a wallet's reputation. */
export interface ReputationStep {
  readonly block: number;
  readonly event: ReputationEvent;
  /** Zero if the step has none. */
  readonly token: Hex;
  readonly txHash: Hex;
  /** Unix seconds. */
  readonly atS: number;
  /** The score after it. */
  readonly score: number;
  readonly delta: number;
  /** The wallet's role in a flagged token, empty for other steps. */
  readonly role: string;
  readonly outcome: ScamOutcome | '';
  readonly stolenUsd: number;
  readonly victims: number;
}

type Cause = Omit<ReputationStep, 'score' | 'delta'> & {
  readonly change: (record: WalletRecord) => WalletRecord;
};

/** Defaults of a step's fields. */
const NOTHING = {
  token: ZERO_ADDRESS,
  txHash: ZERO_HASH,
  role: '',
  outcome: '',
  stolenUsd: 0,
  victims: 0,
} as const;

const turnCauses = (made: MadeToken): Cause[] => {
  const { token, turns, loss } = made;
  return turns.map(({ isScam, block, atS }, i): Cause => {
    const isFirst = i === 0;
    const { stolenUsd = 0, victims = 0, drain } = loss ?? {};
    const place = { ...NOTHING, block, atS, token };
    const change = (record: WalletRecord): WalletRecord => ({
      ...record,
      scored: record.scored + (isFirst ? 1 : 0),
      scams: record.scams + (isScam ? 1 : isFirst ? 0 : -1),
      stolenUsd: record.stolenUsd + (isScam ? stolenUsd : isFirst ? 0 : -stolenUsd),
    });
    if (!isScam) return { ...place, txHash: made.txHash, event: 'cleared', change };
    const outcome = scamOutcome(made.failedChecks, Boolean(drain));
    const txHash = drain?.txHash ?? made.txHash;
    const lost = { role: 'creator', outcome, stolenUsd, victims };
    return { ...place, ...lost, txHash, event: 'token_flagged', change };
  });
};

const madeCauses = (made: MadeToken): Cause[] => {
  const { token, txHash, block, atS, loss } = made;
  const drain = loss?.drain;
  const created = { ...NOTHING, block, atS, token, txHash };
  const causes: Cause[] = [
    {
      ...created,
      event: 'token_created',
      change: (record) => ({ ...record, made: record.made + 1 }),
    },
  ];
  if (drain && drain.atS - atS <= DAY_S) {
    causes.push({
      ...created,
      block: drain.number,
      atS: drain.atS,
      txHash: drain.txHash,
      event: 'liquidity_removed',
      change: (record) => ({ ...record, quickRemovals: record.quickRemovals + 1 }),
    });
  }
  return [...causes, ...turnCauses(made)];
};

/** The wallet that first sent native currency to this one. */
export const fundingOf = ({ movements }: Pick<WalletFacts, 'movements'>) =>
  movements
    .filter(({ direction, kind }) => direction === 'in' && kind === 'native')
    .toSorted((a, b) => a.firstBlock - b.firstBlock || a.firstPlace - b.firstPlace)[0];

const relationCauses = (facts: WalletFacts): Cause[] => {
  const { ring } = facts;
  const funding = fundingOf(facts);
  const causes: Cause[] = [];
  if (funding && facts.scammers.has(funding.other)) {
    causes.push({
      ...NOTHING,
      block: funding.firstBlock,
      atS: funding.firstS,
      txHash: funding.firstTx,
      event: 'funded_by_scammer',
      change: (record) => ({ ...record, isFundedByScammer: true }),
    });
  }
  if (ring) {
    causes.push({
      ...NOTHING,
      block: ring.block,
      atS: ring.joinedAtS,
      event: 'cluster_joined',
      change: (record) => ({
        ...record,
        ring: { isMaster: ring.role === 'master', riskScore: ring.riskScore },
      }),
    });
  }
  return causes;
};

/** The history of a wallet's reputation, oldest first, and its actions in total. */
export const reputationSteps = (
  facts: WalletFacts,
): { readonly steps: readonly ReputationStep[]; readonly record: WalletRecord } => {
  const causes = [...facts.made.flatMap(madeCauses), ...relationCauses(facts)];
  let record = NO_RECORD;
  const steps = causes
    .toSorted((a, b) => a.block - b.block || a.atS - b.atS)
    .map(({ change, ...step }): ReputationStep => {
      const before = reputation(record).score;
      record = change(record);
      const { score } = reputation(record);
      return { ...step, score, delta: score - before };
    });
  return { steps, record };
};
