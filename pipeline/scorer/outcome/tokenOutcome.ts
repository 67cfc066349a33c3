import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { type PoolSync, stepKind } from '../features/poolSync.ts';
import { type BaseHeld, OUTCOME_WINDOW_S, type Outcome, outcomeOf } from './rugLabel.ts';

/** Age of a token's first pool or market at which its verdict counts as the prediction, seconds. */
export const VERDICT_AGE_S = 3_600;

/** The verdict that was in force at `VERDICT_AGE_S`. */
export const predictionSchema = z.object({
  prediction: z.enum(['SCAM', 'LEGIT']),
  /** Probability of a scam, 0 to 1. */
  probability: z.number(),
  model: z.string(),
  /** A failed critical check; empty if none failed. */
  criticalCheck: z.string(),
});
export type Prediction = z.infer<typeof predictionSchema>;

/** Payments of buyers at a time, whole native coins. */
export interface Purchase {
  readonly atS: number;
  readonly base: number;
}

/** A Uniswap V2 pool of the token, or a market of another protocol. */
export interface ObservedPool {
  /** The contract, or the id of 32 bytes in its manager. */
  readonly pool: Hex;
  readonly syncs: readonly BaseHeld[];
  /** In the order of time. */
  readonly purchases: readonly Purchase[];
}

/** Payments of buyers between the Syncs of a Uniswap V2 pool. */
export const purchasesOf = (syncs: readonly PoolSync[]): Purchase[] =>
  syncs.flatMap((after, i) => {
    const before = syncs[i - 1];
    if (!before) return [];
    const paid = after.reserveBase - before.reserveBase;
    return stepKind(before, after) === 'buy' ? [{ atS: after.timestampS, base: paid }] : [];
  });

/** All data on a token when its week is over. */
export interface Observation {
  readonly pools: readonly ObservedPool[];
  readonly verdict: Prediction | undefined;
  /** Block of the first verdict that called it a scam. */
  readonly flaggedBlock: number | undefined;
  /** Time from which holders cannot sell, Unix seconds; undefined: they can, or it is unknown. */
  readonly unsellableSinceS: number | undefined;
  /** Unix seconds of the last block whose facts are stored in full. */
  readonly observedUntilS: number;
  /** US dollars per native coin; one price for all times, so that its movements do not count as losses. */
  readonly nativeUsd: number;
}

/** The first verdict that called a token a scam, and what followed. */
export interface Flag {
  /** Unix seconds of the last trade that the verdict could take into account. */
  readonly flaggedAtS: number;
  /** US dollars, both sides of the pool. */
  readonly liquidityUsd: number;
  /** Within seven days after it; undefined until they are over. */
  readonly after:
    | {
        readonly outcome: Outcome['kind'];
        /** US dollars, both sides of the pool, at their end. */
        readonly liquidityUsd: number;
        /** US dollars that buyers put in. */
        readonly boughtUsd: number;
      }
    | undefined;
}

/** The outcome of a token within a week of its verdict. */
export interface TokenOutcome {
  readonly pool: Hex;
  /** Unix seconds. */
  readonly verdictAtS: number;
  readonly verdict: Prediction | undefined;
  readonly outcome: Outcome['kind'];
  /** Seconds from the verdict to the rug. */
  readonly leadS: number | undefined;
  /** US dollars, both sides, by which the pool shrank in the week; 0 if it grew. */
  readonly leftUsd: number;
  readonly flag: Flag | undefined;
}

/** The Sync in effect at a time; undefined before the first. */
const standing = (syncs: readonly BaseHeld[], atS: number): BaseHeld | undefined =>
  syncs.findLast(({ timestampS }) => timestampS <= atS);

const peakUntil = (syncs: readonly BaseHeld[], atS: number): number =>
  syncs.reduce(
    (peak, { timestampS, reserveBase }) => (timestampS <= atS ? Math.max(peak, reserveBase) : peak),
    0,
  );

/** The pool with the highest holdings so far at the time of the verdict; ties go to the lower address. */
const mainPoolAt = (pools: readonly ObservedPool[], atS: number): ObservedPool | undefined =>
  pools
    .map((one) => ({ one, peak: peakUntil(one.syncs, atS) }))
    .toSorted((a, b) => b.peak - a.peak || (a.one.pool < b.one.pool ? -1 : 1))[0]?.one;

/** Payments of buyers in base tokens between two times, whole native coins. */
const boughtBetween = (purchases: readonly Purchase[], fromS: number, untilS: number): number =>
  purchases.reduce((sum, { atS, base }) => (atS > fromS && atS <= untilS ? sum + base : sum), 0);

const flagOf = (
  { syncs, purchases }: ObservedPool,
  flaggedBlock: number,
  { unsellableSinceS, observedUntilS, nativeUsd }: Observation,
): Flag | undefined => {
  const at = syncs.findLast(({ blockNumber }) => blockNumber <= flaggedBlock);
  if (!at) return undefined;
  const flaggedAtS = at.timestampS;
  const flag = { flaggedAtS, liquidityUsd: 2 * at.reserveBase * nativeUsd };
  const untilS = flaggedAtS + OUTCOME_WINDOW_S;
  if (untilS > observedUntilS) return { ...flag, after: undefined };
  const after = {
    outcome: outcomeOf(syncs, unsellableSinceS, flaggedAtS, observedUntilS).kind,
    liquidityUsd: 2 * (standing(syncs, untilS)?.reserveBase ?? 0) * nativeUsd,
    boughtUsd: boughtBetween(purchases, flaggedAtS, untilS) * nativeUsd,
  };
  return { ...flag, after };
};

/** Unix seconds at which the token is `VERDICT_AGE_S` old; infinite if no pool ever held anything. */
export const verdictTime = (pools: readonly ObservedPool[]): number =>
  Math.min(...pools.map(({ syncs }) => syncs[0]?.timestampS ?? Infinity)) + VERDICT_AGE_S;

/**
 * The outcome of a token, by the rule that labels the training data. Undefined until its week is over, and for a
 * token without a verdict or a pool. It does not wait for the week after a flag: most flagged tokens are rugs, and
 * waiting would leave only survivors among the latest outcomes.
 */
export const tokenOutcome = (observation: Observation): TokenOutcome | undefined => {
  const { pools, verdict, flaggedBlock, unsellableSinceS, observedUntilS, nativeUsd } = observation;
  const verdictAtS = verdictTime(pools);
  const untilS = verdictAtS + OUTCOME_WINDOW_S;
  const main = mainPoolAt(pools, verdictAtS);
  if (!main || untilS > observedUntilS) return undefined;
  const { pool, syncs } = main;
  const found = flaggedBlock === undefined ? undefined : flagOf(main, flaggedBlock, observation);
  // A later flag does not belong to this week.
  const flag = found && found.flaggedAtS <= untilS ? found : undefined;
  if (!verdict && !flag) return undefined;
  const outcome = outcomeOf(syncs, unsellableSinceS, verdictAtS, observedUntilS);
  const [held, later] = [standing(syncs, verdictAtS), standing(syncs, untilS)];
  const left = (held?.reserveBase ?? 0) - (later?.reserveBase ?? 0);
  return {
    pool,
    verdictAtS,
    verdict,
    outcome: outcome.kind,
    leadS: outcome.kind === 'rug' ? outcome.leadS : undefined,
    leftUsd: 2 * Math.max(0, left) * nativeUsd,
    flag,
  };
};
