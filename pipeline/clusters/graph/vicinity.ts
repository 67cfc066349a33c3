import { type EdgeTable, NO_EDGE } from './edgeTable.ts';
import type { TokenBirth, TokenBook } from './tokenBook.ts';

/**
 * Which wallets stand next to a ring or a scammer, or once did: everybody else's neighbours need not be
 * walked when a change looks for the rings it may reach. Never falls back, so that it may say yes where no
 * ring is any more, never no where one is. 2 bytes a wallet.
 */
export const createVicinity = (edges: EdgeTable, tokens: TokenBook, walletsMax: number) => {
  const { from, to, outs, ins } = edges;
  /** Was in a ring, deployed a scam, or is a token of such a wallet. */
  const isCore = new Uint8Array(walletsMax);
  const isNear = new Uint8Array(walletsMax);
  const enter = (wallet: number): void => {
    if (isCore[wallet] === 1) return;
    isCore[wallet] = 1;
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      isNear[to[e] as number] = 1;
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      isNear[from[e] as number] = 1;
    }
    for (const { token } of tokens.createdBy(wallet)) enter(token);
  };
  return {
    bytes: walletsMax * 2,
    isNear: (wallet: number): boolean => isNear[wallet] === 1,
    /** A wallet is in a ring now, or deployed a scam. */
    enter,
    /** An edge was added. */
    link: (edge: number): void => {
      const [source, target] = [from[edge] as number, to[edge] as number];
      if (isCore[source] === 1) isNear[target] = 1;
      if (isCore[target] === 1) isNear[source] = 1;
    },
    /** A token was added. */
    bear: ({ token, creator }: TokenBirth): void => {
      if (isCore[creator] === 1) enter(token);
    },
  };
};
