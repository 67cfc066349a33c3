import type { CheckDefinition, CheckRule } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
import {
  erc20SurfaceCheck,
  foreignCodeCheck,
  proxyCheck,
  selfDestructCheck,
} from './codeChecks.ts';
import { fakeLockCheck } from './fakeLock.ts';
import { holderSalesCheck } from './holderSales.ts';
import { holderTrialsCheck, simulationDetectedCheck } from './holderTrials.ts';
import { hookPowerCheck, hookTaxCheck, poolFeeCheck } from './hookChecks.ts';
import { knownScamCodeCheck, lookAlikeNameCheck } from './impersonation.ts';
import { insiderSalesCheck } from './insiderSales.ts';
import { listedCheck } from './listed.ts';
import {
  holderConcentrationCheck,
  launchSnipeCheck,
  liquidityDrainedCheck,
  marketPatternCheck,
  sentUnaskedCheck,
} from './marketChecks.ts';
import { nameSpamCheck } from './nameSpam.ts';
import { ownerPowerChecks } from './ownerPowers.ts';
import { hiddenOwnerCheck, ownerRenouncedCheck } from './ownership.ts';
import {
  sellSimulationCheck,
  tradeLimitsCheck,
  tradeTaxCheck,
  transferTaxCheck,
} from './sellSimulation.ts';
import { saleGasCheck, sellLaterCheck, tokensDeliveredCheck } from './tradeProbes.ts';
import { tradingClosedCheck } from './tradingClosed.ts';

/** All checks, most serious first. CONTRIBUTING.md says what else a new check needs. */
const RULES: readonly CheckRule[] = [
  liquidityDrainedCheck,
  sellSimulationCheck,
  holderTrialsCheck,
  simulationDetectedCheck,
  holderSalesCheck,
  insiderSalesCheck,
  fakeLockCheck,
  tokensDeliveredCheck,
  tradingClosedCheck,
  hiddenOwnerCheck,
  ownerPowerChecks,
  hookPowerCheck,
  hookTaxCheck,
  poolFeeCheck,
  sellLaterCheck,
  marketPatternCheck,
  launchSnipeCheck,
  tradeTaxCheck,
  transferTaxCheck,
  lookAlikeNameCheck,
  nameSpamCheck,
  sentUnaskedCheck,
  knownScamCodeCheck,
  saleGasCheck,
  tradeLimitsCheck,
  selfDestructCheck,
  foreignCodeCheck,
  holderConcentrationCheck,
  listedCheck,
  ownerRenouncedCheck,
  proxyCheck,
  erc20SurfaceCheck,
];

/** The definition of every check, by id. */
export const CHECKS: ReadonlyMap<string, CheckDefinition> = new Map(
  RULES.flatMap(({ checks }) => checks).map((check) => [check.id, check]),
);

export const runChecks = (input: CheckInput): CheckResult[] =>
  RULES.flatMap(({ run }) => run(input));
