import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { createMarker, type Marker } from './marker.ts';

/** Whether a wallet belongs to the ring that is being grown. */
export type IsMember = (wallet: number) => boolean;

/** Dealings with others that make a funded wallet somebody else's, as a share of its largest sum. */
const INDEPENDENT_MIN = 0.4;
/** What every other wallet that it pays adds, however little: many small dealings count too. */
export const DEALING = 0.15;
/** Other wallets of one funder that pay into the same wallet, from which that is their common pot. */
const POT_FAMILY_MIN = 2;
/** Share that such wallets must have among all who pay into it: a shop has other customers. */
const POT_FAMILY_SHARE_MIN = 0.5;

/**
 * What dealings amount to beyond those that chance alone gives any wallet: `stray` of `count` counterparties
 * are forgiven with their part of the sum.
 */
export const beyondChance = (sum: number, count: number, stray: number): number =>
  count <= stray ? 0 : sum * (1 - stray / count);

/** Distinguishes funded wallets that belong to their funder from those that merely were paid by it. */
export const createIndependentActivity = (graph: ChainGraph, { senderOf }: Flows) => {
  const { edges, isHub, isFunding, isScammer, isToken, shareOf, strayDealings } = graph;
  const { from, to, kind, outs, ins } = edges;
  const senders = createMarker(graph.wallets.capacity);
  const dealings = createMarker(graph.wallets.capacity);

  const funders = (wallet: number): number[] => {
    const found: number[] = [];
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const funder = from[e] as number;
      if (isFunding(e) && !isHub(funder) && !found.includes(funder)) found.push(funder);
    }
    return found;
  };
  /** Whether a wallet was set up by a funder, by who set that funder up, or by another one so set up. */
  const isFamily = (wallet: number, funder: number, above: readonly number[]): boolean =>
    funders(wallet).some(
      (near) =>
        near === funder ||
        above.includes(near) ||
        (above.length > 0 && funders(near).some((far) => above.includes(far))),
    );
  /** Whether a wallet collects from those that a funder or its like set up, `except` not counted. */
  const isPot = (wallet: number, funder: number, except: number, isMember: IsMember): boolean => {
    if (funders(wallet).includes(funder)) return false;
    const above = funders(funder);
    senders.clear();
    let family = 0;
    let all = 0;
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(kind[e] as number) || sender === except || isHub(sender)) continue;
      if (!senders.add(sender)) continue;
      all += 1;
      if (isMember(sender) || isScammer(sender) || isFamily(sender, funder, above)) family += 1;
    }
    return family >= POT_FAMILY_MIN && family >= POT_FAMILY_SHARE_MIN * all;
  };

  return {
    isPot,
    /** Whether a funded wallet deals with others than its funder, the ring, those it funds and a common pot. */
    isIndependent: (wallet: number, funder: number, isMember: IsMember): boolean => {
      let activity = 0;
      let count = 0;
      const isOwn = (): boolean => beyondChance(activity, count, strayDealings) >= INDEPENDENT_MIN;
      const deal = (other: number, sum: number, more: number): void => {
        const isNew = dealings.add(other);
        count += isNew ? 1 : 0;
        activity += sum + (isNew ? more : 0);
      };
      dealings.clear();
      for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
        const sender = senderOf(e);
        if (!isMoney(kind[e] as number) || sender === funder || sender === wallet) continue;
        if (!isMember(sender)) deal(sender, shareOf(wallet, e), 0);
        if (isOwn()) return true;
      }
      for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
        const target = to[e] as number;
        if (!isMoney(kind[e] as number) || target === funder || isMember(target)) continue;
        if (isHub(target) || isToken(target) || isFunding(e)) continue;
        if (isPot(target, funder, wallet, isMember)) continue;
        deal(target, shareOf(wallet, e), DEALING);
        if (isOwn()) return true;
      }
      return false;
    },
  };
};

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
 * Where bystanders are known to deal with many (`strayDealings`), how few of them a wallet deals with distinguishes a wallet
 * of a ring from one that the ring happened to deal with. Its background traffic is every lively wallet it deals with besides
 * services, members, scammers and those it set up itself. Zero everywhere where nothing is known of bystanders.
 */
export const createBackgroundTraffic = (graph: ChainGraph) => {
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
export type BackgroundTraffic = ReturnType<typeof createBackgroundTraffic>;
