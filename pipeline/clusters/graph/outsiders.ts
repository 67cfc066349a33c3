import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { createMarker, type IsMember } from './marker.ts';
import type { WalletEvidence } from './walletEvidence.ts';

/** Dealings with others that make a funded wallet somebody else's, as a share of its largest sum. */
const INDEPENDENT_MIN = 0.4;
/** What every other wallet that one pays adds, however little: many small dealings count too. */
const DEALING = 0.15;
/** Funded wallets about which nothing else is known, up to which a funder may be a person's wallet. */
const SILENT_CHILDREN_MAX = 250;

/** A funded wallet with independent activity counts so much, and as much again where the sum is large. */
const STRANGER = 0.5;
/** Such wallets that a person may pay; every further one counts double: that is a payroll or a service. */
const STRANGERS_FEW = 3;
/** Where money of the ring goes on to says less of a wallet than where else its money comes from. */
const ONWARD_FACTOR = 0.5;

/** Whether the wallet sets up or collects, so that its own first money may come from anywhere. */
const isSourceOf = ({ funded, proceedsIn, sweepsIn }: WalletEvidence): boolean =>
  funded > 0 || proceedsIn + sweepsIn > 1;

/** What dealings are read with; the markers are scratch. */
const createScratch = (graph: ChainGraph, { senderOf }: Flows) => ({
  graph,
  senderOf,
  children: createMarker(graph.wallets.capacity),
  dealings: createMarker(graph.wallets.capacity),
  dealingsOfChild: createMarker(graph.wallets.capacity),
});
type Scratch = ReturnType<typeof createScratch>;

/** Whether a funded wallet deals with others than its funder, the ring and those it funds: then it was merely paid by it. */
const isIndependent = (
  { graph, senderOf, dealingsOfChild }: Scratch,
  wallet: number,
  funder: number,
  isMember: IsMember,
): boolean => {
  const { edges, isHub, isFunding, isToken, shareOf } = graph;
  const { to, kind, outs, ins } = edges;
  let activity = 0;
  dealingsOfChild.clear();
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === funder || sender === wallet) continue;
    if (isMember(sender)) continue;
    dealingsOfChild.add(sender);
    activity += shareOf(wallet, e);
    if (activity >= INDEPENDENT_MIN) return true;
  }
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || target === funder || isMember(target)) continue;
    if (isHub(target) || isToken(target) || isFunding(e)) continue;
    activity += shareOf(wallet, e) + (dealingsOfChild.add(target) ? DEALING : 0);
    if (activity >= INDEPENDENT_MIN) return true;
  }
  return false;
};

/** No outsider: of the ring, a scammer of whatever ring, or no wallet at all. */
const isKin = ({ isScammer, isToken }: ChainGraph, wallet: number, isMember: IsMember): boolean =>
  isMember(wallet) || isScammer(wallet) || isToken(wallet);

/** A wallet whose dealings are weighed, and what was found so far. */
interface Weighing {
  readonly wallet: number;
  readonly isMember: IsMember;
  readonly evidence: WalletEvidence;
  readonly onward: number;
  /** From where on it need not be known how many more there are. */
  readonly most: number;
  outsiders: number;
}

/** Counts a dealing with an outsider, `more` for the first with it. */
const deal = (
  { dealings }: Scratch,
  found: Weighing,
  other: number,
  sum: number,
  more: number,
): void => {
  found.outsiders += sum + (dealings.add(other) ? more : 0);
};

/** Wallets it set up that live for themselves, and how many others it set up, which is returned. */
const weighChildren = (scratch: Scratch, found: Weighing): number => {
  const { graph, children } = scratch;
  const { isFunding, shareOf } = graph;
  const { to, outs } = graph.edges;
  const { wallet, isMember, onward } = found;
  let strangers = 0;
  let silent = 0;
  children.clear();
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isFunding(e) || isKin(graph, target, isMember)) continue;
    const isNew = children.add(target);
    if (isIndependent(scratch, target, wallet, isMember)) {
      if (isNew) strangers += 1;
      const first = strangers > STRANGERS_FEW ? 2 : 1;
      const factor = onward * STRANGER;
      deal(scratch, found, target, factor * shareOf(wallet, e), factor * first);
    } else if (isNew) silent += 1;
    if (found.outsiders > found.most) break;
  }
  return silent;
};

/** Payments to others. */
const weighPayments = (scratch: Scratch, found: Weighing): void => {
  const { graph, children } = scratch;
  const { isHub, shareOf } = graph;
  const { to, kind, outs } = graph.edges;
  const { wallet, isMember, onward, most } = found;
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || isHub(target) || children.has(target)) continue;
    if (isKin(graph, target, isMember)) continue;
    deal(scratch, found, target, onward * shareOf(wallet, e), onward * DEALING);
    if (found.outsiders > most) return;
  }
};

/** Income from others; the largest sum that a service paid it, as a share, is returned: means of its own. */
const weighIncome = (scratch: Scratch, found: Weighing): number => {
  const { graph, senderOf, children } = scratch;
  const { isHub, isFunding, shareOf } = graph;
  const { kind, ins } = graph.edges;
  const { wallet, isMember, evidence, most } = found;
  const isSource = isSourceOf(evidence);
  let served = 0;
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = senderOf(e);
    if (!isMoney(kind[e] as number) || sender === wallet || children.has(sender)) continue;
    if (isHub(sender)) served = Math.max(served, shareOf(wallet, e));
    else if (isKin(graph, sender, isMember) || (isSource && isFunding(e))) continue;
    else deal(scratch, found, sender, shareOf(wallet, e), 0);
    if (found.outsiders > most) break;
  }
  return served;
};

/** How much a wallet deals with outsiders; exact up to `most`. */
export const createWeighOutsiders = (graph: ChainGraph, flows: Flows) => {
  const scratch = createScratch(graph, flows);
  return (wallet: number, isMember: IsMember, evidence: WalletEvidence, most: number): number => {
    const onward = evidence.fundedBy > 0 ? ONWARD_FACTOR : 1;
    const found: Weighing = { wallet, isMember, evidence, onward, most, outsiders: 0 };
    scratch.dealings.clear();
    const silent = weighChildren(scratch, found);
    if (found.outsiders <= most) weighPayments(scratch, found);
    const served = found.outsiders <= most ? weighIncome(scratch, found) : 0;
    const isServed = !isSourceOf(evidence) && evidence.proceedsOut + evidence.sweepsOut === 0;
    return found.outsiders + (isServed ? served : 0) + (silent > SILENT_CHILDREN_MAX ? silent : 0);
  };
};
