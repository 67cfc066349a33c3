import type { ChainGraph } from './chainGraph.ts';
import { FUNDING, isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { IsMember, Marker } from './marker.ts';

/** Evidence that links a wallet to a ring, and how many others it deals with. All counts are of distinct wallets. */
export interface WalletEvidence {
  /** Members or scammers whose first money came from the wallet. */
  funded: number;
  /** Funded wallets without independent activity. */
  silent: number;
  /** Members who gave the wallet its first money. */
  readonly fundedBy: Set<number>;
  isExplicit: boolean;
  /** Members or scammers who sent it proceeds, and members it sent proceeds to. */
  proceedsIn: number;
  proceedsOut: number;
  /** Members or scammers who sent it most of what they ever spent; members it did so to. */
  sweepsIn: number;
  sweepsOut: number;
  /** Distinct members it has any of this evidence with. */
  members: number;
  /** Dealings with others, by their share of the largest sum the wallet ever moved. */
  outsiders: number;
  /** The largest sum a service paid it, as a share: means of its own. */
  served: number;
}

/** What evidence is read from; the markers are scratch. */
export interface EvidenceSources {
  readonly graph: ChainGraph;
  readonly flows: Flows;
  readonly linked: Marker;
  readonly counted: Marker;
}

/** No evidence yet. */
export const noEvidence = (): WalletEvidence => ({
  funded: 0,
  silent: 0,
  fundedBy: new Set(),
  isExplicit: false,
  proceedsIn: 0,
  proceedsOut: 0,
  sweepsIn: 0,
  sweepsOut: 0,
  members: 0,
  outsiders: 0,
  served: 0,
});

const link = ({ linked }: EvidenceSources, member: number, evidence: WalletEvidence): void => {
  if (linked.add(member)) evidence.members += 1;
};

/** Reads what a wallet received from the ring. `linked` must be cleared before. */
export const weighInflow = (
  sources: EvidenceSources,
  wallet: number,
  isMember: IsMember,
  evidence: WalletEvidence,
): void => {
  const { graph, counted } = sources;
  const { isHub, isFunding, isScammer } = graph;
  const { kind, ins } = graph.edges;
  const { senderOf, isProceeds, isSweep } = sources.flows;
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === wallet || !isFunding(e)) continue;
    if (isMember(sender)) {
      evidence.isExplicit ||= kind[e] === FUNDING;
      evidence.fundedBy.add(sender);
      link(sources, sender, evidence);
    }
  }
  counted.clear();
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isProceeds(e) || sender === wallet || isHub(sender)) continue;
    if (!isMember(sender) && !isScammer(sender)) continue;
    if (counted.add(sender)) evidence.proceedsIn += 1;
    if (isMember(sender)) link(sources, sender, evidence);
  }
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === wallet || counted.has(sender)) continue;
    if (isHub(sender) || !(isMember(sender) || isScammer(sender))) continue;
    if (!counted.add(sender) || !isSweep(sender, wallet)) continue;
    evidence.sweepsIn += 1;
    if (isMember(sender)) link(sources, sender, evidence);
  }
};

/** Reads what a wallet sent to the ring. */
export const weighOutflow = (
  sources: EvidenceSources,
  wallet: number,
  isMember: IsMember,
  evidence: WalletEvidence,
): void => {
  const { graph, counted } = sources;
  const { isFunding, isScammer } = graph;
  const { to, kind, outs } = graph.edges;
  const { isProceeds, isSweep } = sources.flows;
  counted.clear();
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || !isFunding(e)) continue;
    if (!isMember(target) && !isScammer(target)) continue;
    if (counted.add(target)) evidence.funded += 1;
    if (isMember(target)) link(sources, target, evidence);
  }
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMember(target) || !isProceeds(e) || !counted.add(target)) continue;
    evidence.proceedsOut += 1;
    link(sources, target, evidence);
  }
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMember(target) || !isMoney(kind[e] as number) || counted.has(target)) continue;
    if (!counted.add(target) || !isSweep(wallet, target)) continue;
    evidence.sweepsOut += 1;
    link(sources, target, evidence);
  }
};
