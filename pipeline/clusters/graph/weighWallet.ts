import type { ChainGraph } from './chainGraph.ts';
import { FUNDING, isMoney } from './edgeKinds.ts';
import { NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { createMarker } from './marker.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import {
  FUNDED_BY_MEMBER,
  FUNDED_BY_MEMBER_EXPLICIT,
  FUNDED_MEMBER,
  IS_SCAMMER,
  OUTSIDER_PENALTY,
  PROCEEDS,
  SWEEP_ONE,
  SWEEPS_TO_MEMBER,
  SWEEPS_TWO,
  withFurther,
} from './weights.ts';

/** Funded wallets about which nothing else is known, up to which a funder may be a person's wallet. */
const SILENT_CHILDREN_MAX = 250;

/** Whether a wallet belongs to the ring that is being grown. */
export type IsMember = (wallet: number) => boolean;

/** What ties a wallet to a ring, and how many others it deals with. All counts are of distinct wallets. */
interface Ties {
  /** Members or scammers whose first money came from the wallet. */
  funded: number;
  /** Funded wallets without a life of their own. */
  silent: number;
  /** Members who gave the wallet its first money. */
  fundedBy: number;
  isExplicit: boolean;
  /** Members or scammers who sent it proceeds, and members it sent proceeds to. */
  proceedsIn: number;
  proceedsOut: number;
  /** Members or scammers who sent it most of what they ever spent; members it did so to. */
  sweepsIn: number;
  sweepsOut: number;
  /** Distinct members it has any of these ties with. */
  members: number;
  outsiders: number;
  /** Whether a service paid it money: means of its own. */
  isServed: boolean;
}

const weightOf = (ties: Ties, isScammer: boolean, trade: number): number => {
  const { funded, fundedBy, proceedsIn, proceedsOut, sweepsIn, sweepsOut } = ties;
  const inLinks = Math.max(fundedBy, proceedsIn + sweepsIn);
  const received = Math.max(
    fundedBy > 0 ? (ties.isExplicit ? FUNDED_BY_MEMBER_EXPLICIT : FUNDED_BY_MEMBER) : 0,
    proceedsIn > 0 ? PROCEEDS : 0,
    sweepsIn > 1 ? SWEEPS_TWO : sweepsIn * SWEEP_ONE,
  );
  const sent = Math.max(proceedsOut > 0 ? PROCEEDS : 0, sweepsOut > 0 ? SWEEPS_TO_MEMBER : 0);
  const links =
    (funded > 0 ? withFurther(FUNDED_MEMBER, funded) : 0) +
    (received > 0 ? withFurther(received, inLinks) : 0) +
    (sent > 0 ? withFurther(sent, proceedsOut + sweepsOut) : 0) +
    trade;
  return links > 0 && isScammer ? links + IS_SCAMMER : links;
};

/**
 * The log-odds that a wallet is of the same hand as the members of a ring. Depends on the edges of the
 * wallet, of those it funded and of those who swept into it, and never falls when the ring grows.
 */
