import type { CheckFeature } from '../checkFeatures.ts';

/** Log-odds of failed checks. Made by `make train-checks`; do not edit. See card.md. */
export const CHECK_WEIGHTS: Readonly<Record<CheckFeature, number>> = {
  mint_power: 0.665,
  'mint_power:code': 0.398,
  confiscation_power: 0.272,
  'confiscation_power:code': 0,
  freeze_power: 0.448,
  'freeze_power:code': 0.558,
  fee_power: 0.8,
  blacklist_power: 1.355,
  transfer_limits: 0.4,
  trading_gate: 0.3,
  pause_power: 1.129,
  self_destruct: 0.612,
  delegatecall: 0,
};
