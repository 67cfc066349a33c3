import { isDeepStrictEqual } from 'node:util';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { CONFISCATING_TAX_MIN } from '../contract/readProbe.ts';
import type { SimulationParams } from '../simulation/simulateParams.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput, HolderTrials } from './checkInput.ts';
import { type CheckOutcome, type Evidence, rounded, simulationEvidence } from './checkResult.ts';
import { haveHoldersSold } from './holderSales.ts';
import { isDrained } from './marketChecks.ts';
import { isNewRefusedAlike, isOnlyEarly } from './refusedHolders.ts';

/** Simulated wallets needed before their sales mean anything. */
const TRIED_MIN = 5;
/** Share of them that cannot sell, from which the cause is not single wallets, such as bots on a list. */
const REFUSED_SHARE_MIN = 0.5;

/**
 * Wallets that suffice if nobody else ever bought, each bought in a block of its own, and either all or none can
 * sell.
 */
const FEW_MIN = 3;

/** Whether enough wallets were simulated to say what holders can do. */
const areEnough = (trials: HolderTrials | undefined): trials is HolderTrials => {
  if (!trials || trials.tried >= TRIED_MIN) return trials !== undefined;
  const { tried, sold, refused, bought } = trials;
  return tried >= FEW_MIN && bought === tried && [sold.length, refused.length].includes(tried);
};

/** Whether the cause that keeps holders from selling is not specific to single wallets. */
export const areRefused = (trials: HolderTrials): boolean =>
  areEnough(trials) && trials.refused.length >= REFUSED_SHARE_MIN * trials.tried;

/**
 * Whether ordinary holders can sell, simulated as each of them: then a new buyer's failing sale has another cause.
 */
export const canHoldersSell = (trials: HolderTrials | undefined): trials is HolderTrials =>
  areEnough(trials) && !areRefused(trials);

/** Whether the simulation's router is refused because its address is new, while a sale without it works. */
export const isNewRouterRefused = ({ simulation }: Pick<CheckInput, 'simulation'>): boolean =>
  simulation.kind === 'sellFails' && simulation.isRouterRefused === true;

/**
 * Whether the code admits spenders from a list: then refusing the simulation's router, whose address is new, proves
 * nothing.
 */
export const areSpendersEntered = (input: Pick<CheckInput, 'simulation' | 'contract'>): boolean =>
  isNewRouterRefused(input) &&
  input.contract?.codePowers.some(({ reason }) => reason === 'onlyEnteredSpend') === true;

/**
 * Whether the token is to blame for failing sales by any router: a new one is refused too, a pool pays nothing for
 * what arrives, or that router made sales before.
 */
const isRouterInnocent = ({
  simulation,
  trials,
}: Pick<CheckInput, 'simulation' | 'trials'>): boolean =>
  simulation.kind === 'sellFails' &&
  (simulation.isRouterRefused === true ||
    (trials?.repeated?.worked ?? 0) > 0 ||
    isDeepStrictEqual(simulation.reason.values?.['why'], sentence('earnsNothing')));

/**
 * Whether holders are refused only through a router, while tokens sent to the pool arrive. Whether the router or the
 * token is to blame, only real failed sales or another router can tell.
 */
export const areRefusedByRouter = (input: Pick<CheckInput, 'simulation' | 'trials'>): boolean =>
  input.trials?.reason?.code === 'byRouter' && areRefused(input.trials) && !isRouterInnocent(input);

/** How many of the tried wallets can sell. */
export const countOf = ({ sold, refused }: HolderTrials): { sold: number; tried: number } => {
  return { sold: sold.length, tried: sold.length + refused.length };
};

/** How many of the tried wallets cannot. */
export const refusedOf = ({ refused, tried }: HolderTrials): { refused: number; tried: number } => {
  return { refused: refused.length, tried };
};

/** The simulated sales as evidence. @param params for repeating them */
export const soldAsHolders = (trials: HolderTrials, params?: SimulationParams): Evidence =>
  simulationEvidence(trials.blockNumber, sentence('soldAsHolders', countOf(trials)), params);

/** A drained pool accepts anything and pays nothing: that is no sale. */
const notTried = ({ pool }: CheckInput) =>
  ({
    status: 'unknown',
    reason: sentence(pool && isDrained(pool) ? 'poolTooSmall' : 'holdersNotTried'),
  }) as const;

/**
 * Whether they are refused because of a limit for wallets that the pool exceeds, as the simulation showed by the same
 * revert message.
 */
const areLimited = ({ simulation, saleCount }: CheckInput, { reason }: HolderTrials): boolean =>
  simulation.kind === 'sellFails' &&
  simulation.walletLimit !== undefined &&
  saleCount === 0 &&
  isDeepStrictEqual(simulation.reason.values?.['why'], reason);

