import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { knownFunction } from '../contract/knownFunctions.ts';
import { defineCheck, type Weight } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, simulationEvidence } from './checkResult.ts';
import { canPersonStop, functionName, ownerEvidence } from './contractEvidence.ts';

/** Functions that open trading, as far as their names are known. */
const openersOf = ({ functions }: ContractProfile): string[] =>
  functions
    .filter(
      ({ selector, writes }) =>
        writes && knownFunction(selector as `0x${string}`)?.role === 'tradingGate',
    )
    .map(({ selector }) => functionName(selector));

/** What closed trading means, depending on who could open it and for whom it is already open. */
type Closure =
  | 'before_launch'
  | 'closed_to_others'
  | 'open_to_holders'
  | 'nobody_can_open'
  | 'unexplained';

/** Whether a wallet can stop sales, whoever owns the token: by a simulation, or by the code alone, since nothing can be simulated of what is closed. */
const canWalletClose = (contract: ContractProfile): boolean =>
  canPersonStop(contract) ||
  contract.codePowers.some(({ power, holder }) => power === 'limit' && holder.kind === 'wallet');

const closureOf = ({ contract, experience, trials }: CheckInput): Closure => {
  const wasOpen = experience !== undefined && experience.buyers > 0;
  const canLeave =
    trials !== undefined && trials.tried > 0 && trials.sold.length > trials.refused.length;
  if (wasOpen && canLeave) return 'open_to_holders';
  // A fixed rule, such as trading hours, may close a token without an owner, and open it again.
  if (contract?.owner.kind === 'renounced' && !canWalletClose(contract)) return 'nobody_can_open';
  if (wasOpen) return 'closed_to_others';
  return contract && openersOf(contract).length > 0 ? 'before_launch' : 'unexplained';
};

const explain = (closure: Closure, { contract, purchaseCount }: CheckInput): Sentence => {
  switch (closure) {
    case 'closed_to_others':
    case 'open_to_holders':
      return sentence('closedToOthers', { count: purchaseCount });
    case 'nobody_can_open':
      return sentence('nobodyCanOpen');
    case 'before_launch':
      return sentence('ownerCanOpen', { functions: contract ? openersOf(contract) : [] });
    case 'unexplained':
      return sentence('openerUnknown');
  }
};

/**
 * Whether anybody can buy at all although the pool holds liquidity. Honest tokens are closed before their launch,
 * too, so closed trading alone, or trading that no one can open, only makes the verdict unclear. Trading that closed
 * after others have bought, on any market and at any time, counts against the token unless those buyers can sell: it
 * may admit only registered buyers, or have neither an owner nor another wallet that could have closed it.
 */
export const tradingClosed = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const { simulation, contract, token } = input;
  if (simulation.kind === 'unknown') {
    return { ...check, status: 'unknown', reason: simulation.reason };
  }
  // The purchase succeeded but delivered nothing: covered by another check.
  if (simulation.kind === 'buyFails' && simulation.reason.code === 'deliversNothing') {
    return { ...check, status: 'unknown', reason: sentence('nothingBought') };
  }
  if (simulation.kind !== 'buyFails') {
    return { ...check, status: 'pass', reason: sentence('tradingOpen') };
  }
  const closure = closureOf(input);
  const how = explain(closure, input);
  const note = sentence('buyFailsHere', { token });
  return {
    ...check,
    status: 'fail',
    value: closure,
    reason: sentence('tradingClosed', { why: simulation.reason, how }),
    evidence: [
      simulationEvidence(simulation.blockNumber, note, simulation.shownBy),
      ...(contract ? ownerEvidence(contract, token) : []),
    ],
  };
};

/** Honest tokens are closed before their launch, or to unknown buyers. */
const CLOSED_TO_STRANGERS: Weight = { logOdds: 0.3, kind: 'circumstance' };
const CLOSED: Readonly<Record<string, Weight>> = {
  closed_to_others: { logOdds: 1.8, kind: 'accusation' },
  // Nobody loses anything if nobody can buy: the verdict is unclear, no more.
  nobody_can_open: { logOdds: 1.8, kind: 'circumstance' },
};
const weightOfClosed = ({ value }: Check): Weight => CLOSED[String(value)] ?? CLOSED_TO_STRANGERS;

export const tradingClosedCheck = defineCheck({
  id: 'trading_closed',
  role: 'opening',
  question: { topic: 'selling', whenPassed: 'yes', inFavour: 5 },
  failed: weightOfClosed,
  failsIf:
    'nobody can buy although the pool holds liquidity: before the launch, after others have bought, or for ever. It accuses nobody if those others can sell, or if neither an owner nor any other wallet could have closed trading',
  severity: 'warning',
  run: tradingClosed,
});
