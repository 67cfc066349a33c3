/** Log-odds of failed checks. Made by `make train-checks`; do not edit. See card.md. */
export const CHECK_WEIGHTS: Readonly<Record<string, number>> = {
  mint_power: 0.611,
  'mint_power:code': 0.49,
  confiscation_power: 0.297,
  'confiscation_power:code': 0.33,
  freeze_power: 0.471,
  'freeze_power:code': 0.514,
  fee_power: 0.713,
  blacklist_power: 1.323,
  transfer_limits: 0.4,
  trading_gate: 0.3,
  pause_power: 1.186,
  self_destruct: 0.625,
  delegatecall: 0,
};