/** Whether wallets that bought can sell now. */
const holderTrials = (input: CheckInput): CheckOutcome => {
  const { trials } = input;
  const check = { severity: 'critical' } as const;
  if (!areEnough(trials)) return { ...check, ...notTried(input) };
  const { tried, refused, shownBy } = trials;
  const value = rounded(refused.length / tried);
  const areSomeRefused = refused.length >= FEW_MIN && isNewRefusedAlike(input.simulation, trials);
  if (!areRefused(trials) && !areSomeRefused) {
    const reason = sentence('holdersCanSell', countOf(trials));
    return { ...check, status: 'pass', value, reason, evidence: [soldAsHolders(trials)] };
  }
  const evidence = [shownBy.paid, shownBy.later].map((params) => soldAsHolders(trials, params));
  const why: Sentence = trials.reason ?? sentence('revertsSilently');
  const reason = sentence('holdersCannotSell', { ...refusedOf(trials), why });
  if (!areRefused(trials)) return { ...check, status: 'unknown', value, reason, evidence };
  // Real sales outrank simulated ones, unless simulated sales succeed and bring little, or something has changed
  // since.
  const keepsMost = trials.tax !== undefined && trials.tax.mean >= CONFISCATING_TAX_MIN;
  const status = haveHoldersSold(input) && !keepsMost ? 'unknown' : 'fail';
  const isExcused =
    tried < TRIED_MIN ||
    isOnlyEarly(input) ||
    areLimited(input, trials) ||
    areRefusedByRouter(input) ||
    (why.code === 'byRouter' && areSpendersEntered(input));
  const severity = isExcused ? 'warning' : 'critical';
  return { severity, status, value, reason, evidence };
};

/** Whether sales work in a plain call and fail in the form of real transactions. */
const simulationDetected = (input: CheckInput): CheckOutcome => {
  const { trials, simulation } = input;
  const check = { severity: 'critical' } as const;
  if (!areEnough(trials)) return { ...check, ...notTried(input) };
  const { tried, soldForFree, shownBy, blockNumber } = trials;
  if (!areRefused(trials)) {
    return { ...check, status: 'pass', value: 0, reason: sentence('sameWhenTried') };
  }
  const count = refusedOf(trials);
  const paid = simulationEvidence(blockNumber, sentence('soldPaying'), shownBy.paid);
  if (soldForFree.length >= REFUSED_SHARE_MIN * tried) {
    const evidence = [paid, simulationEvidence(blockNumber, sentence('soldForFree'), shownBy.free)];
    const reason = sentence('worksForFree', count);
    return { ...check, status: 'fail', value: soldForFree.length, reason, evidence };
  }
  if (simulation.kind === 'traded' && simulation.sellTax < CONFISCATING_TAX_MIN) {
    const trial = simulation.shownBy.sale;
    const evidence = [
      paid,
      simulationEvidence(simulation.blockNumber, sentence('soldAsNew'), trial),
    ];
    const reason = sentence('worksForNew', count);
    // The difference may be specific to the wallet: the check of holders accuses.
    return {
      ...check,
      severity: 'warning',
      status: 'fail',
      value: count.refused,
      reason,
      evidence,
    };
  }
  return { ...check, status: 'pass', value: 0, reason: sentence('sameWhenTried') };
};

export const holderTrialsCheck = defineCheck({
  id: 'holder_trials',
  role: 'trials',
  question: { topic: 'selling', whenPassed: 'yes', inFavour: 4 },
  failed: { logOdds: 1.8, kind: 'circumstance' },
  passed: -0.3,
  failsIf:
    'up to 20 buyers are simulated selling, with their own balances and paying for gas. The check fails if at least five were simulated, half of them can sell neither now nor an hour or a day later, and no sales of holders were seen. It also fails if hardly any can still sell, although five of those simulated never sold and have held for longer than others did before selling. It is unknown if at least three are refused, and a new buyer with the same message. It is only a warning if [a limit for wallets](#limits-for-wallets) refuses them as it refuses the simulated buyer; if only the router of most trades is refused, and another router is not; if a sale works four weeks later and nobody has sold or failed to sell yet; or if only three or four wallets ever bought, each in a block of its own, and none of them can sell',
  severity: 'critical, warning',
  run: holderTrials,
});

export const simulationDetectedCheck = defineCheck({
  id: 'simulation_detected',
  question: { topic: 'selling', whenPassed: 'no' },
  failed: { logOdds: 1.8, kind: 'accusation' },
  failsIf:
    'at least half of the simulated holders cannot sell in transactions that pay for gas, but the same sales work without paying. If only three or four wallets ever bought, each in a block of its own, all of them must fail. It is a warning if the sale of a new buyer works instead',
  severity: 'critical, warning',
  run: simulationDetected,
});
