import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
import { erc20Surface, foreignCode, proxy, selfDestruct } from './codeChecks.ts';
import { fakeLock } from './fakeLock.ts';
import { hookPower, hookTax, poolFee } from './hookChecks.ts';
import { knownScamCode, lookAlikeName } from './impersonation.ts';
import { listed } from './listed.ts';
import {
  holderConcentration,
  launchSnipe,
  liquidityDrained,
  marketPattern,
  sentUnasked,
} from './marketChecks.ts';
import { nameSpam } from './nameSpam.ts';
import { ownerPowers } from './ownerPowers.ts';
import { hiddenOwner, ownerRenounced } from './ownership.ts';
import { sellSimulation, tradeLimits, tradeTax, transferTax } from './sellSimulation.ts';
import { saleGas, sellLater, tokensDelivered } from './tradeProbes.ts';
import { tradingClosed } from './tradingClosed.ts';

/** All checks, the gravest first. A new check is one file and one line here. */
const CHECKS: readonly ((input: CheckInput) => CheckResult | readonly CheckResult[])[] = [
  liquidityDrained,
  sellSimulation,
  fakeLock,
  tokensDelivered,
  tradingClosed,
  hiddenOwner,
  ownerPowers,
  hookPower,
  hookTax,
  poolFee,
  sellLater,
  marketPattern,
  launchSnipe,
  tradeTax,
  transferTax,
  lookAlikeName,
  nameSpam,
  sentUnasked,
  knownScamCode,
  saleGas,
  tradeLimits,
  selfDestruct,
  foreignCode,
  holderConcentration,
  listed,
  ownerRenounced,
  proxy,
  erc20Surface,
];

export const runChecks = (input: CheckInput): CheckResult[] =>
  CHECKS.flatMap((check) => check(input));
