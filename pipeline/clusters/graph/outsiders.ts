import type { ChainGraph } from './chainGraph.ts';
import { isMoney } from './edgeKinds.ts';
import { NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { createMarker } from './marker.ts';
import { createOwnLife, DEALING, type IsMember } from './ownLife.ts';
import type { Ties } from './ties.ts';

/** Funded wallets about which nothing else is known, up to which a funder may be a person's wallet. */
const SILENT_CHILDREN_MAX = 250;

/** A funded wallet with a life of its own counts so much, and as much again where the sum is large. */
const STRANGER = 0.5;
/** Such wallets that a person may pay; every further one counts double: that is a payroll or a service. */
const STRANGERS_FEW = 3;
/** Where money of the ring goes on to tells less of a wallet than where else its money comes from. */
const ONWARD_FACTOR = 0.5;

const onwardFactor = ({ fundedBy }: Ties): number => (fundedBy.size > 0 ? ONWARD_FACTOR : 1);
/** Whether the wallet sets up or collects, so that its own first money may come from anywhere. */
const isSourceOf = ({ funded, proceedsIn, sweepsIn }: Ties): boolean =>
  funded > 0 || proceedsIn + sweepsIn > 1;

/** What dealings are read with; the markers are scratch. */
const createScratch = (graph: ChainGraph, flows: Flows) => ({
  graph,
  flows,
  life: createOwnLife(graph, flows),
  children: createMarker(graph.wallets.capacity),
  dealings: createMarker(graph.wallets.capacity),
});
type Scratch = ReturnType<typeof createScratch>;

/** No outsider: of the ring, a scammer of whatever ring, or no wallet at all. */
const isKin = ({ isScammer, isToken }: ChainGraph, wallet: number, isMember: IsMember): boolean =>
  isMember(wallet) || isScammer(wallet) || isToken(wallet);

type Weigh = (
  scratch: Scratch,
  wallet: number,
  isMember: IsMember,
  ties: Ties,
  most: number,
) => void;

/** Wallets it set up that live for themselves, and how many others it set up. */
const weighChildren: Weigh = ({ graph, life, children }, wallet, isMember, ties, most) => {
  const { isFunding, shareOf } = graph;
  const { to, outs } = graph.edges;
  const onward = onwardFactor(ties);
  let strangers = 0;
  children.clear();
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isFunding(e) || isKin(graph, target, isMember)) continue;
    const isNew = children.add(target);
    if (life.hasOwnLife(target, wallet, isMember)) {
      if (isNew) strangers += 1;
      const first = isNew ? (strangers > STRANGERS_FEW ? 2 : 1) : 0;
      ties.outsiders += onward * STRANGER * (first + shareOf(wallet, e));
    } else if (isNew) ties.silent += 1;
    if (ties.outsiders > most) return;
  }
};

/** Payments to others. */
const weighPayments: Weigh = (
  { graph, life, children, dealings },
  wallet,
  isMember,
  ties,
  most,
) => {
  const { isHub, shareOf } = graph;
  const { to, kind, outs } = graph.edges;
  const onward = onwardFactor(ties);
  const isCommonPot = (target: number): boolean =>
    [...ties.fundedBy].some((funder) => life.isPot(target, funder, wallet, isMember));
  dealings.clear();
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const target = to[e] as number;
    if (!isMoney(kind[e] as number) || isHub(target) || children.has(target)) continue;
    if (isKin(graph, target, isMember) || isCommonPot(target)) continue;
    ties.outsiders += onward * (shareOf(wallet, e) + (dealings.add(target) ? DEALING : 0));
    if (ties.outsiders > most) return;
  }
};

/** Income from others. */
const weighIncome: Weigh = ({ graph, flows, children }, wallet, isMember, ties, most) => {
  const { isHub, isFunding, shareOf } = graph;
  const { kind, ins } = graph.edges;
  const isSource = isSourceOf(ties);
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const sender = flows.senderOf(e);
    if (!isMoney(kind[e] as number) || sender === wallet || children.has(sender)) continue;
    if (isHub(sender)) ties.served = Math.max(ties.served, shareOf(wallet, e));
    else if (isKin(graph, sender, isMember) || (isSource && isFunding(e))) continue;
    else ties.outsiders += shareOf(wallet, e);
    if (ties.outsiders > most) return;
  }
};

/** Adds to the ties how much a wallet deals with outsiders, leaving off beyond `most`. */
export const createWeighOutsiders = (graph: ChainGraph, flows: Flows) => {
  const scratch = createScratch(graph, flows);
  return (wallet: number, isMember: IsMember, ties: Ties, most: number): void => {
    for (const weigh of [weighChildren, weighPayments, weighIncome]) {
      if (ties.outsiders <= most) weigh(scratch, wallet, isMember, ties, most);
    }
    if (!isSourceOf(ties) && ties.proceedsOut + ties.sweepsOut === 0) ties.outsiders += ties.served;
    if (ties.silent > SILENT_CHILDREN_MAX) ties.outsiders += ties.silent;
  };
};
