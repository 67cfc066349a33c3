import type { Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { StoredBlock } from '../verdict/readSubjects.ts';
import type { TokenScorer } from '../verdict/tokenScorer.ts';
import type { HorizonStore } from './horizonStore.ts';
import type { Horizon } from './horizons.ts';

/** Horizons to be scored together. */
export interface DueHorizons {
  readonly horizons: readonly Horizon[];
  /** After these, everything up to this time is scored: Unix seconds. */
  readonly upToS: number;
}

/**
 * Horizons per round; those of the same second always come together. Also the number scored at once, because all
 * their facts are then in memory.
 */
const HORIZONS_PER_ROUND = 100;
/** Chain time examined in one round, seconds: after a gap there may be months. */
const SPAN_MAX_S = 86_400;
/**
 * Chain time without a horizon that is examined again after a crash, seconds: it saves one insert per block.
 */
const UNSAVED_MAX_S = 600;
/** Horizons that one reorg undoes: those of pools in at most some hours of the chain. */
const UNDONE_MAX = 100_000;

export const createHorizonSchedule = (ports: {
  chainId: number;
  /** Base tokens: the other side of their pools is a token with a price. */
  bases: readonly Hex[];
  store: HorizonStore;
  clock: Clock;
}) => {
  const { chainId, bases, store, clock } = ports;

  /** Read once: only the leading scorer advances it. */
  let scoredUntilS: number | undefined;
  let savedS = 0;
  const save = async (untilS: number): Promise<void> => {
    await store.saveScoredUntil(chainId, untilS, clock.now());
    savedS = untilS;
  };
  const scoredUntil = async (): Promise<number | undefined> => {
    scoredUntilS ??= await store.scoredUntil(chainId);
    if (scoredUntilS !== undefined) return scoredUntilS;
    const startS = await store.earliestStart(chainId);
    return startS === undefined ? undefined : startS - 1;
  };

  return {
    /**
     * The oldest passed horizons that are not scored yet, a limited number; undefined if there are none.
     * @param storedUntilS time of the last block that is stored in full, Unix seconds
     */
    next: async (storedUntilS: number): Promise<DueHorizons | undefined> => {
      const afterS = await scoredUntil();
      if (afterS === undefined) return undefined;
      const untilS = Math.min(storedUntilS - 1, afterS + SPAN_MAX_S);
      if (untilS <= afterS) return undefined;
      const span = { afterS, untilS };
      const horizons = await store.between({ chainId, bases, span, limit: HORIZONS_PER_ROUND });
      const isCut = horizons.length >= HORIZONS_PER_ROUND;
      return { horizons, upToS: (isCut ? horizons.at(-1)?.atS : undefined) ?? untilS };
    },
    /** Records that these are scored, and everything up to their time. */
    done: async ({ horizons, upToS }: DueHorizons): Promise<void> => {
      if (horizons.length > 0 || upToS >= savedS + UNSAVED_MAX_S) await save(upToS);
      scoredUntilS = upToS;
    },
    /**
     * Tokens that may have been scored at a horizon whose passing was shown by orphaned blocks: a scorer that died
     * may have stored verdicts beyond its recorded progress.
     * @param storedUntilS time of the last block that was stored in full, Unix seconds
     */
    undone: async ({ ancestor }: ReorgEvent, storedUntilS: number): Promise<Hex[]> => {
      const untilS = Math.max((await scoredUntil()) ?? 0, storedUntilS);
      const span = { afterS: ancestor.timestampS - 1, untilS };
      if (span.untilS <= span.afterS) return [];
      const horizons = await store.between({ chainId, bases, span, limit: UNDONE_MAX });
      return [...new Set(horizons.map(({ token }) => token))];
    },
    /** Goes back to the state that the reorg left. */
    rewind: async ({ ancestor }: ReorgEvent): Promise<void> => {
      const untilS = await scoredUntil();
      const afterS = ancestor.timestampS - 1;
      if (untilS !== undefined && untilS > afterS) {
        await save(afterS);
        scoredUntilS = afterS;
      }
    },
  };
};
/**
 * Which horizons are due. One time is kept, up to which all of them are scored; it follows the time of the chain as
 * far as that is stored, so that following live and catching up are the same work.
 */
export type HorizonSchedule = ReturnType<typeof createHorizonSchedule>;

export interface HorizonScorerPorts {
  readonly scorer: TokenScorer;
  readonly horizons: Pick<HorizonSchedule, 'next' | 'done'>;
  /** The last block whose facts are stored in full, with its position; undefined before the first. */
  readonly stored: () => Promise<(StoredBlock & { readonly position: number }) | undefined>;
}

/** Groups of a limited size in which each token comes once, in order. */
const distinctTokens = (horizons: readonly Horizon[]): Horizon[][] => {
  const groups: Map<Hex, Horizon>[] = [];
  for (const horizon of horizons) {
    const group = groups.find((one) => one.size < HORIZONS_PER_ROUND && !one.has(horizon.token));
    if (group) group.set(horizon.token, horizon);
    else groups.push(new Map([[horizon.token, horizon]]));
  }
  return groups.map((group) => [...group.values()]);
};

/**
 * Scores a limited number of passed horizons, oldest first. The progress of facts is read once per round: a message
 * that is repeated moves it back for a moment.
 * @returns a function that resolves to whether there may be more
 */
export const createHorizonScorer =
  ({ scorer, horizons, stored }: HorizonScorerPorts) =>
  async (): Promise<boolean> => {
    const block = await stored();
    const next = block && (await horizons.next(block.timestampS));
    if (!next) return false;
    for (const group of distinctTokens(next.horizons)) {
      let requests = group.map((horizon) => {
        return { token: horizon.token, position: block.position, horizon };
      });
      while (requests.length > 0) {
        const { postponed } = await scorer.score(requests, block);
        requests = requests.filter(({ token }) => postponed.has(token));
      }
    }
    // Last: after a crash, the next start finds what was not scored.
    await horizons.done(next);
    return true;
  };
