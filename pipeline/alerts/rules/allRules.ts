import type { AlertType } from '../../../shared/messages/watchMessage.ts';
import { addressPoisoning } from './addressPoisoning.ts';
import { largeSell } from './largeSell.ts';
import { liquidityRemoved } from './liquidityRemoved.ts';
import { mint } from './mint.ts';
import { newToken } from './newToken.ts';
import { ownershipChange } from './ownershipChange.ts';
import { priceDrop } from './priceDrop.ts';
import { rugPull } from './rugPull.ts';
import { anyStrength, type BlockView, type Finding, type Rule, type Threshold } from './rule.ts';
import { taxThreshold } from './taxChange.ts';
import { verdictThreshold } from './verdictChange.ts';

/** Rules on blocks. Verdicts, taxes and rings come by messages of other roles. */
const RULES: readonly Rule[] = [
  rugPull,
  priceDrop,
  liquidityRemoved,
  largeSell,
  mint,
  newToken,
  ownershipChange,
  addressPoisoning,
];

const THRESHOLDS: ReadonlyMap<AlertType, Threshold> = new Map<AlertType, Threshold>([
  ...RULES.map(({ type, threshold }) => [type, threshold] as const),
  ['tax_change', taxThreshold],
  ['verdict_change', verdictThreshold],
  ['cluster_activity', anyStrength],
  ['unlock_soon', anyStrength],
  ['lock_withdrawn', anyStrength],
]);

/** The strength from which a type of alert fires. */
export const thresholdOf = (type: AlertType): Threshold => THRESHOLDS.get(type) ?? anyStrength;

/** What all rules find in a block. */
export const findAll = (view: BlockView): Finding[] => RULES.flatMap((rule) => rule.find(view));
