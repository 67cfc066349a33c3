import { sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderTrials } from '../simulation/holderTrials.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckResult, type Evidence, rounded } from './checkResult.ts';
import { haveHoldersSold } from './holderSales.ts';

/** Holders that must have been tried before anything is said of all of them. */
const TRIED_MIN = 5;
/** Share of the holders tried that is refused, now and a day later, from which the token keeps its holders from selling. */
const REFUSED_SHARE_MIN = 0.5;

const evidenceOf = ({ blockNumber, shownBy }: HolderTrials): Evidence[] =>
  shownBy.map((params) => ({
    kind: 'call',
    ref: `eth_simulateV1@${blockNumber}`,
    note: sentence('holdersTransfer'),
    request: { method: 'eth_simulateV1', params: [...params] },
  }));

/**
 * Whether holders, as they are, can hand their tokens to the pool. A token that knows that it is being tried by a made-up buyer cannot know
 * it of them. What holders were seen to do outranks this too.
 */
const holderTrials = ({ trials, experience }: CheckInput): CheckResult => {
  const check = { id: 'holder_trials', severity: 'critical' } as const;
  if (!trials || trials.tried < TRIED_MIN) {
    return { ...check, status: 'not_applicable', reason: sentence('noHoldersTried') };
  }
  const { tried, failed, failedLater } = trials;
  const values = { tried, failed: failed.length };
  const value = rounded(failed.length / tried);
  const evidence = evidenceOf(trials);
  if (failed.length === 0) {
    const reason = sentence('holdersCanTransfer', { tried });
    return { ...check, status: 'pass', value, reason, evidence };
  }
  if (failedLater === undefined || haveHoldersSold(experience)) {
    return {
      ...check,
      status: 'unknown',
      value,
      reason: sentence('someHoldersRefused', values),
      evidence,
    };
  }
  if (failedLater.length >= REFUSED_SHARE_MIN * tried) {
    return {
      ...check,
      status: 'fail',
      value,
      reason: sentence('holdersRefused', values),
      evidence,
    };
  }
  const code = failedLater.length === 0 ? 'holdersMustWait' : 'someHoldersRefused';
  const status = failedLater.length === 0 ? 'pass' : 'unknown';
  return { ...check, status, value, reason: sentence(code, values), evidence };
};

export const holderTrialsCheck = defineCheck({
  id: 'holder_trials',
  question: { topic: 'selling', whenPassed: 'yes' },
  passed: -0.3,
  documentation: {
    failsIf:
      'half of up to twenty holders, simulated from their own accounts with what they own and paying for their gas, cannot hand a tenth of their tokens to the pool, neither now nor a day later, and holders were not seen to sell',
    severity: 'critical',
  },
  run: holderTrials,
});
