import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import type { CheckInput } from './checkInput.ts';
import { NOT_READ, percent } from './contractEvidence.ts';

/** Share of a purchase below which buying is giving money away. */
const DELIVERED_MIN = 0.5;
/** Gas of the transfer in a sale: 0.1 million is usual, 1 million where taxes are sold on the way. */
const SALE_GAS_MAX = 2_000_000;

type Trade = NonNullable<Extract<ContractProfile['probe'], { kind: 'done' }>['trade']>;
type Rehearsed = { trade: Trade; evidence: NonNullable<Check['evidence']> };

/** The rehearsed trade, or why there is none. */
const rehearsed = ({
  contract,
  token,
}: CheckInput): Rehearsed | Pick<Check, 'status' | 'reason'> => {
  if (!contract) return NOT_READ;
  const { probe } = contract;
  if (probe.kind === 'unknown') return { status: 'unknown', reason: probe.reason };
  if (!probe.trade) return { status: 'unknown', reason: 'Nothing could be bought to try it.' };
  const ref = `eth_simulateV1@${probe.blockNumber}`;
  const evidence = [{ kind: 'call' as const, ref, note: `buy ${token}, then sell by a transfer` }];
  return { trade: probe.trade, evidence };
};

/** Whether a purchase delivers what the pool pays out. */
export const tokensDelivered = (input: CheckInput): Check => {
  const check = { id: 'tokens_delivered', severity: 'critical' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, evidence } = found;
  const value = Math.round(trade.delivered * 10_000) / 10_000;
  const reason = `Of the tokens a pool pays out, ${percent(trade.delivered)} reach the buyer.`;
  return { ...check, status: value < DELIVERED_MIN ? 'fail' : 'pass', value, reason, evidence };
};

/** Whether a sale that works now works a day later as well: a trap may be set by the clock. */
export const sellLater = (input: CheckInput): Check => {
  const check = { id: 'sell_later', severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, evidence } = found;
  if (!trade.sells) {
    return { ...check, status: 'not_applicable', reason: 'No sale works in the next block.' };
  }
  if (trade.sellsLater) {
    return { ...check, status: 'pass', reason: 'A sale works a day later as well.', evidence };
  }
  const reason = `A sale works now, but not a day later: ${trade.laterReason}.`;
  return { ...check, status: 'fail', value: 1, reason, evidence };
};

/** Whether selling costs so much gas that few will pay for it. */
export const saleGas = (input: CheckInput): Check => {
  const check = { id: 'sale_gas', severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, evidence } = found;
  if (!trade.sells) {
    return { ...check, status: 'not_applicable', reason: 'No sale works in the next block.' };
  }
  const value = trade.saleGas;
  const reason = `The transfer of a sale uses ${value} gas.`;
  return { ...check, status: value > SALE_GAS_MAX ? 'fail' : 'pass', value, reason, evidence };
};
