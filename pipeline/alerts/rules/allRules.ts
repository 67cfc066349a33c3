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
import type { BlockRule, BlockView, Finding, Rule, Threshold } from './rule.ts';
import { taxRule } from './taxChange.ts';
import { verdictRule } from './verdictChange.ts';

/** Every type of alert, in the order in which the documents list them: a new one is one file and one line here. */
export const RULES: Readonly<Record<AlertType, Rule | BlockRule>> = {
  rug_pull: rugPull,
  price_drop: priceDrop,
  liquidity_removed: liquidityRemoved,
  large_sell: largeSell,
  mint,
  new_token: newToken,
  ownership_change: ownershipChange,
  tax_change: taxRule,
  verdict_change: verdictRule,
  address_poisoning: addressPoisoning,
  unlock_soon: unlockRule,
  lock_withdrawn: withdrawalRule,
  cluster_activity: clusterRule,
};

/** The strength from which a type of alert fires. */
export const thresholdOf = (type: AlertType): Threshold => RULES[type].threshold;

/** What all rules find in a block. */
export const findAll = (view: BlockView): Finding[] =>
  Object.values(RULES).flatMap((rule) => ('find' in rule ? rule.find(view) : []));
