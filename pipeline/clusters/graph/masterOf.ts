import { DirectedGraph } from 'graphology';
import type { ChainGraph } from './chainGraph.ts';
import { isMoney, NO_EDGE } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import type { IsMember } from './ring.ts';

/** Who funded whom and who sent proceeds to whom, inside one ring: small enough for graphology. */
export interface RingFlows {
  readonly funding: DirectedGraph;
  readonly proceeds: DirectedGraph;
}

/** A wallet and all wallets reachable from it. */
const reach = (
  wallet: number,
  step: (node: string, visit: (next: string) => void) => void,
): Set<string> => {
  const seen = new Set([String(wallet)]);
  for (const node of seen) step(node, (next) => void seen.add(next));
  return seen;
};

/** A wallet and those whose initial funding came through it. */
const treeOf = ({ funding }: RingFlows, wallet: number): Set<string> =>
  reach(wallet, (node, visit) => funding.forEachOutNeighbor(node, visit));

/** A wallet and those whose proceeds reach it. */
const payersOf = ({ proceeds }: RingFlows, wallet: number): Set<string> =>
  reach(wallet, (node, visit) => proceeds.forEachInNeighbor(node, visit));

/**
 * Who collects from the trees of all funders that no wallet of the ring paid: the wallet that paid them before the
 * index began.
 */
const earlierMaster = (sorted: readonly number[], flows: RingFlows): number | undefined => {
  const { funding } = flows;
  const unpaid = sorted.filter((wallet) => funding.inDegree(wallet) === 0);
  const roots = unpaid.filter((wallet) => funding.outDegree(wallet) > 0);
  if (roots.length < 2) return undefined;
  const trees = roots.map((wallet) => ({ wallet, tree: [...treeOf(flows, wallet)] }));
  let master: number | undefined;
  let most = 0;
  for (const wallet of unpaid) {
    const payers = payersOf(flows, wallet);
    const isPaidByAll = trees.every(
      (root) => root.wallet === wallet || root.tree.some((one) => payers.has(one)),
    );
    if (isPaidByAll && payers.size > most) [master, most] = [wallet, payers.size];
  }
  return master;
};

/**
 * The wallet on which most of a ring depends: the one that must have paid all its funders before the index began,
 * else by passed-on initial funding, then by received proceeds, then the first of `sorted`.
 */
export const masterOf = (sorted: readonly number[], flows: RingFlows): number => {
  const { funding, proceeds } = flows;
  const earlier = earlierMaster(sorted, flows);
  if (earlier !== undefined) return earlier;
  let master = sorted[0] as number;
  let best = -1;
  for (const wallet of sorted) {
    const rank =
      funding.outDegree(wallet) === 0 ? 0 : (treeOf(flows, wallet).size - 1) * sorted.length;
    const total = rank + proceeds.inDegree(wallet);
    if (total > best) [master, best] = [wallet, total];
  }
  return master;
};

/** The block in which a wallet gave a member its initial funding. */
const firstPaidOut = (
  { edges: { outs, to, block }, isFunding }: ChainGraph,
  wallet: number,
  isMember: IsMember,
): number => {
  let first = Number.POSITIVE_INFINITY;
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    if (isMember(to[e] as number) && isFunding(e)) first = Math.min(first, block[e] as number);
  }
  return first;
};

/** The flows between the wallets of a ring, and the edges they come from. */
export const flowsInside = (
  graph: ChainGraph,
  { senderOf, isProceeds, isSweep }: Flows,
  wallets: readonly number[],
  isMember: IsMember,
): RingFlows & { edges: number[] } => {
  const { edges, isFunding } = graph;
  const funding = new DirectedGraph();
  const proceeds = new DirectedGraph();
  const linking: number[] = [];
  for (const wallet of wallets) {
    funding.addNode(wallet);
    proceeds.addNode(wallet);
  }
  for (const wallet of wallets) {
    const firstPaid = firstPaidOut(graph, wallet, isMember);
    for (let e = edges.ins.head[wallet] as number; e !== NO_EDGE; e = edges.ins.next[e] as number) {
      const sender = senderOf(e);
      if (!isMoney(edges.kind[e] as number) || sender === wallet || !isMember(sender)) continue;
      // A wallet that paid members before anybody paid it had money from before the index began.
      const isFirst = isFunding(e) && (edges.block[e] as number) <= firstPaid;
      if (isFirst) funding.mergeDirectedEdge(sender, wallet);
      else if (isFunding(e) || isProceeds(e) || isSweep(sender, wallet))
        proceeds.mergeDirectedEdge(sender, wallet);
      else continue;
      linking.push(e);
    }
  }
  return { funding, proceeds, edges: linking };
};