export const createWeighWallet = (
  graph: ChainGraph,
  { senderOf, isProceeds, isSweep }: Flows,
  tradeEvidence: TradeEvidence,
) => {
  const { edges, isHub, isFunding, isMaterial, isScammer, isToken } = graph;
  const { to, kind, outs, ins } = edges;
  const capacity = graph.wallets.capacity;
  const linked = createMarker(capacity);
  const others = createMarker(capacity);
  const counted = createMarker(capacity);

  const link = (member: number, ties: Ties): void => {
    if (linked.add(member)) ties.members += 1;
  };
  /** Whether a funded wallet deals with others than its funder, the ring and those it funds itself. */
  const hasOwnLife = (wallet: number, funder: number, isMember: IsMember): boolean => {
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(kind[e] as number) || sender === funder || sender === wallet) continue;
      if (!isMember(sender) && isMaterial(wallet, e)) return true;
    }
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isMoney(kind[e] as number) || target === funder || isMember(target)) continue;
      if (isHub(target) || isToken(target) || !isMaterial(wallet, e)) continue;
      if (!isFunding(e)) return true;
    }
    return false;
  };

  const weighInflow = (wallet: number, isMember: IsMember, ties: Ties): void => {
    counted.clear();
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(kind[e] as number) || sender === wallet || !isFunding(e)) continue;
      if (isMember(sender)) {
        ties.isExplicit ||= kind[e] === FUNDING;
        if (counted.add(sender)) ties.fundedBy += 1;
        link(sender, ties);
      }
    }
    counted.clear();
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isProceeds(e) || sender === wallet || isHub(sender)) continue;
      if (!isMember(sender) && !isScammer(sender)) continue;
      if (counted.add(sender)) ties.proceedsIn += 1;
      if (isMember(sender)) link(sender, ties);
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(kind[e] as number) || sender === wallet || counted.has(sender)) continue;
      if (isHub(sender) || !(isMember(sender) || isScammer(sender))) continue;
      if (!counted.add(sender) || !isSweep(sender, wallet)) continue;
      ties.sweepsIn += 1;
      if (isMember(sender)) link(sender, ties);
    }
  };

  const weighOutflow = (wallet: number, isMember: IsMember, ties: Ties): void => {
    counted.clear();
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isMoney(kind[e] as number) || !isFunding(e)) continue;
      if (!isMember(target) && !isScammer(target)) continue;
      if (counted.add(target)) ties.funded += 1;
      if (isMember(target)) link(target, ties);
    }
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isMember(target) || !isProceeds(e) || !counted.add(target)) continue;
      ties.proceedsOut += 1;
      link(target, ties);
    }
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isMember(target) || !isMoney(kind[e] as number) || counted.has(target)) continue;
      if (!counted.add(target) || !isSweep(wallet, target)) continue;
      ties.sweepsOut += 1;
      link(target, ties);
    }
  };

  /** No outsider: of the ring, a scammer of whatever ring, or no wallet at all. */
  const isKin = (wallet: number, isMember: IsMember): boolean =>
    isMember(wallet) || isScammer(wallet) || isToken(wallet);

  /** Others the wallet dealt with, each once; stops counting at `most`. Ties must be weighed before. */
  const countOutsiders = (wallet: number, isMember: IsMember, ties: Ties, most: number): void => {
    others.clear();
    const isSource = ties.funded > 0 || ties.proceedsIn + ties.sweepsIn > 1;
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isFunding(e) || isKin(target, isMember) || !others.add(target)) continue;
      if (hasOwnLife(target, wallet, isMember)) ties.outsiders += 1;
      else ties.silent += 1;
      if (ties.outsiders > most) return;
    }
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (!isMoney(kind[e] as number) || isHub(target) || isKin(target, isMember)) continue;
      if (!isMaterial(wallet, e)) continue;
      if (others.add(target)) ties.outsiders += 1;
      if (ties.outsiders > most) return;
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(kind[e] as number) || sender === wallet || !isMaterial(wallet, e)) continue;
      if (isHub(sender)) ties.isServed = true;
      else if (isKin(sender, isMember) || (isSource && isFunding(e))) continue;
      else if (others.add(sender)) ties.outsiders += 1;
      if (ties.outsiders > most) return;
    }
    if (ties.isServed && !isSource && ties.proceedsOut + ties.sweepsOut === 0) ties.outsiders += 1;
    if (ties.silent > SILENT_CHILDREN_MAX) ties.outsiders += ties.silent;
  };

  return (wallet: number, isMember: IsMember, joinMin: number): number => {
    const ties: Ties = {
      funded: 0,
      silent: 0,
      fundedBy: 0,
      isExplicit: false,
      proceedsIn: 0,
      proceedsOut: 0,
      sweepsIn: 0,
      sweepsOut: 0,
      members: 0,
      outsiders: 0,
      isServed: false,
    };
    linked.clear();
    weighInflow(wallet, isMember, ties);
    weighOutflow(wallet, isMember, ties);
    const trade = tradeEvidence.weigh(wallet, isMember);
    const weight = weightOf(ties, isScammer(wallet), trade);
    if (weight < joinMin || (ties.members === 0 && trade === 0)) return 0;
    const scale = Math.sqrt(
      Math.max(1, ties.funded + ties.proceedsIn + ties.sweepsIn + ties.fundedBy),
    );
    const most = scale * (Math.exp((weight - joinMin) / OUTSIDER_PENALTY) - 1);
    countOutsiders(wallet, isMember, ties, most);
    return weight - OUTSIDER_PENALTY * Math.log(1 + ties.outsiders / scale);
  };
};
