import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import {
  BLOCK_SECONDS,
  LATER_S,
  type ProbeStage,
  planDelivery,
  planSaleAfter,
} from '../contract/probePlan.ts';
import type { SimulationPlan } from '../simulation/simulateParams.ts';
import type { CheckInput } from './checkInput.ts';
import { NOT_READ, percent, stageOf } from './contractEvidence.ts';
import { type Evidence, simulationEvidence } from './evidence.ts';

/** Share of a purchase below which buying is giving money away. */
const DELIVERED_MIN = 0.5;
/** Gas of the transfer in a sale: 0.1 million is usual, 1 million where taxes are sold on the way. */
const SALE_GAS_MAX = 2_000_000;

type Trade = NonNullable<Extract<ContractProfile['probe'], { kind: 'done' }>['trade']>;
/** A simulation that shows something, made again from what the probe stood on. */
type Replay = (stage: ProbeStage) => SimulationPlan;
type Rehearsed = { trade: Trade; shownBy: (failed: boolean, replay: Replay) => Evidence[] };

/** The rehearsed trade, or why there is none. */
const rehearsed = ({
  contract,
  token,
}: CheckInput): Rehearsed | Pick<Check, 'status' | 'reason'> => {
  if (!contract) return NOT_READ;
  const { probe } = contract;
  if (probe.kind === 'unknown') return { status: 'unknown', reason: probe.reason };
  if (!probe.trade) return { status: 'unknown', reason: 'Nothing could be bought to try it.' };
  const stage = stageOf(contract, token);
  const note = `buy ${token}, then sell by a transfer`;
  const shownBy: Rehearsed['shownBy'] = (failed, replay) => [
    simulationEvidence(probe.blockNumber, note, failed && stage ? replay(stage).params : undefined),
  ];
  return { trade: probe.trade, shownBy };
};

const laterSale: Replay = (stage) => planSaleAfter(stage, LATER_S);
const nextSale: Replay = (stage) => planSaleAfter(stage, BLOCK_SECONDS);

/** Whether a purchase delivers what the pool pays out. */
export const tokensDelivered = (input: CheckInput): Check => {
  const check = { id: 'tokens_delivered', severity: 'critical' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  const value = Math.round(trade.delivered * 10_000) / 10_000;
  const reason = `Of the tokens a pool pays out, ${percent(trade.delivered)} reach the buyer.`;
  const failed = value < DELIVERED_MIN;
  const evidence = shownBy(failed, planDelivery);
  return { ...check, status: failed ? 'fail' : 'pass', value, reason, evidence };
};

/** Whether a sale that works now works a day later as well: a trap may be set by the clock. */
export const sellLater = (input: CheckInput): Check => {
  const check = { id: 'sell_later', severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  if (!trade.sells) {
    return { ...check, status: 'not_applicable', reason: 'No sale works in the next block.' };
  }
  if (trade.sellsLater) {
    const reason = 'A sale works a day later as well.';
    return { ...check, status: 'pass', reason, evidence: shownBy(false, laterSale) };
  }
  const reason = `A sale works now, but not a day later: ${trade.laterReason}.`;
  return { ...check, status: 'fail', value: 1, reason, evidence: shownBy(true, laterSale) };
};

/** Whether selling costs so much gas that few will pay for it. */
export const saleGas = (input: CheckInput): Check => {
  const check = { id: 'sale_gas', severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  if (!trade.sells) {
    return { ...check, status: 'not_applicable', reason: 'No sale works in the next block.' };
  }
  const value = trade.saleGas;
  const reason = `The transfer of a sale uses ${value} gas.`;
  const failed = value > SALE_GAS_MAX;
  const evidence = shownBy(failed, nextSale);
  return { ...check, status: failed ? 'fail' : 'pass', value, reason, evidence };
};
