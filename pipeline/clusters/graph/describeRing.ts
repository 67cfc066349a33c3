import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainGraph } from './chainGraph.ts';
import { LP_PAID } from './edgeTable.ts';
import type { Flows } from './flows.ts';
import { flowsInside, masterOf, type RingFlows } from './masterOf.ts';
import type { Evidence, EvidenceRule, IsMember, Ring, RingMember, RingRole } from './ring.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import {
  confidenceOf,
  FUNDED_BY_MEMBER,
  FUNDED_MEMBER,
  HANDED_TO_SELLER,
  PROCEEDS,
  SAME_BYTECODE,
  SAME_DEPLOYER,
  SNIPED_LAUNCH,
  SWEEPS_TO_MEMBER,
} from './weights.ts';

/** Maximum links reported per ring, the strongest first. */
const EVIDENCE_MAX = 5_000;

const WEIGHTS: Readonly<Record<EvidenceRule, number>> = {
  same_deployer: SAME_DEPLOYER,
  deployer_funded: FUNDED_BY_MEMBER,
  common_funder: FUNDED_MEMBER,
  relayed_funds: FUNDED_BY_MEMBER,
  shared_proceeds: PROCEEDS,
  shared_lp_recipient: PROCEEDS,
  same_block_snipe: SNIPED_LAUNCH,
  handed_to_seller: HANDED_TO_SELLER,
  same_bytecode: SAME_BYTECODE,
};

interface Link {
  readonly rule: EvidenceRule;
  readonly from: number;
  readonly to: number;
  readonly weight: number;
  readonly block: number;
  readonly tx: Hex | null;
}

const roleIn = ({ funding, proceeds }: RingFlows, wallet: number, isCreator: boolean): RingRole => {
  if (isCreator) return 'creator';
  if (funding.outDegree(wallet) > 1) return 'funder';
  if (proceeds.inDegree(wallet) + funding.inDegree(wallet) > 1) return 'collector';
  const receives = funding.inDegree(wallet) + proceeds.inDegree(wallet) > 0;
  const sends = funding.outDegree(wallet) + proceeds.outDegree(wallet) > 0;
  return receives && sends ? 'relay' : 'puppet';
};

const strongestFirst = (a: Evidence, b: Evidence): number =>
  b.confidence - a.confidence ||
  a.block - b.block ||
  (`${a.rule}${a.from}${a.to}` < `${b.rule}${b.from}${b.to}` ? -1 : 1);

/** Inputs for describing a ring. */
interface Sources {
  readonly graph: ChainGraph;
  readonly flows: Flows;
  readonly trade: TradeEvidence;
}

/** The rule by which an edge between members is evidence. */
const ruleOf = ({ graph, flows }: Sources, e: number, { funding }: RingFlows): EvidenceRule => {
  const { edges, tokens } = graph;
  if (!graph.isFunding(e)) {
    return edges.kind[e] === LP_PAID ? 'shared_lp_recipient' : 'shared_proceeds';
  }
  const sender = flows.senderOf(e);
  const ends = [sender, edges.to[e] as number];
  if (ends.every((end) => tokens.createdBy(end).length > 0)) return 'deployer_funded';
  return funding.outDegree(sender) > 1 ? 'common_funder' : 'relayed_funds';
};

const moneyLinks = (sources: Sources, inside: readonly number[], ring: RingFlows): Link[] => {
  const { edges } = sources.graph;
  return inside.map((e) => {
    const rule = ruleOf(sources, e, ring);
    const isPlain = rule === 'shared_proceeds' && !sources.flows.isProceeds(e);
    return {
      rule,
      from: sources.flows.senderOf(e),
      to: edges.to[e] as number,
      weight: isPlain ? SWEEPS_TO_MEMBER : WEIGHTS[rule],
      block: edges.block[e] as number,
      tx: edges.txOf(e),
    };
  });
};

const tokenLinks = (
  { graph: { edges, tokens }, trade }: Sources,
  wallets: readonly number[],
  isMember: IsMember,
): Link[] =>
  wallets.flatMap((to) => {
    const links: Link[] = trade.links(to, isMember).map(({ rule, member, weight, edge }) => ({
      rule,
      from: member,
      to,
      weight,
      block: edges.block[edge] as number,
      tx: edges.txOf(edge),
    }));
    const [, second] = [...tokens.createdBy(to)].sort((a, b) => a.block - b.block);
    if (second) {
      const { block, tx } = second;
      links.push({ rule: 'same_deployer', from: to, to, weight: SAME_DEPLOYER, block, tx });
    }
    return links;
  });

const isEarlier = (a: Link, b: Link): boolean =>
  a.block === b.block ? (a.tx ?? '') < (b.tx ?? '') : a.block < b.block;

/** One link per rule and pair, the earliest; the strongest first. */
const evidenceOf = (links: readonly Link[], addressOf: (wallet: number) => Hex): Evidence[] => {
  const first = new Map<string, Link>();
  for (const link of links) {
    const key = `${link.rule} ${link.from} ${link.to}`;
    const held = first.get(key);
    if (!held || isEarlier(link, held)) first.set(key, link);
  }
  const evidence = [...first.values()].map((link) => ({
    rule: link.rule,
    from: addressOf(link.from),
    to: addressOf(link.to),
    confidence: confidenceOf(link.weight),
    tx: link.tx,
    block: link.block,
  }));
  return evidence.sort(strongestFirst).slice(0, EVIDENCE_MAX);
};

/** Describes a ring: members with roles, tokens, evidence and statistics. */
export const createDescribeRing = (sources: Sources) => {
  const { graph, flows } = sources;
  const { tokens } = graph;
  const addressOf = (wallet: number): Hex => graph.wallets.addressOf(wallet);
  return (id: string, wallets: readonly number[]): Ring => {
    const inside = new Set(wallets);
    const isMember: IsMember = (wallet) => inside.has(wallet);
    const named = wallets.map((wallet) => ({ wallet, address: addressOf(wallet) }));
    const sorted = named.sort((a, b) => (a.address < b.address ? -1 : 1)).map((n) => n.wallet);
    const ring = flowsInside(graph, flows, sorted, isMember);
    const master = masterOf(sorted, ring);
    const members = sorted.map((wallet): RingMember => {
      const isCreator = tokens.createdBy(wallet).length > 0;
      const role = wallet === master ? 'master' : roleIn(ring, wallet, isCreator);
      return { wallet: addressOf(wallet), role };
    });
    const creations = sorted.flatMap((wallet) => tokens.createdBy(wallet));
    const created = creations
      .map(({ token }) => ({ token: addressOf(token), isScam: tokens.isScam(token) }))
      .sort((a, b) => (a.token < b.token ? -1 : 1));
    const links = [
      ...moneyLinks(sources, ring.edges, ring),
      ...tokenLinks(sources, sorted, isMember),
    ];
    return {
      id,
      name: `Ring ${id.slice(3, 7)}`,
      members,
      tokens: created,
      evidence: evidenceOf(links, addressOf),
      statistics: {
        tokensCreated: created.length,
        scams: created.filter(({ isScam }) => isScam).length,
        firstBlock: [...links, ...creations].reduce(
          (first, { block }) => Math.min(first, block),
          Number.MAX_SAFE_INTEGER,
        ),
      },
    };
  };
};
