import type { ChainGraph } from './chainGraph.ts';
import { FUNDING, isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { IsMember } from './ring.ts';

/** Evidence that links a wallet to a ring. All counts are of distinct wallets. */
export interface WalletEvidence {
  /** Members or scammers whose initial funding came from the wallet. */
  funded: number;
  /** Members who gave the wallet its initial funding, and whether the data labels it as such. */
  fundedBy: number;
  isExplicit: boolean;
  /** Members or scammers who sent it proceeds, and members to whom it sent proceeds. */
  proceedsIn: number;
  proceedsOut: number;
  /** Others of these who sent it most of what they ever spent, and those to whom it did so. */
  sweepsIn: number;
  sweepsOut: number;
  /** Whether any of it is with a member. */
  isLinked: boolean;
}

/** What one wallet sent another. */
interface Payments {
  isFunding: boolean;
  isExplicit: boolean;
  isProceeds: boolean;
}

/** Reads the evidence in money. */
export const createReadEvidence = (graph: ChainGraph, flows: Flows) => {
  const { isFunding, isScammer } = graph;
  const { to, kind, ins, outs } = graph.edges;
  const { senderOf, isProceeds, isSweep } = flows;

  const note = (payments: Map<number, Payments>, other: number, e: number): void => {
    const known = payments.get(other);
    const noted = known ?? { isFunding: false, isExplicit: false, isProceeds: false };
    if (!known) payments.set(other, noted);
    noted.isProceeds ||= isProceeds(e);
    if (!isFunding(e)) return;
    noted.isFunding = true;
    noted.isExplicit ||= kind[e] === FUNDING;
  };

  return (wallet: number, isMember: IsMember): WalletEvidence => {
    const isKin = (other: number): boolean =>
      other !== wallet && (isMember(other) || isScammer(other));
    const [received, sent] = [new Map<number, Payments>(), new Map<number, Payments>()];
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const sender = senderOf(e);
      if (isMoney(kind[e] as number) && isKin(sender)) note(received, sender, e);
    }
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const target = to[e] as number;
      if (isMoney(kind[e] as number) && isKin(target)) note(sent, target, e);
    }
    const evidence: WalletEvidence = {
      funded: 0,
      fundedBy: 0,
      isExplicit: false,
      proceedsIn: 0,
      proceedsOut: 0,
      sweepsIn: 0,
      sweepsOut: 0,
      isLinked: false,
    };
    const count = (
      name: 'funded' | 'fundedBy' | `${'proceeds' | 'sweeps'}${'In' | 'Out'}`,
      of: number,
    ) => {
      evidence[name] += 1;
      evidence.isLinked ||= isMember(of);
    };
    for (const [sender, payments] of received) {
      if (payments.isFunding && isMember(sender)) {
        count('fundedBy', sender);
        evidence.isExplicit ||= payments.isExplicit;
      }
      if (payments.isProceeds) count('proceedsIn', sender);
      else if (isSweep(sender, wallet)) count('sweepsIn', sender);
    }
    for (const [target, payments] of sent) {
      if (payments.isFunding) count('funded', target);
      else if (!isMember(target)) continue;
      else if (payments.isProceeds) count('proceedsOut', target);
      else if (isSweep(wallet, target)) count('sweepsOut', target);
    }
    return evidence;
  };
};
