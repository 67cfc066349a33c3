/** Types of alerts, in the order in which the API lists them. Made by `make docs` from the rules of alerts; do not edit. */
export const ALERT_TYPES = ["rug_pull","price_drop","new_token","liquidity_removed","ownership_change","tax_change","mint","large_sell","verdict_change","cluster_activity","address_poisoning","unlock_soon","lock_withdrawn"] as const;
/** Those that only wallets or only tokens raise. */
export const RAISED_BY = { wallet: ["address_poisoning"], token: ["tax_change","unlock_soon"] } as const;
