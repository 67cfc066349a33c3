import type { AlertType } from '../../../shared/messages/watchMessage.ts';
import { addressPoisoning } from './addressPoisoning.ts';
import { clusterRule } from './clusterActivity.ts';
import { largeSell } from './largeSell.ts';
import { liquidityRemoved } from './liquidityRemoved.ts';
import { unlockRule, withdrawalRule } from './locks.ts';
import { mint } from './mint.ts';
import { newToken } from './newToken.ts';
import { ownershipChange } from './ownershipChange.ts';
import { priceDrop } from './priceDrop.ts';
import { rugPull } from './rugPull.ts';
import {
  anyStrength,
  type BlockRule,
  type BlockView,
  type Finding,
  type Rule,
  type Threshold,
} from './rule.ts';
import { taxRule } from './taxChange.ts';
import { verdictRule } from './verdictChange.ts';

/**
 * Every rule, in the order in which the API and the documents list their types: a new rule is one file and one line
 * here. `make docs` updates the API's list of types.
 */
export const RULES: readonly (Rule | BlockRule)[] = [
  rugPull,
  priceDrop,
  newToken,
  liquidityRemoved,
  ownershipChange,
  taxRule,
  mint,
  largeSell,
  verdictRule,
  clusterRule,
  addressPoisoning,
  unlockRule,
  withdrawalRule,
];

const THRESHOLDS = new Map(RULES.map(({ type, threshold }) => [type, threshold]));
/** The strength from which a type of alert fires. */
export const thresholdOf = (type: AlertType): Threshold => THRESHOLDS.get(type) ?? anyStrength;

/** Types found in messages of other roles: applying blocks again does not find them. */
export const TYPES_OF_MESSAGES = RULES.filter((rule) => rule.isOfMessages).map(({ type }) => type);

/** Findings of all rules in a block. */
export const findAll = (view: BlockView): Finding[] =>
  RULES.flatMap((rule) => ('find' in rule ? rule.find(view) : []));
