import type { ChainGraph } from './chainGraph.ts';
import { NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { IsMember } from './ring.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import { JOIN_MIN } from './weights.ts';

/** Maximum wallets of a growing ring; further ones stay outside. */
const RING_WALLETS_MAX = 5_000;

/** How evidence is weighed. */
interface Weighing {
  /**
   * The log-odds that a wallet belongs to the same party as the members of a ring. Exact only from `joinMin` up, and
   * never decreases when the ring grows.
   */
  readonly weigh: (wallet: number, isMember: IsMember, joinMin: number) => number;
  /**
   * Wallets of another ring that must have enough evidence to join before the two rings merge; 0: the joining wallet
   * is enough.
   */
  readonly linkingWalletsMin: number;
}
export type CreateWeighing = (parts: {
  readonly graph: ChainGraph;
  readonly flows: Flows;
  readonly trade: TradeEvidence;
}) => Weighing;

/** Dependencies of growing a ring. */
interface Growth {
  readonly graph: ChainGraph;
  readonly trade: TradeEvidence;
  readonly weighing: Weighing;
}

/** Finds every wallet whose weight may have increased because one joined. */
const createCandidates = ({ graph, trade }: Pick<Growth, 'graph' | 'trade'>) => {
  const { edges, isHub, isToken, isFunding, tokens } = graph;
  const { from, to, outs, ins } = edges;
  return (wallet: number, isMember: IsMember): Set<number> => {
    const found = new Set<number>();
    const add = (near: number): void => {
      found.add(near);
      // The funder of a neighbour is affected by that neighbour's transactions.
      for (let e = ins.head[near] as number; e !== NO_EDGE; e = ins.next[e] as number) {
        if (isFunding(e)) found.add(from[e] as number);
      }
    };
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const near = to[e] as number;
      if (!isToken(near)) {
        if (!isHub(near)) add(near);
        continue;
      }
      const creator = tokens.creationOf(near)?.creator;
      if (creator === undefined || !isMember(creator)) continue;
      for (const purchase of trade.launchPurchases(near)) found.add(from[purchase] as number);
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const near = from[e] as number;
      if (!isToken(near) && !isHub(near)) add(near);
    }
    for (const creation of tokens.createdBy(wallet)) {
      for (const purchase of trade.launchPurchases(creation.token))
        found.add(from[purchase] as number);
      for (let e = outs.head[creation.token] as number; e !== NO_EDGE; e = outs.next[e] as number) {
        found.add(to[e] as number);
      }
      for (const twin of tokens.twinsOf(creation)) found.add(twin.creator);
    }
    return found;
  };
};

/**
 * Grows a ring from its scammers: the smallest set that contains them and that no outside wallet has enough evidence
 * to join. A wallet's weight never decreases as the ring grows, so the result does not depend on the order of
 * wallets. A wallet that is in another ring brings that ring along. If several such wallets are required
 * (`linkingWalletsMin`), the order decides which of two rings keeps a wallet of both.
 */
export const createGrowRing = ({ graph, trade, weighing }: Growth) => {
  const { weigh, linkingWalletsMin } = weighing;
  const { isHub, isToken } = graph;
  const candidatesAround = createCandidates({ graph, trade });

  return (
    seeds: readonly number[],
    ringOf: (wallet: number) => readonly number[] | undefined,
  ): number[] => {
    const ring = new Set<number>();
    const isMember: IsMember = (wallet) => ring.has(wallet);
    const joinWithRing = (wallet: number): void => {
      ring.add(wallet);
      for (const other of ringOf(wallet) ?? []) ring.add(other);
    };
    const mayBringRing = (wallet: number): boolean => {
      const others = ringOf(wallet);
      if (linkingWalletsMin === 0 || others === undefined) return true;
      const linking = others.filter((other) => weigh(other, isMember, JOIN_MIN) >= JOIN_MIN);
      return linking.length >= linkingWalletsMin;
    };
    for (const seed of seeds) joinWithRing(seed);
    // Wallets that join meanwhile are examined too.
    for (const member of ring) {
      if (ring.size >= RING_WALLETS_MAX) break;
      for (const wallet of candidatesAround(member, isMember)) {
        if (isMember(wallet) || isHub(wallet) || isToken(wallet)) continue;
        const isEnough = weigh(wallet, isMember, JOIN_MIN) >= JOIN_MIN;
        if (isEnough && mayBringRing(wallet)) joinWithRing(wallet);
      }
    }
    return [...ring];
  };
};
