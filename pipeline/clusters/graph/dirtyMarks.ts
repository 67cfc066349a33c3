import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { HeldRing, RingRegistry } from './ringRegistry.ts';

/**
 * A wallet's weight for a ring depends on its own edges, on those of the wallets it funded, and on those of the
 * wallets that these funded. So a change at a wallet affects rings next to it, next to its funder, and next to the
 * funders of the wallets that paid it. Must be called before and after every change.
 */
export const createDirtyMarks = (graph: ChainGraph, flows: Flows, registry: RingRegistry) => {
  const { edges, isHub, isToken, isScammer, tokens } = graph;
  const { from, kind, ins } = edges;
  const rings = new Set<HeldRing>();
  const scammers = new Set<number>();

  const visit = (wallet: number): void => {
    const at = isToken(wallet) ? (tokens.creationOf(wallet)?.creator ?? wallet) : wallet;
    const ring = registry.ringOf(at);
    if (ring) rings.add(ring);
    else if (isScammer(at)) scammers.add(at);
  };
  const visitAround = (wallet: number): void => {
    visit(wallet);
    if (!isHub(wallet) && !isToken(wallet)) flows.forNeighbours(wallet, visit);
  };
  const around = (wallet: number): void => {
    visitAround(wallet);
    if (isHub(wallet) || isToken(wallet)) return;
    flows.forFunders(wallet, visitAround);
  };
  const markOne = (wallet: number): void => {
    around(wallet);
    if (isHub(wallet) || isToken(wallet)) return;
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = from[e] as number;
      if (isMoney(kind[e] as number) && !isHub(sender)) flows.forFunders(sender, visitAround);
    }
    for (const creation of tokens.createdBy(wallet)) {
      for (const { creator } of tokens.twinsOf(creation)) visit(creator);
    }
  };

  return {
    /**
     * Marks everything that depends on a wallet; `isDeep` if more than its edges changed: hub, token or scammer.
     */
    mark: (wallet: number, isDeep: boolean): void => {
      markOne(wallet);
      if (isDeep || isScammer(wallet)) flows.forNeighbours(wallet, around);
    },
    /** Returns what was marked, and clears the marks. */
    take: (): { rings: HeldRing[]; scammers: number[] } => {
      const marks = { rings: [...rings], scammers: [...scammers] };
      rings.clear();
      scammers.clear();
      return marks;
    },
  };
};
