import type { SentenceCode } from '../../../shared/sentences/checkWords.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { CONFISCATING_TAX_MIN } from '../contract/readProbe.ts';
import type { SimulationParams } from '../simulation/simulateParams.ts';
import { defineCheck, weightOfTake } from './checkDefinition.ts';
import type { CheckInput, TradeLimit, TradeSimulation } from './checkInput.ts';
import {
  type CheckOutcome,
  type Evidence,
  rounded,
  simulationEvidence,
  txEvidence,
} from './checkResult.ts';
import { haveHoldersSold } from './holderSales.ts';
import {
  areRefused,
  areRefusedByRouter,
  areSpendersEntered,
  canHoldersSell,
  countOf,
  isNewRouterRefused,
  refusedOf,
  soldAsHolders,
} from './holderTrials.ts';
import { canAllSell, isOnlyEarly } from './refusedHolders.ts';

/** Tax on a sale that buyers should know of. */
const HIGH_TAX_MIN = 0.1;
/** Seconds after a purchase up to which a sale counts as immediately possible: a few blocks. */
const WAIT_S_MIN = 60;

/** Where it was simulated; if something failed, with everything needed to repeat it. */
const at = (
  { blockNumber }: { blockNumber: number },
  note: Sentence,
  ...params: readonly SimulationParams[]
): Evidence[] =>
  params.length === 0
    ? [simulationEvidence(blockNumber, note)]
    : params.map((one) => simulationEvidence(blockNumber, note, one));

/**
 * Buyers since the last sale of a holder, up to which that sale still counts: a trap can be switched on later.
 */
const BUYERS_SINCE_SALE_MAX = 5;

/**
 * The result of a new buyer's failed sale if holders sell: unknown if they were seen to, a warning if they can in
 * simulation. If only the simulation's new router is refused, tokens that a new buyer sends to the pool are sold, and
 * all holders sell through older routers; whether everybody can use those remains a doubt.
 * @param why reason of the simulated failure
 */
const refutedByHolders = (
  input: CheckInput,
  why: Sentence,
):
  | (Pick<CheckOutcome, 'status' | 'severity' | 'value' | 'reason'> & { shown: Evidence[] })
  | undefined => {
  const { experience, trials } = input;
  if (isNewRouterRefused(input) && trials && canAllSell(trials) && haveHoldersSold(input)) {
    const reason = sentence('holdersCanSell', countOf(trials));
    return {
      status: 'pass',
      severity: 'critical',
      value: 0,
      reason,
      shown: [soldAsHolders(trials)],
    };
  }
  if (experience && haveHoldersSold(input) && experience.buyersSinceSale <= BUYERS_SINCE_SALE_MAX) {
    const { buyers, sellers, sales } = experience;
    const reason = sentence('sellFailsButHeld', { why, buyers, sellers });
    const shown = sales.map((txHash) => txEvidence(txHash, sentence('soldHere')));
    return { status: 'unknown', severity: 'critical', reason, shown };
  }
  if (!trials) return undefined;
  const isOnlyNew = isNewRouterRefused(input) && trials.refused.length === 0;
  const canAny = isOnlyNew ? trials.sold.length > 0 : canHoldersSell(trials);
  if (!canAny) return undefined;
  const reason = sentence('sellFailsForNew', { why, ...countOf(trials) });
  const shown = [soldAsHolders(trials, trials.shownBy.paid)];
  return { status: 'fail', severity: 'warning', value: 1, reason, shown };
};

/**
 * Whether a buyer can sell again. Real sales of holders outrank a simulation: its failure is then reported, and
 * accuses nobody.
 */
