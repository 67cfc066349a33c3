import type { AlertType } from '../../../shared/messages/watchMessage.ts';
import { liquidityRemoved } from './liquidityRemoved.ts';
import { newToken } from './newToken.ts';
import { ownershipChange } from './ownershipChange.ts';
import { rugPull } from './rugPull.ts';
import type { BlockView, Finding, Rule } from './rule.ts';

const RULES: readonly Rule[] = [rugPull, liquidityRemoved, newToken, ownershipChange];

/** The strengths from which a type of alert fires; null for types without a rule. */
export const presetsOf = (type: AlertType): Rule['presets'] | null =>
  RULES.find((rule) => rule.type === type)?.presets ?? null;

/** What all rules find in a block. */
export const findAll = (view: BlockView): Finding[] => RULES.flatMap((rule) => rule.find(view));
