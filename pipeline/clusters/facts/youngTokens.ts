import type { Hex } from '../../../shared/chain/block.ts';
import type { TokenBirth } from './graphFact.ts';

/** Seconds after its birth in which a token's trades and transfers are kept: a week, when rings act on it. */
const YOUNG_S = 7 * 24 * 3_600;
/** Tokens held at the most; beyond it the eldest is no longer young. */
const YOUNG_TOKENS_MAX = 200_000;

/** Tokens of the last week by address, with who made them: whose trades are worth keeping. */
export interface YoungTokens {
  add(birth: TokenBirth): void;
  /** Who made a token that is young at a time; undefined of any other. */
  creatorOf(token: Hex, atS: number): Hex | undefined;
  /** Forgets tokens born in orphaned blocks. */
  drop(blockHashes: ReadonlySet<Hex>): void;
  size(): number;
}

/** An empty set. Which tokens are young follows from the chain's own time alone. */
export const createYoungTokens = (): YoungTokens => {
  const births = new Map<Hex, TokenBirth>();
  const forgetOld = (nowS: number): void => {
    for (const [token, { atS }] of births) {
      if (nowS - atS <= YOUNG_S && births.size <= YOUNG_TOKENS_MAX) return;
      births.delete(token);
    }
  };
  return {
    add: (birth) => {
      births.delete(birth.token);
      births.set(birth.token, birth);
      forgetOld(birth.atS);
    },
    creatorOf: (token, atS) => {
      const birth = births.get(token);
      return birth && birth.atS <= atS && atS - birth.atS <= YOUNG_S ? birth.creator : undefined;
    },
    drop: (blockHashes) => {
      for (const [token, { block }] of births)
        if (blockHashes.has(block.hash)) births.delete(token);
    },
    size: () => births.size,
  };
};
