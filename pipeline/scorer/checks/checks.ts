import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import { holderConcentration } from './holderConcentration.ts';
import { liquidityDrained } from './liquidityDrained.ts';
import { marketPattern } from './marketPattern.ts';
import { sellSimulation, tradeTax } from './sellSimulation.ts';

/** All checks, the gravest first. A new check is one file and one line here. */
const CHECKS: readonly ((input: CheckInput) => Check)[] = [
  liquidityDrained,
  sellSimulation,
  marketPattern,
  tradeTax,
  holderConcentration,
];

export const runChecks = (input: CheckInput): Check[] => CHECKS.map((check) => check(input));