export const sellSimulation = (input: CheckInput): CheckOutcome => {
  const { simulation, token } = input;
  const check = { severity: 'critical' } as const;
  const note = sentence('buyThenSell', { token });
  switch (simulation.kind) {
    case 'unknown':
      return { ...check, status: 'unknown', reason: simulation.reason };
    case 'buyFails': {
      const reason = sentence('buyFails', { why: simulation.reason });
      return { ...check, status: 'unknown', reason, evidence: at(simulation, note) };
    }
    case 'sellFails': {
      const evidence = at(simulation, note, simulation.shownBy);
      if (areSpendersEntered(input)) {
        const reason = sentence('sellsToEntered');
        return { ...check, severity: 'warning', status: 'fail', value: 1, reason, evidence };
      }
      if (isOnlyEarly(input)) {
        const reason = sentence('sellsInWeeks', { why: simulation.reason });
        return { ...check, severity: 'warning', status: 'fail', value: 1, reason, evidence };
      }
      // If a sale worked before, the limit was turned against the pool.
      if (simulation.walletLimit && input.saleCount === 0) {
        const reason = sentence('poolAboveWalletLimit', { why: simulation.reason });
        const shown = [
          ...evidence,
          ...at(simulation, sentence('poolSends'), simulation.walletLimit),
        ];
        return { ...check, severity: 'warning', status: 'fail', value: 1, reason, evidence: shown };
      }
      const byHolders = refutedByHolders(input, simulation.reason);
      if (byHolders) {
        const { shown, ...outcome } = byHolders;
        return { ...check, ...outcome, evidence: [...evidence, ...shown] };
      }
      if (simulation.soldThrough) {
        const { router, shownBy } = simulation.soldThrough;
        const reason = sentence('sellsThrough', { router });
        const shown = [...evidence, ...at(simulation, note, ...shownBy)];
        return { ...check, severity: 'warning', status: 'fail', value: 1, reason, evidence: shown };
      }
      const code = simulation.limits.length > 0 ? 'sellFailsButForLittle' : 'sellFails';
      const reason = sentence(code, { why: simulation.reason });
      const severity = areRefusedByRouter(input) ? 'warning' : 'critical';
      return { severity, status: 'fail', value: 1, reason, evidence };
    }
    case 'traded': {
      const outcome = tradedOutcome(input, simulation);
      const params = outcome.status === 'fail' ? [simulation.shownBy.sale] : [];
      return { ...check, ...outcome, evidence: at(simulation, note, ...params) };
    }
  }
};

type Traded = Extract<TradeSimulation, { kind: 'traded' }>;

const tradedOutcome = ({ trials }: CheckInput, simulation: Traded) => {
  const value = rounded(simulation.sellTax);
  if (simulation.buyTax >= CONFISCATING_TAX_MIN) {
    const reason = sentence('purchaseKeeps', { share: simulation.buyTax });
    return { status: 'fail' as const, value, reason };
  }
  if (simulation.sellTax < CONFISCATING_TAX_MIN) {
    if (trials && areRefused(trials)) {
      const reason = sentence('worksForNew', refusedOf(trials));
      return { status: 'unknown' as const, value, reason };
    }
    return { status: 'pass' as const, value, reason: sellableReason(simulation.sellableAfterS) };
  }
  const reason = sentence('saleKeeps', { share: simulation.sellTax });
  return { status: 'fail' as const, value, reason };
};

const sellableReason = (afterS = 0): Sentence =>
  afterS > WAIT_S_MIN ? sentence('sellsAfter', { after: afterS }) : sentence('sells');

