/**
 * Type of a detail's value, which determines its format. `change`: a share with its sign. `points`: a difference of
 * two shares. `duration`: seconds. `time`: Unix seconds. `score`: 0 to 100. `units`: raw units of a token. `word`:
 * one of the `words` of `alerts.json`. `transaction`, `contract`, `block` and `lock` say where to look something up.
 */
export type DetailKind =
  | 'share'
  | 'change'
  | 'points'
  | 'usd'
  | 'duration'
  | 'time'
  | 'number'
  | 'score'
  | 'units'
  | 'word'
  | 'address'
  | 'ring'
  | 'contract'
  | 'transaction'
  | 'block'
  | 'lock';

/** The type of each alert detail, in reading order; the `details` of `alerts.json` name them. */
export const DETAIL_KINDS = {
  // rings: what happened
  activity: 'word',

  // pools
  liquidity_change: 'change',
  price_change: 'change',
  window_seconds: 'duration',
  sold_usd: 'usd',
  pool_share: 'share',
  liquidity_before_usd: 'usd',
  liquidity_after_usd: 'usd',
  liquidity_usd: 'usd',
  cause: 'word',
  creator_sold_usd: 'usd',
  seller: 'address',

  // tokens
  minted_share: 'share',
  recipients: 'number',
  recipient: 'address',
  minted: 'units',
  creator: 'address',
  renounced: 'word',
  new_owner: 'address',
  previous_owner: 'address',
  previous_tax: 'share',
  new_tax: 'share',
  tax_change: 'points',
  previous_prediction: 'word',
  new_prediction: 'word',
  confidence: 'share',
  certainty: 'word',
  advice: 'word',

  // locks
  locked: 'word',
  locked_share: 'share',
  before_time: 'word',
  seconds_left: 'duration',
  unlock_at: 'time',
  logged: 'word',
  owner: 'address',

  // rings: which and how large
  wallet: 'address',
  joined: 'word',
  risk_score: 'score',
  size: 'number',
  wallets_joined: 'number',
  wallets_left: 'number',
  cluster_id: 'ring',

  // look-alikes
  look_alike: 'address',
  counterparty: 'address',
  counterparty_last_seen: 'time',
  direction: 'word',
  moved: 'word',
  value: 'units',

  // where to look it up
  locker: 'contract',
  lock: 'lock',
  pool: 'contract',
  tx_hash: 'transaction',
  block_number: 'block',
} as const satisfies Readonly<Record<string, DetailKind>>;

/** Details that an alert can have. */
export type AlertDetail = keyof typeof DETAIL_KINDS;
