import type { Hex } from '../../shared/chain/block.ts';
import { KNOWN_STABLE_DECIMALS } from '../../shared/chain/chains.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { IndexReader } from './indexReader.ts';

/** Decimals of the stable tokens, growing while the index reads their contracts. */
export interface StableDecimals {
  readonly known: ReadonlyMap<Hex, number>;
  /** Asks for the unknown ones now and then; to be cleared. */
  readonly timer: NodeJS.Timeout;
}

/** How often the index is asked for decimals that no one has read yet. */
const REFRESH_EVERY_MS = 1_000;

export const watchStableDecimals = (
  stables: readonly Hex[],
  index: Pick<IndexReader, 'decimals'>,
  logger: Logger,
): StableDecimals => {
  const known = new Map(KNOWN_STABLE_DECIMALS);
  const refresh = async (): Promise<void> => {
    const unknown = stables.filter((token) => !known.has(token));
    if (unknown.length === 0) return;
    try {
      for (const [token, value] of await index.decimals(unknown)) known.set(token, value);
    } catch (error) {
      logger.debug({ err: error }, 'decimals of stable tokens are unknown for now');
    }
  };
  void refresh();
  return { known, timer: setInterval(() => void refresh(), REFRESH_EVERY_MS) };
};
