import type { SentenceCode } from '../../../shared/sentences/checkWords.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import {
  CROWD_WALLETS,
  type Hindrance,
  LATER_S,
  planDelivery,
  planHinderedSale,
  planSaleAfter,
  planSaleInProfit,
  WEEKS_LATER_S,
} from '../contract/probePlan.ts';
import { BLOCK_SECONDS, type SimulationPlan } from '../simulation/simulateParams.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, type Evidence, rounded, simulationEvidence } from './checkResult.ts';
import { NOT_READ, stageOf } from './contractEvidence.ts';

/** Delivered share of a purchase below which buying is giving money away. */
const DELIVERED_MIN = 0.5;
/** Gas of the transfer in a sale: 0.1 million is usual, 1 million if taxes are sold on the way. */
const SALE_GAS_MAX = 2_000_000;

type Trade = NonNullable<Extract<ContractProfile['probe'], { kind: 'done' }>['trade']>;
/** A simulation that shows something, rebuilt from the probe's inputs. */
type Stage = NonNullable<ReturnType<typeof stageOf>>;
type Replay = (stage: Stage) => SimulationPlan;
type Rehearsed = { trade: Trade; shownBy: (failed: boolean, replay: Replay) => Evidence[] };

/** The rehearsed trade, or why there is none. */
const rehearsed = ({
  contract,
  token,
}: CheckInput): Rehearsed | Pick<CheckOutcome, 'status' | 'reason'> => {
  if (!contract) return NOT_READ;
  const { probe } = contract;
  if (probe.kind === 'unknown') return { status: 'unknown', reason: probe.reason };
  if (!probe.trade) return { status: 'unknown', reason: sentence('nothingBought') };
  const stage = stageOf(contract, token);
  const note = sentence('buyThenTransferSale', { token });
  const shownBy: Rehearsed['shownBy'] = (failed, replay) => [
    simulationEvidence(probe.blockNumber, note, failed && stage ? replay(stage).params : undefined),
  ];
  return { trade: probe.trade, shownBy };
};

const laterSale: Replay = (stage) => planSaleAfter(stage, LATER_S);
const saleAfterWeeks: Replay = (stage) => planSaleAfter(stage, WEEKS_LATER_S);
const nextSale: Replay = (stage) => planSaleAfter(stage, BLOCK_SECONDS);

/** Whether a purchase delivers what the pool pays out. */
export const tokensDelivered = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'critical' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  const value = rounded(trade.delivered);
  const reason = sentence('delivered', { share: trade.delivered });
  const failed = value < DELIVERED_MIN;
  const evidence = shownBy(failed, planDelivery);
  return { ...check, status: failed ? 'fail' : 'pass', value, reason, evidence };
};

const HINDERED = {
  fall: 'sellsNotAfterFall',
  purchase: 'sellsNotAfterPurchase',
  crowd: 'sellsNotAfterCrowd',
  code: 'sellsNotOnceDeployed',
} as const satisfies Readonly<Record<Hindrance['kind'], SentenceCode>>;

/**
 * Whether a sale that works now also works a day and four weeks later, and after the price has risen or fallen, after
 * somebody else or many others have bought, or after a contract is deployed that the token looks for: a trap may depend
 * on each.
 */
export const sellLater = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  const fails = (reason: Sentence, replay: Replay): CheckOutcome => ({
    ...check,
    status: 'fail',
    value: 1,
    reason,
    evidence: shownBy(true, replay),
  });
  if (trade.hindered && input.simulation.kind !== 'sellFails') {
    const { reason: why, ...hindrance } = trade.hindered;
    const at = hindrance.kind === 'code' && { address: hindrance.address };
    const others = hindrance.kind === 'crowd' && { wallets: CROWD_WALLETS };
    return fails(sentence(HINDERED[hindrance.kind], { why, ...at, ...others }), (stage) =>
      planHinderedSale(stage, hindrance),
    );
  }
  if (!trade.sells || input.simulation.kind === 'sellFails') {
    return { ...check, status: 'not_applicable', reason: sentence('noSaleNow') };
  }
  if (!trade.sellsLater) {
    const why = trade.laterReason ?? sentence('revertsSilently');
    return fails(sentence('sellsNotLater', { why }), laterSale);
  }
  if (trade.profit) {
    const { size, times, reason: why } = trade.profit;
    const inProfit: Replay = (stage) =>
      planSaleInProfit(stage, { stranger: stage.stranger, size: BigInt(size), times });
    return fails(sentence('sellsNotInProfit', { why }), inProfit);
  }
  if (trade.weeksLaterReason) {
    return fails(sentence('sellsNotForWeeks', { why: trade.weeksLaterReason }), saleAfterWeeks);
  }
  const reason = sentence('sellsLater');
  return { ...check, status: 'pass', reason, evidence: shownBy(false, laterSale) };
};

/** Whether selling costs so much gas that few will pay for it. */
export const saleGas = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const found = rehearsed(input);
  if (!('trade' in found)) return { ...check, ...found };
  const { trade, shownBy } = found;
  if (!trade.sells) {
    return { ...check, status: 'not_applicable', reason: sentence('noSaleNow') };
  }
  const value = trade.saleGas;
  const reason = sentence('saleGas', { gas: value });
  const failed = value > SALE_GAS_MAX;
  const evidence = shownBy(failed, nextSale);
  return { ...check, status: failed ? 'fail' : 'pass', value, reason, evidence };
};

export const tokensDeliveredCheck = defineCheck({
  id: 'tokens_delivered',
  accusesCode: true,
  question: { topic: 'selling', whenPassed: 'yes' },
  failsIf: 'less than half of what the pool pays out reaches the buyer',
  severity: 'critical',
  run: tokensDelivered,
});

export const sellLaterCheck = defineCheck({
  id: 'sell_later',
  question: { topic: 'selling', whenPassed: 'yes' },
  failed: { logOdds: 3, kind: 'accusation' },
  failsIf:
    'a sale works now, but neither a full nor a half sale works, or most of it is lost: a day later; after the price has risen; after it has fallen; a minute after somebody else bought; after 150 purchases for 300 new wallets, if transfers may count something; or after a contract is deployed at an unused address that the token names. It also fails if not even an eighth can be sold four weeks later',
  severity: 'warning',
  run: sellLater,
});

export const saleGasCheck = defineCheck({
  id: 'sale_gas',
  question: { topic: 'selling', whenPassed: 'no' },
  failed: { logOdds: 1.2, kind: 'accusation' },
  failsIf: 'a sale burns more than 2 million gas',
  severity: 'warning',
  run: saleGas,
});
