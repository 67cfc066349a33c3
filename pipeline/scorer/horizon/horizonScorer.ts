import type { Hex } from '../../../shared/chain/block.ts';
import type { StoredBlock, TokenScorer } from '../verdict/tokenScorer.ts';
import type { HorizonBook } from './horizonBook.ts';
import type { Horizon } from './horizons.ts';

export interface HorizonScorerPorts {
  readonly chainId: number;
  readonly scorer: TokenScorer;
  readonly horizons: Pick<HorizonBook, 'next' | 'done'>;
  /** The last block whose facts are stored in full, with its position; undefined before the first. */
  readonly stored: () => Promise<(StoredBlock & { readonly position: number }) | undefined>;
}

/** Groups in which each token comes once, in order. */
const distinctTokens = (horizons: readonly Horizon[]): Horizon[][] => {
  const groups: Map<Hex, Horizon>[] = [];
  for (const horizon of horizons) {
    const group = groups.find((one) => !one.has(horizon.token));
    if (group) group.set(horizon.token, horizon);
    else groups.push(new Map([[horizon.token, horizon]]));
  }
  return groups.map((group) => [...group.values()]);
};

/**
 * Scores a bounded number of the horizons that were passed, oldest first. One reading of how far facts reach serves a
 * whole round: a message that is repeated moves it back for a moment.
 * @returns a function that tells whether there may be more
 */
export const createHorizonScorer =
  ({ chainId, scorer, horizons, stored }: HorizonScorerPorts) =>
  async (): Promise<boolean> => {
    const block = await stored();
    const next = block && (await horizons.next(block.timestampS));
    if (!next) return false;
    for (const group of distinctTokens(next.horizons)) {
      const requests = group.map((horizon) => {
        return { token: horizon.token, position: block.position, horizon };
      });
      await scorer.score(chainId, requests, block);
    }
    // Last: a start after a death finds what was not scored.
    await horizons.done(next.upToS);
    return true;
  };
