import type { ChainGraph } from './chainGraph.ts';
import { isMoney, LP_PAID, NO_EDGE, PROCEEDS_KIND } from './edgeTable.ts';

/** Share of a wallet's spending that one target must receive to count as a sweep. */
const SWEEP_SHARE_MIN = 0.5;

/** The meaning of one wallet's edges. */
export const createFlows = ({ edges, isToken, isFunding, tokens }: ChainGraph) => {
  const { from, to, kind, value, outs, ins } = edges;
  return {
    /** Who sent an edge's money: what is taken out of a token's pool comes from the token's creator. */
    senderOf: (edge: number): number => {
      const sender = from[edge] as number;
      return isToken(sender) ? (tokens.creationOf(sender)?.creator ?? sender) : sender;
    },
    isProceeds: (edge: number): boolean => kind[edge] === PROCEEDS_KIND || kind[edge] === LP_PAID,
    /** Whether a wallet sent one target at least half of all the money it ever sent. */
    isSweep: (wallet: number, target: number): boolean => {
      let all = 0;
      let there = 0;
      for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
        if (!isMoney(kind[e] as number) || isToken(to[e] as number)) continue;
        // An unknown amount counts as one.
        const amount = (value[e] as number) || 1;
        all += amount;
        if (to[e] === target) there += amount;
      }
      return there > 0 && there >= SWEEP_SHARE_MIN * all;
    },
    /** Calls `visit` for every sender of a wallet's initial funding. */
    forFunders: (wallet: number, visit: (funder: number) => void): void => {
      for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
        if (isFunding(e)) visit(from[e] as number);
      }
    },
    /** Calls `visit` for the other end of every edge of a wallet, including repetitions. */
    forNeighbours: (wallet: number, visit: (other: number) => void): void => {
      for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
        visit(to[e] as number);
      }
      for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
        visit(from[e] as number);
      }
    },
  };
};
export type Flows = ReturnType<typeof createFlows>;
