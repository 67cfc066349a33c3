import type { ChainGraph } from './chainGraph.ts';
import { BOUGHT, SOLD, TOKEN_KIND } from './edgeKinds.ts';
import { NO_EDGE, NO_WALLET } from './edgeTable.ts';
import type { TokenBirth } from './tokenBook.ts';
import { HANDED_TO_SELLER, SAME_BYTECODE, SNIPED_LAUNCH, withFurther } from './weights.ts';
import type { IsMember } from './weighWallet.ts';

/** Wallets a creator gave tokens to, beyond which it is an airdrop and says nothing of the receivers. */
const HANDED_WALLETS_MAX = 50;
/** Trades of a token beyond which its launch is not looked into. */
const LAUNCH_TRADES_MAX = 20_000;
/** Two fundings by one service are of one hand when so near in blocks, and so alike in value. */
const TWIN_FUNDING_BLOCKS_MAX = 300;
const TWIN_FUNDING_VALUE_RATIO_MAX = 1.02;

/** What the tokens of a ring tell of a wallet; `edge` shows it, NO_EDGE where there is none. */
export interface TradeLink {
  readonly rule: 'handed_to_seller' | 'same_block_snipe' | 'same_bytecode';
  readonly member: number;
  readonly weight: number;
  readonly edge: number;
}

/** Reads the evidence that lies in tokens rather than in money. */
export const createTradeEvidence = (graph: ChainGraph) => {
  const { edges, tokens, isHub, isFunding } = graph;
  const { from, to, kind, value, block, token: tokenOf, outs, ins } = edges;

  const hasEdge = (wallet: number, token: number, code: number): boolean => {
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      if (kind[e] === code && to[e] === token) return true;
    }
    return false;
  };
  const handsWidely = (creator: number): boolean => {
    const receivers = new Set<number>();
    for (let e = outs.head[creator] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      if (kind[e] === TOKEN_KIND) receivers.add(to[e] as number);
      if (receivers.size > HANDED_WALLETS_MAX) return true;
    }
    return false;
  };
  const onlySold = (wallet: number, births: readonly TokenBirth[]): boolean =>
    births.some(({ token }) => hasEdge(wallet, token, SOLD) && !hasEdge(wallet, token, BOUGHT));

  const handed = (wallet: number, isMember: IsMember): TradeLink[] => {
    const links = new Map<number, TradeLink>();
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      const giver = from[e] as number;
      if (kind[e] !== TOKEN_KIND || !isMember(giver) || links.has(giver)) continue;
      const births = tokens
        .createdBy(giver)
        .filter(({ token }) => tokenOf[e] === NO_WALLET || tokenOf[e] === token);
      if (!onlySold(wallet, births) || handsWidely(giver)) continue;
      const rule = 'handed_to_seller';
      links.set(giver, { rule, member: giver, weight: HANDED_TO_SELLER, edge: e });
    }
    return [...links.values()];
  };

  /** Purchases in the block in which a token was first bought. */
  const launchPurchases = (token: number): number[] => {
    let launch: number[] = [];
    if ((ins.count[token] as number) > LAUNCH_TRADES_MAX) return launch;
    for (let e = ins.head[token] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      if (kind[e] !== BOUGHT) continue;
      const difference =
        launch.length === 0 ? 0 : (block[e] as number) - (block[launch[0] as number] as number);
      if (difference < 0) launch = [];
      if (difference <= 0) launch.push(e);
    }
    return launch;
  };

  const sniped = (wallet: number, isMember: IsMember): TradeLink[] => {
    const links: TradeLink[] = [];
    const bought = new Set<number>();
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      const token = to[e] as number;
      if (kind[e] !== BOUGHT || bought.has(token)) continue;
      bought.add(token);
      const birth = tokens.birthOf(token);
      if (!birth || !isMember(birth.creator)) continue;
      const purchases = launchPurchases(token);
      const own = purchases.find((purchase) => from[purchase] === wallet);
      if (own === undefined) continue;
      const company = purchases
        .map((purchase) => from[purchase] as number)
        .filter((buyer) => buyer !== wallet && isMember(buyer));
      if (company.length === 0) continue;
      const rule = 'same_block_snipe';
      links.push({ rule, member: Math.min(...company), weight: SNIPED_LAUNCH, edge: own });
    }
    // A bot that snipes everything snipes the ring's tokens too.
    return links.length * 2 > bought.size ? links : [];
  };

  const hubFundings = (wallet: number): number[] => {
    const fundings: number[] = [];
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      if (isHub(from[e] as number) && isFunding(e) && (value[e] as number) > 0) fundings.push(e);
    }
    return fundings;
  };
  const isTwinFunding = (a: number, b: number): boolean => {
    const [one, other] = [value[a] as number, value[b] as number];
    return (
      from[a] === from[b] &&
      Math.abs((block[a] as number) - (block[b] as number)) <= TWIN_FUNDING_BLOCKS_MAX &&
      Math.max(one, other) <= TWIN_FUNDING_VALUE_RATIO_MAX * Math.min(one, other)
    );
  };
  const sameBytecode = (wallet: number, isMember: IsMember): TradeLink[] => {
    const links = new Map<number, TradeLink>();
    for (const birth of tokens.createdBy(wallet)) {
      for (const { creator } of tokens.twinsOf(birth)) {
        if (creator === wallet || !isMember(creator) || links.has(creator)) continue;
        const theirs = hubFundings(creator);
        const edge = hubFundings(wallet).find((a) => theirs.some((b) => isTwinFunding(a, b)));
        if (edge === undefined) continue;
        links.set(creator, { rule: 'same_bytecode', member: creator, weight: SAME_BYTECODE, edge });
      }
    }
    return [...links.values()];
  };

  return {
    launchPurchases,
    /** Every tie of a wallet to members that its tokens show. */
    links: (wallet: number, isMember: IsMember): TradeLink[] => [
      ...handed(wallet, isMember),
      ...sniped(wallet, isMember),
      ...sameBytecode(wallet, isMember),
    ],
    /** Their weights together: the rules add up, further links of one rule count less. */
    weigh: (wallet: number, isMember: IsMember): number => {
      const snipes = sniped(wallet, isMember).length;
      const gifts = handed(wallet, isMember).length;
      const twins = sameBytecode(wallet, isMember).length;
      return (
        Math.min(3, snipes) * SNIPED_LAUNCH +
        (gifts > 0 ? withFurther(HANDED_TO_SELLER, gifts) : 0) +
        (twins > 0 ? withFurther(SAME_BYTECODE, twins) : 0)
      );
    },
  };
};
export type TradeEvidence = ReturnType<typeof createTradeEvidence>;
