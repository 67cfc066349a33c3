import type { Crowd, IsMember } from './backgroundTraffic.ts';
import type { ChainGraph } from './chainGraph.ts';
import type { Flows } from './flows.ts';
import { createMarker } from './marker.ts';
import { createWeighOutsiders } from './outsiders.ts';

import { noTies, type Ties, weighInflow, weighOutflow, weighPlain } from './ties.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import {
  CROWD_PENALTY,
  FUNDED_BY_MEMBER,
  FUNDED_BY_MEMBER_EXPLICIT,
  FUNDED_MEMBER,
  IS_SCAMMER,
  OTHER_WAYS_FACTOR,
  OUTSIDER_PENALTY,
  PROCEEDS,
  QUIET_LINK,
  SWEEP_ONE,
  SWEEPS_TO_MEMBER,
  SWEEPS_TWO,
  withFurther,
} from './weights.ts';

const weightOf = (ties: Ties, isScammer: boolean, trade: number): number => {
  const { funded, proceedsIn, proceedsOut, sweepsIn, sweepsOut } = ties;
  const fundedBy = ties.fundedBy.size;
  const inLinks = Math.max(fundedBy, proceedsIn + sweepsIn);
  const received = Math.max(
    fundedBy > 0 ? (ties.isExplicit ? FUNDED_BY_MEMBER_EXPLICIT : FUNDED_BY_MEMBER) : 0,
    proceedsIn > 0 ? PROCEEDS : 0,
    sweepsIn > 1 ? SWEEPS_TWO : sweepsIn * SWEEP_ONE,
  );
  const sent = Math.max(proceedsOut > 0 ? PROCEEDS : 0, sweepsOut > 0 ? SWEEPS_TO_MEMBER : 0);
  const ways = [
    funded > 0 ? withFurther(FUNDED_MEMBER, funded) : 0,
    received > 0 ? withFurther(received, inLinks) : 0,
    sent > 0 ? withFurther(sent, proceedsOut + sweepsOut) : 0,
    trade,
    ties.plain > 0 ? withFurther(QUIET_LINK, ties.plain) : 0,
  ];
  // Dealings of one wallet with one ring are not independent: beside the strongest way the others count in part.
  const strongest = Math.max(...ways);
  const all = ways.reduce((sum, way) => sum + way, 0);
  const links = strongest + OTHER_WAYS_FACTOR * (all - strongest);
  return links > 0 && isScammer ? links + IS_SCAMMER : links;
};

/** Whether nothing ties a wallet to a ring but that it paid one member first. */
const isOnlyPayer = (ties: Ties, traded: number): boolean =>
  ties.funded === 1 &&
  traded === 0 &&
  ties.fundedBy.size + ties.proceedsIn + ties.proceedsOut + ties.sweepsIn + ties.sweepsOut === 0;

/**
 * The log-odds that a wallet is of the same hand as the members of a ring, 0 where no member has to do
 * with it. Exact only from `joinMin` up, for which the ring must not shrink: the weight never falls when
 * the ring grows. Depends on the edges of the wallet, of those it funded and of those who swept into it.
 */
export const createWeighWallet = (
  graph: ChainGraph,
  flows: Flows,
  trade: TradeEvidence,
  crowd: Crowd,
) => {
  const { capacity } = graph.wallets;
  const sources = { graph, flows, linked: createMarker(capacity), counted: createMarker(capacity) };
  const weighOutsiders = createWeighOutsiders(graph, flows);
  return (wallet: number, isMember: IsMember, joinMin: number): number => {
    const ties = noTies();
    sources.linked.clear();
    weighInflow(sources, wallet, isMember, ties);
    weighOutflow(sources, wallet, isMember, ties);
    const traded = trade.weigh(wallet, isMember);
    if (graph.strayDealings > 0 && isOnlyPayer(ties, traded) && !crowd.isQuiet(wallet, isMember))
      return 0;
    if (graph.strayDealings > 0) weighPlain(sources, wallet, isMember, ties);
    if (ties.plain > 0 && !crowd.isQuiet(wallet, isMember)) ties.plain = 0;
    const weight =
      weightOf(ties, graph.isScammer(wallet), traded) -
      CROWD_PENALTY * crowd.excess(wallet, isMember);
    if (weight < joinMin || (ties.members === 0 && traded === 0)) return 0;
    const links = ties.funded + ties.proceedsIn + ties.sweepsIn + ties.fundedBy.size;
    const scale = Math.sqrt(Math.max(1, links));
    const most = scale * (Math.exp((weight - joinMin) / OUTSIDER_PENALTY) - 1);
    weighOutsiders(wallet, isMember, ties, most);
    return weight - OUTSIDER_PENALTY * Math.log(1 + ties.outsiders / scale);
  };
};
