import type { ChainGraph } from './chainGraph.ts';
import { isMoney } from './edgeKinds.ts';
import { NO_EDGE } from './edgeTable.ts';
import { createMarker, type Marker } from './marker.ts';
import type { IsMember } from './ownLife.ts';

/** Part of the dealings that chance may give, up to which a wallet is quiet: next to no bystander is. */
const QUIET_PART = 0.5;
/** The same for who is lively: a wallet of a ring that chance met often has fewer dealings all in all. */
const LIVELY_PART = 1.5;

/** Calls `meet` for the other end of every money edge of a wallet until it says stop. */
const forDealings = (
  { edges }: ChainGraph,
  wallet: number,
  meet: (other: number, edge: number) => boolean,
): void => {
  const { from, to, kind, outs, ins } = edges;
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    if (isMoney(kind[e] as number) && meet(from[e] as number, e)) return;
  }
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    if (isMoney(kind[e] as number) && meet(to[e] as number, e)) return;
  }
};

/** Whether a wallet deals with more than so many others, services not counted. */
const dealsWithMoreThan = (
  graph: ChainGraph,
  seen: Marker,
  wallet: number,
  limit: number,
): boolean => {
  let count = 0;
  seen.clear();
  forDealings(graph, wallet, (other) => {
    if (!graph.isHub(other) && !graph.isToken(other) && seen.add(other)) count += 1;
    return count > limit;
  });
  return count > limit;
};

/**
 * Where bystanders are known to deal with many (`strayDealings`), how few of them a wallet deals with tells a wallet
 * of a ring from one that the ring happened to deal with. Its crowd is every lively wallet it deals with besides
 * services, members, scammers and those it set up itself. Zero everywhere where nothing is known of bystanders.
 */
export const createCrowd = (graph: ChainGraph) => {
  const { edges, isHub, isToken, isFunding, isScammer, strayDealings } = graph;
  const met = createMarker(graph.wallets.capacity);
  const seen = createMarker(graph.wallets.capacity);
  const sizeOf = (wallet: number, isMember: IsMember): number => {
    let count = 0;
    met.clear();
    forDealings(graph, wallet, (other, edge) => {
      const isNear = isMember(other) || isScammer(other) || isHub(other) || isToken(other);
      const isChild = edges.to[edge] === other && isFunding(edge);
      if (isNear || isChild || !met.add(other)) return false;
      if (dealsWithMoreThan(graph, seen, other, LIVELY_PART * strayDealings)) count += 1;
      return false;
    });
    return count;
  };
  return {
    /** How many there are beyond those that chance may give. */
    excess: (wallet: number, isMember: IsMember): number =>
      strayDealings === 0 ? 0 : Math.max(0, sizeOf(wallet, isMember) - strayDealings),
    /** Whether there are so few that chance hardly explains why the wallet deals with the ring. */
    isQuiet: (wallet: number, isMember: IsMember): boolean =>
      strayDealings > 0 && sizeOf(wallet, isMember) <= QUIET_PART * strayDealings,
  };
};
export type Crowd = ReturnType<typeof createCrowd>;
