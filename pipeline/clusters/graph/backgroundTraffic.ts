import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { createMarker } from './marker.ts';

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

/** Distinguishes funded wallets that belong to their funder from those that merely were paid by it. */
export const createIndependentActivity = (graph: ChainGraph, { senderOf }: Flows) => {
  const { edges, isHub, isFunding, isScammer, isToken, shareOf } = graph;
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
      const isOwn = (): boolean => activity >= INDEPENDENT_MIN;
      const deal = (other: number, sum: number, more: number): void => {
        activity += sum + (dealings.add(other) ? more : 0);
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
