import { NAME_WEIGHTS } from './artifacts/nameWeights.ts';
import {
  type NameFeatures,
  type NameWeights,
  nameFeatures,
  type TokenName,
} from './nameFeatures.ts';

/** What the model says of a name. */
export interface NameScore extends NameFeatures {
  /** Probability of spam among tokens like those it was trained on, 0 to 1. */
  readonly probability: number;
}

/** Facts unknown to the model weigh nothing. */
export const nameMargin = (
  { bias, weights }: Pick<NameWeights, 'bias' | 'weights'>,
  facts: readonly string[],
): number => facts.reduce((sum, fact) => sum + (weights[fact] ?? 0), bias);

/** How likely a name is one of spam. Pure: name and symbol, and whether the token is the listed one of that name. */
export const scoreName = (token: TokenName): NameScore => {
  const features = nameFeatures(token);
  const margin = nameMargin(NAME_WEIGHTS, features.facts);
  return { ...features, probability: 1 / (1 + Math.exp(-margin)) };
};