/** Whether trading costs more than the pool's own fee. */
export const tradeTax = ({ simulation, contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (simulation.kind !== 'traded') {
    return { ...check, status: 'unknown', reason: sentence('noTrade') };
  }
  const { buyTax, sellTax } = simulation;
  const value = rounded(Math.max(buyTax, sellTax));
  const trade = contract?.probe.kind === 'done' ? contract.probe.trade : undefined;
  // The price a day later of what is expensive now; undefined if unknown.
  const laterTaxes = [
    ...(sellTax >= HIGH_TAX_MIN ? [trade?.laterTax] : []),
    ...(buyTax >= HIGH_TAX_MIN ? [trade?.laterBuyTax] : []),
  ];
  const later = laterTaxes.reduce<number>((most, one) => Math.max(most, one ?? 1), 0);
  const status = value >= HIGH_TAX_MIN ? 'fail' : 'pass';
  // The first minutes of a market may cost more, as a defence against bots, but never most of a trade.
  const isLaunch =
    status === 'fail' && rounded(later) < HIGH_TAX_MIN && value < CONFISCATING_TAX_MIN;
  const costs = { buy: buyTax, sell: sellTax };
  const reason = isLaunch
    ? sentence('tradeTaxFalls', { ...costs, later })
    : sentence('tradeTax', costs);
  const params = status === 'fail' ? [simulation.shownBy.sale] : [];
  const evidence = at(simulation, sentence('buyThenSell', { token }), ...params);
  return { ...check, ...(isLaunch && { severity: 'info' }), status, value, reason, evidence };
};

/** Whether sending tokens to another wallet costs something, or fails. */
export const transferTax = ({ simulation, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (simulation.kind !== 'traded' || simulation.transfer.kind === 'unreadable') {
    return { ...check, status: 'unknown', reason: sentence('noTransfer') };
  }
  const { transfer, shownBy } = simulation;
  const note = sentence('buyThenSend', { token });
  if (transfer.kind === 'failed') {
    const reason = sentence('transferFails', { why: transfer.reason });
    return { ...check, status: 'fail', reason, evidence: at(simulation, note, shownBy.transfer) };
  }
  const value = rounded(transfer.tax);
  const reason = sentence('transferTax', { share: transfer.tax });
  const status = value >= HIGH_TAX_MIN ? 'fail' : 'pass';
  const params = status === 'fail' ? [shownBy.transfer] : [];
  return { ...check, status, value, reason, evidence: at(simulation, note, ...params) };
};

const LIMIT = {
  purchase: 'limitPurchase',
  wallet: 'limitWallet',
  sale: 'limitSale',
} as const satisfies Readonly<Record<TradeLimit['kind'], SentenceCode>>;

/** Whether larger trades fail while a small one works. Honest tokens begin with limits. */
export const tradeLimits = ({ simulation, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'info' } as const;
  if (simulation.kind !== 'traded' && simulation.kind !== 'sellFails') {
    return { ...check, status: 'unknown', reason: sentence('noTrade') };
  }
  const { limits } = simulation;
  const note = sentence('buyManyThenSell', { token });
  if (limits.length === 0) {
    const reason = sentence('noLimit');
    return { ...check, status: 'pass', reason, evidence: at(simulation, note) };
  }
  const value = Math.min(...limits.map(({ share }) => share));
  const met = limits.map(({ kind, share }) => sentence(LIMIT[kind], { share }));
  const params = simulation.kind === 'traded' ? simulation.shownBy.limits : [simulation.shownBy];
  const reason = sentence('limitsMet', { limits: met });
  return { ...check, status: 'fail', value, reason, evidence: at(simulation, note, ...params) };
};

export const sellSimulationCheck = defineCheck({
  id: 'sell_simulation',
  accusesCode: true,
  role: 'sale',
  question: { topic: 'selling', whenPassed: 'yes', inFavour: 3, isAwaited: true },
  // The refused party is a router that nobody has allowed, or a pool that nobody has exempted from a limit for
  // wallets.
  failed: { logOdds: 1.8, kind: 'circumstance' },
  passed: -0.8,
  failsIf:
    'a simulated buyer can sell neither immediately nor an hour or a day later, or loses half of the proceeds. It is only a warning in five cases: (1) only the router of the simulation is refused, and a sale works now and a day later through a contract that the token names; (2) a sale works four weeks later, and nobody has sold or failed to sell yet; (3) a transfer to the pool works, and the code admits only registered routers, which the router of the simulation cannot be; (4) no sale ever worked, and [a limit for wallets](#limits-for-wallets) causes the refusal; (5) holders can sell, only a new buyer cannot. The check is unknown if holders sold recently and sales have not been closed since. It passes if only the router of the simulation is refused, holders sold, and all simulated holders can sell through other routers',
  severity: 'critical, warning',
  run: sellSimulation,
});

export const tradeTaxCheck = defineCheck({
  id: 'trade_tax',
  measuresTax: true,
  question: { topic: 'selling', whenPassed: 'no' },
  failed: weightOfTake,
  failsIf: 'a trade costs 10 % or more',
  severity: 'warning',
  run: tradeTax,
});

export const transferTaxCheck = defineCheck({
  id: 'transfer_tax',
  question: { topic: 'selling', whenPassed: 'no' },
  failsIf: 'a transfer between wallets costs 10 % or more',
  severity: 'warning',
  run: transferTax,
});

export const tradeLimitsCheck = defineCheck({
  id: 'trade_limits',
  question: { topic: 'selling', whenPassed: 'no' },
  failsIf: 'larger trades fail where a small one works',
  severity: 'info',
  run: tradeLimits,
});
