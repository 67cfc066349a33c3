import { NAME_WEIGHTS } from './artifacts/nameWeights.ts';
import {
  ASKS,
  LEADS,
  type NameFeatures,
  type NameWeights,
  nameFeatures,
  type TokenName,
} from './nameFeatures.ts';
import type { NameSign, SignId } from './nameSigns.ts';

/** The score of a name. */
export interface NameScore extends NameFeatures {
  /** Probability of spam among tokens like those it was trained on, 0 to 1. */
  readonly probability: number;
}

/** The log-odds of a name; properties unknown to the model have no weight. */
export const nameMargin = (
  { bias, weights }: Pick<NameWeights, 'bias' | 'weights'>,
  facts: readonly string[],
): number => facts.reduce((sum, fact) => sum + (weights[fact] ?? 0), bias);

/**
 * The probability that a name is spam. Pure: name and symbol, and whether the token is the listed one with that name.
 */
export const scoreName = (token: TokenName): NameScore => {
  const features = nameFeatures(token);
  const margin = nameMargin(NAME_WEIGHTS, features.facts);
  return { ...features, probability: 1 / (1 + Math.exp(-margin)) };
};

const first = (signs: readonly NameSign[], ids: readonly SignId[]): NameSign | undefined =>
  signs.find(({ id }) => ids.includes(id));

/** A name that asks its reader to go somewhere for something: the request, and the destination. */
export const invitationOf = ({
  signs,
}: Pick<NameScore, 'signs'>): { asks: NameSign; leads: NameSign } | undefined => {
  const [asks, leads] = [first(signs, ASKS), first(signs, LEADS)];
  return asks && leads ? { asks, leads } : undefined;
};

/** Whether a name asks for a visit, a claim or a payment and is rated as spam overall. */
export const isInvitation = (score: Pick<NameScore, 'signs' | 'probability'>): boolean =>
  score.probability >= NAME_WEIGHTS.alarmFrom && invitationOf(score) !== undefined;
