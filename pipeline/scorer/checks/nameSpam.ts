import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { NAME_WEIGHTS } from '../name/artifacts/nameWeights.ts';
import { invitationOf, type NameScore, scoreName } from '../name/nameModel.ts';
import type { NameSign } from '../name/nameSigns.ts';
import { logOdds } from '../verdict/logOdds.ts';
import { defineCheck, type Weight } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { answerEvidence, type CheckOutcome, type Evidence, rounded } from './checkResult.ts';
import { isListed } from './listed.ts';

/** The token's answer, and the relevant part of it. */
const shownBy = ({ token, name, symbol }: CheckInput, { field, part }: NameSign): Evidence => {
  const call = `${field}()`;
  const answer = field === 'name' ? name : symbol;
  return answerEvidence(token, call, sentence('answersPart', { call, answer, part }));
};

/**
 * Whether name and symbol look like spam. An invitation, which asks for a visit, a claim or a payment and says where,
 * counts against the token; a name that only resembles spam is shown as information.
 */
export const nameSpam = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const { chainId, token, name, symbol } = input;
  if (name === '' && symbol === '') {
    return { ...check, status: 'not_applicable', reason: sentence('nameMissing') };
  }
  if (isListed(input)) return { ...check, status: 'pass', reason: sentence('nameListed') };
  const score = scoreName({ chainId, address: token, name, symbol });
  const { probability, signs } = score;
  const value = rounded(probability);
  if (probability < NAME_WEIGHTS.alarmFrom || signs.length === 0) {
    return { ...check, status: 'pass', value, reason: sentence('nameNotSpam') };
  }
  return {
    ...check,
    ...accusationOf(score),
    status: 'fail',
    value,
    evidence: evidenceOf(input, score),
  };
};

const accusationOf = (score: NameScore): Pick<CheckOutcome, 'severity' | 'reason'> => {
  const invitation = invitationOf(score);
  if (!invitation) {
    const parts = [...new Set(score.signs.map(({ part }) => part))];
    return { severity: 'info', reason: sentence('nameLikeSpam', { parts }) };
  }
  const { asks, leads } = invitation;
  return {
    severity: 'warning',
    reason: sentence('nameInvites', { asks: asks.part, leads: leads.part }),
  };
};

const evidenceOf = (input: CheckInput, score: NameScore): Evidence[] => {
  const invitation = invitationOf(score);
  const shown = invitation ? [invitation.asks, invitation.leads] : score.signs;
  return shown.map((sign) => shownBy(input, sign));
};

/** An invitation is close to a proof of spam, but a list of names is not complete: four is one in fifty. */
const NAME_LOG_ODDS_MAX = 4;

/** What a name adds to the share of spam in the training data. */
const weightOfName = ({ value }: Check): Weight => ({
  logOdds: Math.min(NAME_LOG_ODDS_MAX, logOdds(Number(value)) - logOdds(NAME_WEIGHTS.spamShare)),
  kind: 'sign',
});

export const nameSpamCheck = defineCheck({
  id: 'name_spam',
  question: { topic: 'name', whenPassed: 'no' },
  failed: weightOfName,
  failsIf:
    'the name or symbol asks to visit, claim or pay and contains a website or a contact, and the [model of names](../name/artifacts/card.md) classifies it as spam; `info` if only the model does',
  severity: 'warning, info',
  run: nameSpam,
});
