import type { ChainGraph } from './chainGraph.ts';
import type { Flows } from './flows.ts';
import { createWeighOutsiders } from './outsiders.ts';
import type { IsMember } from './ring.ts';
import type { TradeEvidence } from './tradeEvidence.ts';
import { createReadEvidence, type WalletEvidence } from './walletEvidence.ts';
import {
  FUNDED_BY_MEMBER,
  FUNDED_BY_MEMBER_EXPLICIT,
  FUNDED_MEMBER,
  IS_SCAMMER,
  OTHER_WAYS_FACTOR,
  OUTSIDER_PENALTY,
  PROCEEDS,
  SWEEP_ONE,
  SWEEPS_TO_MEMBER,
  SWEEPS_TWO,
  withFurther,
} from './weights.ts';

const weightOf = (evidence: WalletEvidence, isScammer: boolean, trade: number): number => {
  const { funded, fundedBy, proceedsIn, proceedsOut, sweepsIn, sweepsOut } = evidence;
  const inLinks = Math.max(fundedBy, proceedsIn + sweepsIn);
  const received = Math.max(
    fundedBy > 0 ? (evidence.isExplicit ? FUNDED_BY_MEMBER_EXPLICIT : FUNDED_BY_MEMBER) : 0,
    proceedsIn > 0 ? PROCEEDS : 0,
    sweepsIn > 1 ? SWEEPS_TWO : sweepsIn * SWEEP_ONE,
  );
  const sent = Math.max(proceedsOut > 0 ? PROCEEDS : 0, sweepsOut > 0 ? SWEEPS_TO_MEMBER : 0);
  const ways = [
    funded > 0 ? withFurther(FUNDED_MEMBER, funded) : 0,
    received > 0 ? withFurther(received, inLinks) : 0,
    sent > 0 ? withFurther(sent, proceedsOut + sweepsOut) : 0,
    trade,
  ];
  // A wallet's links to one ring are not independent: besides the strongest kind the others count in part.
  const strongest = Math.max(...ways);
  const all = ways.reduce((sum, way) => sum + way, 0);
  const links = strongest + OTHER_WAYS_FACTOR * (all - strongest);
  return links > 0 && isScammer ? links + IS_SCAMMER : links;
};

/**
 * The log-odds that a wallet belongs to the same party as the members of a ring, 0 if no member is linked with it.
 * Exact only from `joinMin` up, for which the ring must not shrink: the weight never decreases when the ring grows.
 * Depends on the edges of the wallet, of those it funded and of those who swept into it.
 */
export const createWeighWallet = (graph: ChainGraph, flows: Flows, trade: TradeEvidence) => {
  const readEvidence = createReadEvidence(graph, flows);
  const weighOutsiders = createWeighOutsiders(graph, flows);
  return (wallet: number, isMember: IsMember, joinMin: number): number => {
    const evidence = readEvidence(wallet, isMember);
    const traded = trade.weigh(wallet, isMember);
    const weight = weightOf(evidence, graph.isScammer(wallet), traded);
    if (weight < joinMin || (!evidence.isLinked && traded === 0)) return 0;
    const links = evidence.funded + evidence.fundedBy + evidence.proceedsIn + evidence.sweepsIn;
    const scale = Math.sqrt(Math.max(1, links));
    const most = scale * (Math.exp((weight - joinMin) / OUTSIDER_PENALTY) - 1);
    const outsiders = weighOutsiders(wallet, isMember, evidence, most);
    return weight - OUTSIDER_PENALTY * Math.log(1 + outsiders / scale);
  };
};
