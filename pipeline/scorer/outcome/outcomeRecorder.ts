import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BasePrices } from '../../../shared/market/basePrices.ts';
import type { PriceStore } from '../../../shared/market/priceStore.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { ActivityStore, Progress } from '../ingest/activityStore.ts';
import type { OpenToken, OutcomeStore } from './outcomeStore.ts';
import { OUTCOME_WINDOW_S } from './rugLabel.ts';
import { type TokenOutcome, tokenOutcome, VERDICT_AGE_S, verdictTime } from './tokenOutcome.ts';

export interface OutcomeRecorderPorts {
  readonly chainId: number;
  readonly outcomes: OutcomeStore;
  readonly activity: Pick<ActivityStore, 'progress'>;
  readonly prices: Pick<PriceStore, 'prices'>;
  /** The wrapped native coin, whose price values all pools. */
  readonly weth: Hex;
  /** Runs work while no reorg is being processed. */
  readonly exclusive: (work: () => Promise<void>) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Records the outcome of every token that had a verdict, a week later. */
export interface OutcomeRecorder {
  /**
   * Examines the next tokens in the order of their addresses, and starts over after the last.
   * @returns number of written outcomes
   */
  round(): Promise<number>;
  /** Repeats rounds until `signal` aborts. Rejects on any permanent error. */
  run(signal: AbortSignal): Promise<void>;
}

/** Tokens examined per round: most are already decided or too young, which two queries show. */
const TOKENS_PER_ROUND = 500;
/** Milliseconds between rounds: 700,000 tokens a day, for outcomes that are a week old. */
const ROUND_REST_MS = 60_000;

export const createOutcomeRecorder = (ports: OutcomeRecorderPorts): OutcomeRecorder => {
  const { chainId, outcomes, activity, prices, weth, exclusive, clock, logger } = ports;
  let after: Hex = ZERO_ADDRESS;

  const decide = async (
    progress: Progress,
    open: OpenToken,
    basePrices: BasePrices,
  ): Promise<TokenOutcome | undefined> => {
    const pools = await outcomes.pools(progress, open, basePrices);
    if (!pools) {
      logger.warn({ token: open.token }, 'a pool is too busy for its outcome to be read');
      return undefined;
    }
    const atS = verdictTime(pools);
    if (atS + OUTCOME_WINDOW_S > progress.block.timestampS) return undefined;
    const verdict = await outcomes.verdictAtAge(progress, open.token, atS);
    return tokenOutcome({
      pools,
      verdict,
      flaggedBlock: open.flaggedBlock,
      unsellableSinceS: open.unsellableSinceS,
      observedUntilS: progress.block.timestampS,
      nativeUsd: basePrices.get(weth)?.priceUsd ?? 0,
    });
  };

  /** Outcomes computed during a reorg are computed again: they may mix two chains. */
  const keep = (progress: Progress, decided: ReadonlyMap<Hex, TokenOutcome>): Promise<void> =>
    exclusive(async () => {
      const latest = await activity.progress(chainId);
      if (latest?.epoch === progress.epoch) await outcomes.insert(progress, decided);
      else after = ZERO_ADDRESS;
    });

  const round = async (): Promise<number> => {
    const progress = await activity.progress(chainId);
    if (!progress) return 0;
    const basePrices = await prices.prices(chainId);
    const bases = [...basePrices.keys()];
    const tokens = await outcomes.page(chainId, after, bases, TOKENS_PER_ROUND);
    const firstSyncUntilS = progress.block.timestampS - VERDICT_AGE_S - OUTCOME_WINDOW_S;
    const decided = new Map<Hex, TokenOutcome>();
    for (const open of await outcomes.open(progress, tokens, bases, firstSyncUntilS)) {
      const outcome = await decide(progress, open, basePrices);
      if (outcome) decided.set(open.token, outcome);
    }
    after = tokens.length < TOKENS_PER_ROUND ? ZERO_ADDRESS : (tokens.at(-1) ?? ZERO_ADDRESS);
    if (decided.size > 0) await keep(progress, decided);
    return decided.size;
  };

  return {
    round,
    run: async (signal) => {
      while (!signal.aborted) {
        try {
          const written = await round();
          if (written > 0) logger.info({ outcomes: written }, 'outcomes written');
        } catch (error) {
          if (!(error instanceof RetryableError)) throw error;
          logger.warn({ err: error }, 'outcomes will be looked at again');
        }
        await clock.sleep(ROUND_REST_MS, signal);
      }
    },
  };
};
