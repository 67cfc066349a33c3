import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { IsMember } from './ring.ts';
import type { WalletEvidence } from './walletEvidence.ts';

/** Transactions with others that make a funded wallet somebody else's, as a share of its largest amount. */
const INDEPENDENT_MIN = 0.4;
/** Weight added for each new wallet that is paid, whatever the amount: many small transactions count too. */
const DEALING = 0.15;
/** Funded wallets without further data up to which a funder may be a person's wallet. */
const SILENT_CHILDREN_MAX = 250;

/** Weight of a funded wallet with independent activity, and additional weight if the amount is large. */
const STRANGER = 0.5;
/** Such wallets that a person may pay; every further one counts double: that is a payroll or a service. */
const STRANGERS_FEW = 3;
/** Where the ring's money goes says less about a wallet than other sources of its money. */
const ONWARD_FACTOR = 0.5;

/** Whether the wallet sets up or collects, so that its own initial funding may come from anywhere. */
const isSourceOf = ({ funded, proceedsIn, sweepsIn }: WalletEvidence): boolean =>
  funded > 0 || proceedsIn + sweepsIn > 1;

/** Inputs for examining transactions. */
interface Sources {
  readonly graph: ChainGraph;
  readonly senderOf: Flows['senderOf'];
}

/**
 * Whether a funded wallet transacts with others than its funder, the ring and those it funds: then it was merely paid
 * by the funder.
 */
const isIndependent = (
  { graph, senderOf }: Sources,
  wallet: number,
  funder: number,
  isMember: IsMember,
): boolean => {
  const { edges, isHub, isFunding, isToken, shareOf } = graph;
  const { to, kind, outs, ins } = edges;
  let activity = 0;
  const met = new Set<number>();
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === funder || sender === wallet) continue;
    if (isMember(sender)) continue;
    met.add(sender);
    activity += shareOf(wallet, e);
    if (activity >= INDEPENDENT_MIN) return true;
  }
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || target === funder || isMember(target)) continue;
    if (isHub(target) || isToken(target) || isFunding(e)) continue;
    activity += shareOf(wallet, e) + (met.has(target) ? 0 : DEALING);
    met.add(target);
    if (activity >= INDEPENDENT_MIN) return true;
  }
  return false;
};

/** Not an outsider: a ring member, a scammer of any ring, or not a wallet at all. */
const isKin = ({ isScammer, isToken }: ChainGraph, wallet: number, isMember: IsMember): boolean =>
  isMember(wallet) || isScammer(wallet) || isToken(wallet);

/** A wallet whose transactions are weighed, and the result so far. */
interface Weighing {
  readonly wallet: number;
  readonly isMember: IsMember;
  readonly evidence: WalletEvidence;
  readonly onward: number;
  /** Beyond this, the exact number does not matter. */
  readonly most: number;
  /** Wallets that it set up, and those that it transacts with. */
  readonly children: Set<number>;
  readonly dealings: Set<number>;
  outsiders: number;
}

/** Counts a transaction with an outsider, `more` for the first with it. */
const deal = (found: Weighing, other: number, sum: number, more: number): void => {
  found.outsiders += sum + (found.dealings.has(other) ? 0 : more);
  found.dealings.add(other);
};

/** Weighs the wallets that it set up and that act independently. Returns the number of the others it set up. */
const weighChildren = (sources: Sources, found: Weighing): number => {
  const { graph } = sources;
  const { isFunding, shareOf } = graph;
  const { to, outs } = graph.edges;
  const { wallet, isMember, onward, children } = found;
  let strangers = 0;
  let silent = 0;
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isFunding(e) || isKin(graph, target, isMember)) continue;
    const isNew = !children.has(target);
    children.add(target);
    if (isIndependent(sources, target, wallet, isMember)) {
      if (isNew) strangers += 1;
      const first = strangers > STRANGERS_FEW ? 2 : 1;
      const factor = onward * STRANGER;
      deal(found, target, factor * shareOf(wallet, e), factor * first);
    } else if (isNew) silent += 1;
    if (found.outsiders > found.most) break;
  }
  return silent;
};

/** Payments to others. */
const weighPayments = (sources: Sources, found: Weighing): void => {
  const { graph } = sources;
  const { isHub, shareOf } = graph;
  const { to, kind, outs } = graph.edges;
  const { wallet, isMember, onward, most, children } = found;
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || isHub(target) || children.has(target)) continue;
    if (isKin(graph, target, isMember)) continue;
    deal(found, target, onward * shareOf(wallet, e), onward * DEALING);
    if (found.outsiders > most) return;
  }
};

/** Income from others; the largest amount that a service paid it, as a share, is returned: means of its own. */
const weighIncome = (sources: Sources, found: Weighing): number => {
  const { graph, senderOf } = sources;
  const { isHub, isFunding, shareOf } = graph;
  const { kind, ins } = graph.edges;
  const { wallet, isMember, evidence, most, children } = found;
  const isSource = isSourceOf(evidence);
  let served = 0;
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === wallet || children.has(sender)) continue;
    if (isHub(sender)) served = Math.max(served, shareOf(wallet, e));
    else if (isKin(graph, sender, isMember) || (isSource && isFunding(e))) continue;
    else deal(found, sender, shareOf(wallet, e), 0);
    if (found.outsiders > most) break;
  }
  return served;
};

/** How much a wallet transacts with outsiders; exact up to `most`. */
export const createWeighOutsiders = (graph: ChainGraph, { senderOf }: Flows) => {
  const sources = { graph, senderOf };
  return (wallet: number, isMember: IsMember, evidence: WalletEvidence, most: number): number => {
    const onward = evidence.fundedBy > 0 ? ONWARD_FACTOR : 1;
    const sets = { children: new Set<number>(), dealings: new Set<number>() };
    const found: Weighing = { wallet, isMember, evidence, onward, most, ...sets, outsiders: 0 };
    const silent = weighChildren(sources, found);
    if (found.outsiders <= most) weighPayments(sources, found);
    const served = found.outsiders <= most ? weighIncome(sources, found) : 0;
    const isServed = !isSourceOf(evidence) && evidence.proceedsOut + evidence.sweepsOut === 0;
    return found.outsiders + (isServed ? served : 0) + (silent > SILENT_CHILDREN_MAX ? silent : 0);
  };
};
