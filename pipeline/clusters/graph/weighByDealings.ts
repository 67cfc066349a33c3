import type { IsMember } from './backgroundTraffic.ts';
import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NATIVE, NO_EDGE } from './edgeTable.ts';
import { createMarker } from './marker.ts';
import type { Dealings } from './ringDetector.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import {
  DEALT_AGAIN,
  FEW_OUTSIDERS_MAX,
  FURTHER_LINKS_MAX,
  FURTHER_MEMBER,
  IS_SCAMMER_TOO,
  NEIGHBOURS_MEMBERS_MAX,
  SERVED_PENALTY,
} from './weights.ts';

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

/** Reads who deals with whom; the marker is scratch. */
const createDealingCounts = (graph: ChainGraph, { lively }: Dealings) => {
  const seen = createMarker(graph.wallets.capacity);
  return {
    /** Whether a wallet deals with as many others as most bystanders do, services not counted. */
    isLively: (wallet: number): boolean => {
      let count = 0;
      seen.clear();
      forDealings(graph, wallet, (other) => {
        if (!graph.isHub(other) && !graph.isToken(other) && seen.add(other)) count += 1;
        return count >= lively;
      });
      return count >= lively;
    },
    membersAround: (wallet: number, isMember: IsMember): number => {
      let count = 0;
      seen.clear();
      forDealings(graph, wallet, (other) => {
        if (isMember(other) && seen.add(other)) count += 1;
        return false;
      });
      return count;
    },
  };
};

/**
 * The log-odds that a wallet is of the same hand as the members of a ring where it is known how many outsiders bystanders and
 * scammers deal with: by how many its number is the likelier that of a scammer (both taken to be Poisson
 * distributed), and by how many of the dealings of its neighbour in the ring are with members rather than chance.
 * 0 where no member has to do with it. Never falls when the ring grows.
 */
export const createWeighByDealings = (
  graph: ChainGraph,
  trade: TradeEvidence,
  dealings: Dealings,
) => {
  const { isHub, isToken, isScammer, edges } = graph;
  const counts = createDealingCounts(graph, dealings);
  const met = createMarker(graph.wallets.capacity);
  const again = createMarker(graph.wallets.capacity);
  const perOutsider = Math.log(dealings.scammers / dealings.bystanders);
  const withoutOutsiders = dealings.bystanders - dealings.scammers;

  return (wallet: number, isMember: IsMember): number => {
    const linked: number[] = [];
    let repeats = 0;
    let outsiders = 0;
    let isServed = false;
    met.clear();
    again.clear();
    forDealings(graph, wallet, (other, edge) => {
      isServed ||= edges.to[edge] === wallet && isHub(other);
      const isNew = met.add(other);
      if (isMember(other)) {
        if (isNew) linked.push(other);
        if ((!isNew || edges.kind[edge] !== NATIVE) && again.add(other)) repeats += 1;
      } else if (isNew && !isHub(other) && !isToken(other) && !isScammer(other)) {
        if (counts.isLively(other)) outsiders += 1;
      }
      return false;
    });
    const traded = trade.weigh(wallet, isMember);
    if (linked.length === 0 && traded === 0) return 0;
    const around = Math.max(1, ...linked.map((one) => counts.membersAround(one, isMember)));
    const isOwnScammer = isScammer(wallet);
    return (
      traded +
      Math.min(NEIGHBOURS_MEMBERS_MAX, Math.log(around)) -
      Math.log(dealings.scammers) +
      FURTHER_MEMBER * Math.min(FURTHER_LINKS_MAX, Math.max(0, linked.length - 1)) +
      DEALT_AGAIN * Math.min(FURTHER_LINKS_MAX, repeats) +
      Math.min(FEW_OUTSIDERS_MAX, withoutOutsiders + outsiders * perOutsider) -
      (isServed && !isOwnScammer ? SERVED_PENALTY : 0) +
      (isOwnScammer ? IS_SCAMMER_TOO : 0)
    );
  };
};
