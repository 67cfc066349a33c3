import { NAME_WEIGHTS } from './artifacts/nameWeights.ts';
import { ASKS, LEADS } from './nameFeatures.ts';
import type { NameScore } from './nameModel.ts';
import type { NameSign, SignId } from './nameSigns.ts';

const first = (signs: readonly NameSign[], ids: readonly SignId[]): NameSign | undefined =>
  signs.find(({ id }) => ids.includes(id));

/** A name that asks its reader to go somewhere for something: what it asks, and where it leads. */
export const invitationOf = ({
  signs,
}: Pick<NameScore, 'signs'>): { asks: NameSign; leads: NameSign } | undefined => {
  const [asks, leads] = [first(signs, ASKS), first(signs, LEADS)];
  return asks && leads ? { asks, leads } : undefined;
};

/** Whether a name asks for a visit, a claim or a payment and is, all in all, one of spam. */
export const isInvitation = (score: Pick<NameScore, 'signs' | 'probability'>): boolean =>
  score.probability >= NAME_WEIGHTS.alarmFrom && invitationOf(score) !== undefined;
