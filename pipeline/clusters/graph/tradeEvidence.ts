import type { ChainGraph } from './chainGraph.ts';
import { BOUGHT, NO_EDGE, NO_WALLET, SOLD, TOKEN_KIND } from './edgeTable.ts';
import type { IsMember } from './ring.ts';
import { HANDED_TO_SELLER, SAME_BYTECODE, SNIPED_LAUNCH, withFurther } from './weights.ts';

/**
 * Wallets that received tokens from a creator, beyond which it is an airdrop and says nothing about the receivers.
 */
const HANDED_WALLETS_MAX = 50;
/** Trades of a token beyond which its launch is not examined. */
const LAUNCH_TRADES_MAX = 20_000;
/**
 * Two fundings by one service belong to the same party if they are this close in blocks, and this similar in value.
 */
const TWIN_FUNDING_BLOCKS_MAX = 300;
const TWIN_FUNDING_VALUE_RATIO_MAX = 1.02;
const SNIPES_COUNTED_MAX = 3;

/** Evidence about a wallet from the tokens of a ring; `edge` shows it, NO_EDGE if there is none. */
export interface TradeLink {
  readonly rule: 'handed_to_seller' | 'same_block_snipe' | 'same_bytecode';
  readonly member: number;
  readonly weight: number;
  readonly edge: number;
}

/** Whether an edge of a kind leads from a wallet to a token. */
const hasEdge = ({ edges }: ChainGraph, wallet: number, token: number, code: number): boolean => {
  const { to, kind, outs } = edges;
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    if (kind[e] === code && to[e] === token) return true;
  }
  return false;
};

const handsWidely = ({ edges }: ChainGraph, creator: number): boolean => {
  const { to, kind, outs } = edges;
  const receivers = new Set<number>();
  for (let e = outs.head[creator] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    if (kind[e] === TOKEN_KIND) receivers.add(to[e] as number);
    if (receivers.size > HANDED_WALLETS_MAX) return true;
  }
  return false;
};

/** Members who gave a wallet their tokens, which it sold without ever buying. */
const handed = (graph: ChainGraph, wallet: number, isMember: IsMember): TradeLink[] => {
  const { edges, tokens } = graph;
  const { from, kind, token: tokenOf, ins } = edges;
  const links = new Map<number, TradeLink>();
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const member = from[e] as number;
    if (kind[e] !== TOKEN_KIND || !isMember(member) || links.has(member)) continue;
    const isOnlySold = tokens
      .createdBy(member)
      .filter(({ token }) => tokenOf[e] === NO_WALLET || tokenOf[e] === token)
      .some(
        ({ token }) =>
          hasEdge(graph, wallet, token, SOLD) && !hasEdge(graph, wallet, token, BOUGHT),
      );
    if (!isOnlySold || handsWidely(graph, member)) continue;
    links.set(member, { rule: 'handed_to_seller', member, weight: HANDED_TO_SELLER, edge: e });
  }
  return [...links.values()];
};

/** Purchases in the block in which a token was first bought; none if there is too much trade to examine. */
const launchPurchasesOf = ({ edges }: ChainGraph, token: number): number[] => {
  const { kind, block, ins } = edges;
  let launch: number[] = [];
  if ((ins.count[token] as number) > LAUNCH_TRADES_MAX) return launch;
  for (let e = ins.head[token] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    if (kind[e] !== BOUGHT) continue;
    const [first = e] = launch;
    const later = (block[e] as number) - (block[first] as number);
    if (later < 0) launch = [];
    if (later <= 0) launch.push(e);
  }
  return launch;
};

/** Tokens of members that a wallet bought in the very block of their launch, together with a member. */
const sniped = (graph: ChainGraph, wallet: number, isMember: IsMember): TradeLink[] => {
  const { from, to, kind, outs } = graph.edges;
  const links: TradeLink[] = [];
  const bought = new Set<number>();
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    const token = to[e] as number;
    if (kind[e] !== BOUGHT || bought.has(token)) continue;
    bought.add(token);
    const creation = graph.tokens.creationOf(token);
    if (!creation || !isMember(creation.creator)) continue;
    const purchases = launchPurchasesOf(graph, token);
    const edge = purchases.find((purchase) => from[purchase] === wallet);
    const company = purchases
      .map((purchase) => from[purchase] as number)
      .filter((buyer) => buyer !== wallet && isMember(buyer));
    if (edge === undefined || company.length === 0) continue;
    const member = Math.min(...company);
    links.push({ rule: 'same_block_snipe', member, weight: SNIPED_LAUNCH, edge });
  }
  // A bot that snipes every launch snipes the ring's tokens too.
  return links.length * 2 > bought.size ? links : [];
};

/** Initial funding of a wallet that came from services, with a known amount. */
const hubFundings = (graph: ChainGraph, wallet: number): number[] => {
  const { from, value, ins } = graph.edges;
  const fundings: number[] = [];
  for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
    const isFirst = graph.isHub(from[e] as number) && graph.isFunding(e);
    if (isFirst && (value[e] as number) > 0) fundings.push(e);
  }
  return fundings;
};

const isTwinFunding = ({ edges }: ChainGraph, a: number, b: number): boolean => {
  const { from, value, block } = edges;
  const [one, other] = [value[a] as number, value[b] as number];
  return (
    from[a] === from[b] &&
    Math.abs((block[a] as number) - (block[b] as number)) <= TWIN_FUNDING_BLOCKS_MAX &&
    Math.max(one, other) <= TWIN_FUNDING_VALUE_RATIO_MAX * Math.min(one, other)
  );
};

/** Members who deployed the same bytecode and were funded alike by the same service. */
const sameBytecode = (graph: ChainGraph, wallet: number, isMember: IsMember): TradeLink[] => {
  const links = new Map<number, TradeLink>();
  for (const creation of graph.tokens.createdBy(wallet)) {
    for (const { creator: member } of graph.tokens.twinsOf(creation)) {
      if (member === wallet || !isMember(member) || links.has(member)) continue;
      const theirs = hubFundings(graph, member);
      const edge = hubFundings(graph, wallet).find((a) =>
        theirs.some((b) => isTwinFunding(graph, a, b)),
      );
      if (edge === undefined) continue;
      links.set(member, { rule: 'same_bytecode', member, weight: SAME_BYTECODE, edge });
    }
  }
  return [...links.values()];
};

/** Reads the evidence in tokens rather than in money. */
export const createTradeEvidence = (graph: ChainGraph) => ({
  launchPurchases: (token: number): number[] => launchPurchasesOf(graph, token),
  /** All links of a wallet to members that its tokens show. */
  links: (wallet: number, isMember: IsMember): TradeLink[] => [
    ...handed(graph, wallet, isMember),
    ...sniped(graph, wallet, isMember),
    ...sameBytecode(graph, wallet, isMember),
  ],
  /** Their combined weight: the rules add up, further links of one rule count less. */
  weigh: (wallet: number, isMember: IsMember): number => {
    const snipes = sniped(graph, wallet, isMember).length;
    const gifts = handed(graph, wallet, isMember).length;
    const twins = sameBytecode(graph, wallet, isMember).length;
    return (
      Math.min(SNIPES_COUNTED_MAX, snipes) * SNIPED_LAUNCH +
      (gifts > 0 ? withFurther(HANDED_TO_SELLER, gifts) : 0) +
      (twins > 0 ? withFurther(SAME_BYTECODE, twins) : 0)
    );
  },
});
export type TradeEvidence = ReturnType<typeof createTradeEvidence>;
